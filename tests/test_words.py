"""Sentences name options as their reader knows them: those of the command line, the library's or Spark's."""

import ast
import inspect
import re
from collections.abc import Iterator

import pytest

import pybinlog
from pybinlog.cli.options.option import Kind
from pybinlog.cli.program import COMMANDS, command_named
from pybinlog.errors import BinlogError, Face, Hint
from pybinlog.library import IN_PYTHON
from tests.corpus import PROJECT
from tests.prose import texts_of_module

FOR_ALL = ("catalog", "feed", "keyring", "log", "replication", "source", "views", "where")
"""The rooms whose sentences the library and Spark say, too."""
COMMAND = re.compile(
    r"\b(?:pybinlog|mysqldump|mysqlbinlog|mysql|mariadb|zstd|systemctl|useradd)(?: [a-z]+)*(?: --?[\w-]+)+"
)
NAMED = re.compile(r"(?<![\w{-])--([a-z][a-z0-9-]+)")
KEY = re.compile(r"{(?:pybinlog )?(?:[a-z]+ )?--[a-z]")
OF_OTHERS = {"archives"}
"""Options of other programs: of spark-submit."""


def options() -> set[str]:
    """The options of all commands, with the names that switch flags off."""
    declared = [option for name in COMMANDS for option in command_named(name).options]
    return {option.name for option in declared} | {option.off for option in declared if option.kind is Kind.FLAG}


def named(room: str) -> Iterator[tuple[str, str]]:
    """Each option that a message of a room names outside of a command, with its place."""
    for path in sorted((PROJECT / "pybinlog" / room).rglob("*.py")):
        for line, text, is_message in texts_of_module(path.read_text()):
            for name in NAMED.findall(COMMAND.sub("", text)) if is_message and "\n" not in text else ():
                yield f"{path.relative_to(PROJECT)}:{line}", name


def templates(*rooms: str) -> Iterator[tuple[str, str]]:
    """Each hint in the rooms, with its place."""
    for path in (path for room in rooms for path in sorted((PROJECT / "pybinlog" / room).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.search(node.value):
                yield f"{path.relative_to(PROJECT)}:{node.lineno}", node.value


def words(face: Face, template: str) -> str | None:
    """The hint as the face says it."""
    data = dict.fromkeys(re.findall(r"{(\w+)", template), 7)
    with pytest.raises(BinlogError) as caught, face:
        raise BinlogError("it is cut", hint=Hint(template, **data))
    return caught.value.hint


ROOMS = {path.name for path in (PROJECT / "pybinlog").iterdir() if path.is_dir()} - {"cli", "kernel"}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_sentences_name_options_that_a_command_has(room: str) -> None:
    assert {(at, name) for at, name in named(room) if name not in options() | OF_OTHERS} == set()


@pytest.mark.parametrize("room", FOR_ALL)
def test_a_room_below_all_faces_names_options_by_their_keys(room: str) -> None:
    assert [at for at, _ in named(room) if "views/schema.py" not in at] == []  # meanings of columns, for pages
    assert {key for _, template in templates(room) for key in re.findall(r"--([a-z0-9-]+)", template)} <= options()


def test_a_face_has_the_arguments_that_it_names() -> None:
    functions = (pybinlog.open, pybinlog.Log.rows, pybinlog.Log.rows_as_of, pybinlog.Log.table)
    arguments = {name for function in functions for name in inspect.signature(function).parameters}
    assert {word.partition("=")[0] for word in IN_PYTHON.options.values() if "=" in word} <= arguments
    assert {key.lstrip("-") for key in IN_PYTHON.options} - options() == {"p"}


def test_the_library_has_a_word_for_each_option_of_files() -> None:
    every = list(templates("catalog", "feed", "log", "source", "views"))
    assert len(every) > 15
    lost = [at for at, template in every if words(IN_PYTHON, template) is None]
    assert [at for at in lost if "/table_" not in at and "/followed" not in at and "feed/policy" not in at] == []


def test_the_library_names_no_option_of_connections() -> None:
    assert words(IN_PYTHON, "Connect with TLS: {--ssl-mode=}REQUIRED") is None
    assert words(IN_PYTHON, "Only its server can read it: pybinlog -R reads it from there") is not None


def test_spark_has_a_word_for_each_option_of_its_views() -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pybinlog.spark.data_source.source_options import IN_SPARK, OPTIONS

    every = list(templates("catalog", "feed", "keyring", "views"))
    assert len(every) > 10
    assert [at for at, template in every if words(IN_SPARK, template) is None] == []
    assert {word.split()[-1].partition("=")[0] for word in IN_SPARK.options.values() if "=" in word} <= OPTIONS.keys()
    assert {key.lstrip("-") for key in IN_SPARK.options} <= options()
