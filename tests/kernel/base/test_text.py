"""Base64 as BINLOG statements hold it."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.base.text import base64_lines


@given(st.binary(max_size=600))
def test_lines_of_76_characters_without_a_line_feed_at_the_end(data: bytes) -> None:
    text = base64.b64encode(data)
    assert base64_lines(data) == b"\n".join(text[i : i + 76] for i in range(0, len(text), 76))
