"""How wide the columns of a table are, and how values are written."""

from __future__ import annotations

import pytest

from pybinlog.cli.display.table_layout import Layout, TableColumn, plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (1.5, "1.5"),
        ("x", "x"),
        (["a", "b"], "a, b"),
        ([], ""),
    ],
)
def test_values_are_written_so(value: str | float | list[str] | None, text: str) -> None:
    assert plain(value) == text


def layout(width: int, *numbers: bool) -> Layout:
    return Layout([TableColumn(str(at), is_number=number) for at, number in enumerate(numbers)], width)


def test_columns_are_as_wide_as_they_need_with_two_spaces_between() -> None:
    found = layout(80, False, True, False)
    assert found.lines(["a", 1, "x"], ["bbb", 22222, "yy"]) == ["a        1  x", "bbb  22222  yy"]
    assert found.lines(["c", 3, None]) == ["c        3  NULL"]
    assert found.lines(["cccc", 3, ""]) == ["cccc      3"]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (16, ["1234567  abcdefg", "x        y"]),
        (15, ["12345…  abcdefg", "x       y"]),
        (14, ["12345…  abcde…", "x       y"]),
        (12, ["1234…  abcd…", "x      y"]),
        (10, ["123…  abc…", "x     y"]),
        (9, ["123…  abc…", "x     y"]),
        (1, ["12  ab", "x   y"]),
    ],
)
def test_the_widest_columns_give_way_and_each_keeps_four_characters(width: int, lines: list[str]) -> None:
    assert layout(width, False, False).lines(["1234567", "abcdefg"], ["x", "y"]) == lines


def test_wide_characters_take_two_places_and_controls_are_escapes() -> None:
    assert layout(80, True, False).lines(["日本", "a\tb"], ["x", "é"]) == [r"日本  a\tb", "   x  é"]
    assert layout(8, False).lines(["日本語日本"]) == ["日本語 …"]


def test_a_column_of_text_is_shown_to_everybody() -> None:
    assert TableColumn("a") == TableColumn("a", False, True, True, False)
