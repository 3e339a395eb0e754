"""Hints of errors name options as their reader knows them: those of the command line, the library's or Spark's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.library import IN_PYTHON
from tests.corpus import PROJECT


def hints(rooms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each hint in the rooms, with its place."""
    for room in rooms:
        for path in sorted((PROJECT / "pybinlog" / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.keyword) and node.arg == "hint":
                    yield f"{path.relative_to(PROJECT)}:{node.value.lineno}", text_of(node.value)
            yield from named_hints(path)


def named_hints(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and any("HINT" in ast.unparse(target) for target in node.targets):
            yield f"{path.relative_to(PROJECT)}:{node.lineno}", text_of(node.value)


def text_of(node: ast.AST) -> str:
    """The text of an expression; a word for each value that is put into it."""
    if isinstance(node, ast.FormattedValue):
        return "zstd"
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(map(text_of, ast.iter_child_nodes(node)))


def test_the_library_has_a_word_for_each_option_of_files() -> None:
    every = list(hints(("catalog", "log", "source", "views")))
    assert len(every) > 30
    lost = [(at, hint) for at, hint in every if IN_PYTHON.hint_of(hint) is None]
    assert [at for at, _ in lost if "/table_" not in at and "/followed" not in at] == []  # which Log has not


def test_the_library_names_no_option_of_connections() -> None:
    with pytest.raises(BinlogError, match=r"^refused$"), IN_PYTHON:
        raise BinlogError("refused", hint="Connect with TLS: --ssl-mode=REQUIRED")
    with pytest.raises(BinlogError, match="pybinlog -R reads it"), IN_PYTHON:
        raise BinlogError("encrypted", hint="Only its server can read it: pybinlog -R reads it from there")


def test_spark_has_a_word_for_each_option_of_its_views() -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pybinlog.spark.data_source.source_options import IN_SPARK

    every = list(hints(("catalog", "views")))
    assert len(every) > 10
    assert [(at, hint) for at, hint in every if IN_SPARK.hint_of(hint) is None] == []
