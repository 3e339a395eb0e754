"""Names and patterns of databases and tables, as options give them."""

from __future__ import annotations

import pytest

from pybinlog.filters import database_patterns, table_patterns


@pytest.mark.parametrize(
    ("text", "patterns", "names"),
    [
        ("shop", ("shop",), ("shop",)),
        (" a , b ", ("a", "b"), ("a", "b")),
        ("log_*", ("log_*",), ("log_*",)),
        ("`log_*`", ("log_[*]",), ("log_*",)),
        ("`a?[b`", ("a[?][[]b",), ("a?[b",)),
        ("`a``b, c`", ("a`b, c",), ("a`b, c",)),
        ("`a.b`,c", ("a.b", "c"), ("a.b", "c")),
    ],
)
def test_backticks_quote_and_what_they_quote_stands_for_itself(
    text: str, patterns: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert (database_patterns(text), database_patterns(text, escape=False)) == (patterns, names)
    assert table_patterns(text) == tuple((None, pattern) for pattern in patterns)


def test_a_database_has_no_dot_and_a_backtick_an_end() -> None:
    with pytest.raises(ValueError, match=r"'a\.b' is not one name"):
        database_patterns("a.b")
    with pytest.raises(ValueError, match="a backtick is missing in '`a'"):
        database_patterns("`a")
