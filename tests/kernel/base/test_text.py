"""Base64 as BINLOG statements hold it, and strings between quotes."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.text import base64_lines, quoted


@given(st.binary(max_size=600))
def test_lines_of_76_characters_without_a_line_feed_at_the_end(data: bytes) -> None:
    text = base64.b64encode(data)
    assert base64_lines(data) == b"\n".join(text[i : i + 76] for i in range(0, len(text), 76))


ESCAPES = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 39: b"\\'", 92: b"\\\\"}


@pytest.mark.parametrize("before", range(70))
def test_a_byte_is_escaped_wherever_it_stands(before: int) -> None:
    """Bytes are looked at 32 or eight at a time; the ones beside it must not hide it, nor be taken for it."""
    for byte in range(256):
        escaped = ESCAPES.get(byte, b"\\x%02x" % byte if byte < 32 else bytes((byte,)))
        for filling in (b"a", b"!", b"\xff"):
            data = filling * before + bytes((byte,)) + filling * 9
            assert quoted(data) == b"'" + filling * before + escaped + filling * 9 + b"'", (byte, filling)
    assert quoted(b"'" * before) == b"'" + b"\\'" * before + b"'"
