"""CRC32 of events."""

import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.kernel.base.checksum import checksum


@settings(max_examples=40)
@given(st.binary(max_size=300) | st.binary(min_size=1 << 12, max_size=1 << 13))
def test_it_is_the_crc32_of_zlib(data: bytes) -> None:
    assert checksum(data) == zlib.crc32(data)
