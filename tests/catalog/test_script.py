"""Dumps, statement by statement."""

import tracemalloc

import pytest

from pybinlog.catalog.script import UnclosedQuote, statements_of

SCRIPTS = {
    "lines": ("A;\n\nB\n  c;D", [(1, "A"), (3, "B\n  c"), (4, "D")]),
    "quotes": ("A ';''\\';' \";\" `;``` ;B", [(1, "A ';''\\';' \";\" `;``` "), (1, "B")]),
    "comments": ("-- a;\nA /* ; */ B # ;\n;/*M!999999\\- x; */C", [(2, "A   B  \n"), (3, " C")]),
    "opened comments": ("/*!40101 SET a=';' */;", [(1, "/*!40101 SET a=';' */")]),
    "delimiter": ("DELIMITER ;;\nA;B;;\ndelimiter ;\nC;", [(2, "A;B"), (4, "C")]),
    "two dollars": ("DELIMITER $$\nA;$$B$$", [(2, "A;"), (2, "B")]),
    "nothing": (" \n-- x\n", []),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_statements_and_their_lines(name: str) -> None:
    text, expected = SCRIPTS[name]
    found = [(line, statement.text) for line, statement in statements_of(text)]
    assert [(line, text.strip()) for line, text in found] == [(line, text.strip()) for line, text in expected]


@pytest.mark.parametrize("use", ["USE shop;", "use `shop` ;", "-- Host: x    Database: shop\n"])
def test_the_database_is_followed(use: str) -> None:
    assert [statement.database for _, statement in statements_of(f"A;\n{use}B")] == [None, "shop", None]


def test_no_end() -> None:
    with pytest.raises(UnclosedQuote, match="2"):
        list(statements_of("A;\nB '"))


def test_a_quote_without_end_takes_no_memory() -> None:
    """A pattern for a whole string takes 140 bytes for each character, to go back there."""
    for string in ("x" * 2_000_000, "\\a" * 200_000, "''" * 200_000):
        tracemalloc.start()
        try:
            with pytest.raises(UnclosedQuote):
                list(statements_of(f"CREATE TABLE t (a INT COMMENT '{string}"))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < 3 * len(string)
