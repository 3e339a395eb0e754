"""A place among the tokens of a statement, and how it moves."""

from collections.abc import Callable

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema.cursor import Cursor
from pybinlog.schema.lexer import TokenKind


def test_the_last_token_stays_the_last() -> None:
    cursor = Cursor("a b")
    assert [cursor.peek(ahead).text for ahead in range(4)] == ["a", "b", "", ""]
    assert [cursor.read().text for _ in range(4)] == ["a", "b", "", ""]
    assert (cursor.place, cursor.peek().kind, cursor.at_end) == (2, TokenKind.END, True)


@pytest.mark.parametrize(
    ("text", "at_end", "place"), [("", True, 0), (";", True, 1), ("; ;", False, 0), ("; a", False, 0), ("a", False, 0)]
)
def test_a_semicolon_may_stand_at_the_end(text: str, at_end: bool, place: int) -> None:
    cursor = Cursor(text)
    assert (cursor.at_end, cursor.place) == (at_end, place)


def test_words_and_signs_are_passed_if_they_come() -> None:
    cursor = Cursor("if NOT `exists` ( )")
    assert not cursor.accept("IF", "NOT", "EXISTS")
    assert (cursor.accept("IF", "NOT"), cursor.place) == (True, 2)
    assert (cursor.accept("EXISTS"), cursor.accept_one("EXISTS", "X"), cursor.accept_sign("(")) == (False, "", False)
    assert cursor.name() == "exists"
    assert (cursor.at_sign("("), cursor.at_sign(")"), cursor.at_sign(")", 1)) == (True, False, True)
    assert (cursor.accept_sign(")"), cursor.accept_sign("("), cursor.place) == (False, True, 4)
    assert Cursor("x y").accept_one("Y", "X") == "X"


@pytest.mark.parametrize(
    ("text", "read", "expected"),
    [
        ("a", Cursor.path, (None, "a")),
        ("`a`.`b c`", Cursor.path, ("a", "b c")),
        ("a.select", Cursor.path, ("a", "select")),
        ("()", Cursor.names, ()),
        ("(a, `b`)", Cursor.names, ("a", "b")),
        ("'a'", Cursor.string, "a"),
        ("'a'", Cursor.word_or_string, "a"),
        ("select", Cursor.word_or_string, "select"),
        ("1.5", Cursor.word_or_string, "1.5"),
        ("`a`", Cursor.word_or_string, "a"),
        ("12", Cursor.integer, 12),
        ("(1, 2)", Cursor.integers, (1, 2)),
        ("", Cursor.integers, ()),
    ],
)
def test_what_is_read(text: str, read: Callable[[Cursor], object], expected: object) -> None:
    cursor = Cursor(text)
    assert read(cursor) == expected
    assert cursor.peek().kind is TokenKind.END


UNKNOWN = "the model does not know this statement"


@pytest.mark.parametrize(
    ("text", "read", "near", "missing"),
    [
        ("select", Cursor.name, "from 'select' on", "SELECT"),
        ("'a'", Cursor.name, "from \"'a'\" on", "grammar"),
        ("a.'b'", Cursor.path, "from \"'b'\" on", "grammar"),
        ("(a b)", Cursor.names, "from 'b)' on", "B"),
        ("a", Cursor.string, "from 'a' on", "A"),
        ("'a'", Cursor.integer, "from \"'a'\" on", "grammar"),
        ("1.5", Cursor.integer, "from '1.5' on", "grammar"),
        ("a", Cursor.integer, "from 'a' on", "A"),
        ("(a)", Cursor.integers, "from 'a)' on", "A"),
        ("(", Cursor.pass_parentheses, "which ends too early", "grammar"),
        ("((a)", Cursor.pass_parentheses, "which ends too early", "grammar"),
        ("a", Cursor.pass_parentheses, "from 'a' on", "A"),
        (",", Cursor.word_or_string, "from ',' on", "grammar"),
        (f"select  {'x' * 33}", Cursor.name, f"from 'select {'x' * 32}' on", "SELECT"),
    ],
)
def test_what_cannot_be_read_is_shown(text: str, read: Callable[[Cursor], object], near: str, missing: str) -> None:
    cursor = Cursor(text)
    with pytest.raises(UnsupportedStatement) as caught:
        read(cursor)
    assert (caught.value.message, caught.value.missing) == (f"{UNKNOWN} {near}", missing)


@pytest.mark.parametrize(
    ("text", "place"),
    [("a b, c", 2), ("a (b, c) d, e", 7), ("a ((b), (c)) ) d", 10), ("a b; ", 3), (", a", 0), (") a", 0), ("'(' a", 2)],
)
def test_skipping_ends_at_a_comma_or_parenthesis(text: str, place: int) -> None:
    cursor = Cursor(text)
    cursor.skip()
    assert cursor.place == place


def test_what_is_not_read_whole_is_noted_and_skipped() -> None:
    cursor = Cursor("a b, c, 1, d")
    assert (cursor.tolerate(cursor.name, cursor.skip), cursor.place) == ("a", 2)
    assert [str(problem) for problem in cursor.passed] == [f"{UNKNOWN} from 'b, c, 1, d' on"]
    assert cursor.accept_sign(",")
    assert (cursor.tolerate(cursor.name, cursor.skip), cursor.place, len(cursor.passed)) == ("c", 4, 1)
    assert cursor.accept_sign(",")
    assert (cursor.tolerate(cursor.name, cursor.skip), cursor.place) == (None, 6)
    assert str(cursor.passed[1]) == f"{UNKNOWN} from '1, d' on"
    assert cursor.tolerate(cursor.name, cursor.pass_rest) is None
    assert (cursor.at_end, len(cursor.passed)) == (True, 3)


def test_words_are_noted_once_and_taken_out() -> None:
    cursor = Cursor("a OR REPLACE b OR")
    cursor.read()
    cursor.drop_words("REPLACE", "OR")
    assert ([token.text for token in cursor.tokens], cursor.place) == (["a", "b", "OR", ""], 1)
    assert [problem.missing for problem in cursor.passed if isinstance(problem, UnsupportedStatement)] == ["OR"]
    cursor.drop_words("REPLACE", "OR")
    assert len(cursor.passed) == 1
    assert (cursor.noted("B", "X"), cursor.noted("B", "OR"), cursor.at_end) == (False, True, True)
    assert [str(problem) for problem in cursor.passed][1:] == [f"{UNKNOWN} from 'b OR' on"]


def test_a_part_of_the_text_ends_with_the_last_token() -> None:
    cursor = Cursor("a  (b + 'c') , d")
    cursor.read()
    start = cursor.peek().start
    cursor.pass_parentheses()
    assert cursor.text_since(start) == "(b + 'c')"
    unknown = cursor.unknown("a thing")
    assert (unknown.message, unknown.missing) == ("a thing is not in the model", "a thing")
