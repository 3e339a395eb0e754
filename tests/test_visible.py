"""Text for people is one line, and no control character reaches a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.visible import shortened, visible, visible_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain: naïve 日本 \\ '", "plain: naïve 日本 \\ '"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[2J\x07\x00\x7f", r"\x1b[2J\x07\x00\x7f"),
        ("\x9b31m\x85", r"\x9b31m\x85"),
        (b"\x9b31m\xff".decode("utf-8", "surrogateescape"), "\\x9b31m\udcff"),
    ],
)
def test_control_characters_are_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    assert shortened("0123456789", 10) == "0123456789"
    assert shortened("0123456789abc", 10) == "01234... (3 characters are left out) ...89abc"


def test_lines_and_columns_stay_in_a_text_of_lines() -> None:
    assert visible_lines("a\tb\r\n\x1bc") == "a\tb\\x0d\n\\x1bc"


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in visible(text))
    assert visible(visible(text)) == visible(text)
    assert visible_lines(text).split("\n") == [visible_lines(line) for line in text.split("\n")]
