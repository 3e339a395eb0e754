"""Invalid UTF-8, replaced or escaped byte by byte, beside Python's decoder."""

import codecs

from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.utf8 import escaped, replaced

MIXED = st.lists(st.binary(max_size=8) | st.text(max_size=8).map(str.encode), max_size=6).map(b"".join)
"""Bytes with valid characters among them."""


def each_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("each_byte", each_byte)


@given(MIXED)
def test_bytes_of_no_character_are_replaced_one_by_one(data: bytes) -> None:
    assert replaced(data) == data.decode("utf-8", "each_byte").encode()


@given(MIXED)
def test_bytes_of_no_character_are_escaped(data: bytes) -> None:
    assert escaped(data) == data.decode("utf-8", "backslashreplace").encode()
