"""The sentences of errors, and the words of a caller in their hints."""

from __future__ import annotations

import pytest

from pybinlog.errors import BinlogError, InWords, OutOfMemory, UnsupportedStatement


@pytest.mark.parametrize(
    ("file", "position", "hint", "text"),
    [
        (None, None, None, "it is cut"),
        ("a.000001", None, None, "a.000001: it is cut"),
        ("a.000001", 0, None, "a.000001, at 0: it is cut"),
        (None, 120, "Read it again", "at 120: it is cut. Read it again"),
        ("", None, "Read it again", "it is cut. Read it again"),
    ],
)
def test_an_error_says_where_and_the_way_out(
    file: str | None, position: int | None, hint: str | None, text: str
) -> None:
    error = BinlogError("it is cut", file=file, position=position, hint=hint)
    assert str(error) == text
    assert error.beginning == "It is cut"


def test_a_place_is_filled_in_once() -> None:
    error = BinlogError("it is cut")
    assert error.at("a.000001", 0) is error
    error.at("b.000001", 7)
    assert (error.file, error.position) == ("a.000001", 0)
    assert BinlogError("", hint="x").beginning == ""


@pytest.mark.parametrize(
    ("hint", "heard"),
    [
        ("Give --schema", "Give schema="),
        (
            "Give --schema, or run mysqldump --no-data --databases shop",
            "Give schema=, or run mysqldump --no-data --databases shop",
        ),
        ("Run pybinlog dump -v", "Run pybinlog dump -v"),
        ("Give --force", None),
        ("Give -R", None),
        ("Give a-name, or 1 - 2, or -1", "Give a-name, or 1 - 2, or -1"),
    ],
)
def test_a_hint_has_the_words_of_its_caller_or_is_left_out(hint: str, heard: str | None) -> None:
    with pytest.raises(BinlogError) as caught, InWords({"--schema": "schema="}):
        raise BinlogError("it is cut", hint=hint)
    assert caught.value.hint == heard


def test_other_errors_pass_with_their_words() -> None:
    with pytest.raises(ValueError, match=r"^--schema$"), InWords({"--schema": "schema="}):
        raise ValueError("--schema")


def test_memory_that_is_not_there_is_said_once_with_its_place() -> None:
    error = OutOfMemory.of(MemoryError(), "a.000001", 120)
    assert str(error) == "a.000001, at 120: the last event before this position needs more memory than can be had"
    assert OutOfMemory.of(error, "b.000001", 7) is error


def test_a_statement_that_is_not_supported_says_what_is_missing() -> None:
    error = UnsupportedStatement("no such statement", missing="LOCK", file="a.sql", hint="Leave it out")
    assert (str(error), error.missing, error.position) == ("a.sql: no such statement. Leave it out", "LOCK", None)
