"""The sentences of errors, and the words of a caller in their hints."""

import pickle

import pytest

from pybinlog.errors import BinlogError, Face, Hint, OutOfMemory, UnsupportedStatement


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


IN_PYTHON = Face({"--schema": "schema=", "--force": "force=True"})


@pytest.mark.parametrize(
    ("template", "typed", "heard"),
    [
        ("Give {--schema}", "Give --schema", "Give schema="),
        (
            "Give {--schema=}FILE or {--schema }FILE",
            "Give --schema=FILE or --schema FILE",
            "Give schema=FILE or schema=FILE",
        ),
        ("`{pybinlog dump --force}` reads {log}", "`pybinlog dump --force` reads {--x}[", "`force=True` reads {--x}["),
        ("Run mysqldump --no-data", "Run mysqldump --no-data", "Run mysqldump --no-data"),
        ("Give {--index}", "Give --index", None),
        ("Give the log[, or {--index}]", "Give the log, or --index", "Give the log"),
        ("[Give {--index}, or ]use {--force}", "Give --index, or use --force", "Use force=True"),
        ("{part} of {log}", "--schema of {--x}[", "schema= of {--x}["),
    ],
)
def test_a_face_words_the_options_of_a_hint_or_leaves_it_out(template: str, typed: str, heard: str | None) -> None:
    hint = Hint(template, log="{--x}[", part=Hint("{--schema}"))
    assert hint == typed
    for one in (hint, pickle.loads(pickle.dumps(hint))):
        with pytest.raises(BinlogError) as caught, IN_PYTHON:
            raise BinlogError("it is cut", hint=one)
        assert caught.value.hint == heard
        assert IN_PYTHON.words(one) == (heard or typed)


def test_other_sentences_pass_with_their_words() -> None:
    with pytest.raises(BinlogError, match=r"^x. Give --schema$"), IN_PYTHON:
        raise BinlogError("x", hint="Give --schema")
    with pytest.raises(ValueError, match=r"^--schema$"), IN_PYTHON:
        raise ValueError("--schema")


def test_memory_that_is_not_there_is_said_once_with_its_place() -> None:
    error = OutOfMemory.of(MemoryError(), "a.000001", 120)
    assert str(error) == "a.000001, at 120: the last event before this position needs more memory than can be had"
    assert OutOfMemory.of(error, "b.000001", 7) is error


def test_a_statement_that_is_not_supported_says_what_is_missing() -> None:
    error = UnsupportedStatement("no such statement", missing="LOCK", file="a.sql", hint="Leave it out")
    assert (str(error), error.missing, error.position) == ("a.sql: no such statement. Leave it out", "LOCK", None)
