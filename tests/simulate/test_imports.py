"""Which rooms know which: schema, values and simulate, and no circle of modules among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.corpus import PROJECT

ROOMS = ("schema", "values", "simulate")
PACKAGE = PROJECT / "pybinlog"
FILES = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]


def name_of(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def imports_of(path: Path) -> Iterator[str]:
    """The modules that a file imports, in functions and under TYPE_CHECKING, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, path
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else str(node.module)


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: set(imports_of(path)) & set(MODULES) - {name} for name, path in MODULES.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES) > 60


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_know_only_those_below_them(room: str) -> None:
    above = {f"pybinlog.{other}" for other in ROOMS[ROOMS.index(room) + 1 :]}
    for path in (PACKAGE / room).rglob("*.py"):
        for name in imports_of(path):
            assert not any(name == other or name.startswith(f"{other}.") for other in above), path


def test_tables_know_nothing_of_statements_and_statements_nothing_of_logs() -> None:
    for room, unknown in (("tables", ("sql", "log")), ("sql", ("log",))):
        for path in (PACKAGE / "simulate" / room).rglob("*.py"):
            for name in imports_of(path):
                assert not name.startswith(tuple(f"pybinlog.simulate.{other}" for other in unknown)), path


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = {path.parent for path in FILES}
    counts = {folder.name: len([path for path in folder.glob("*.py") if path.stem != "__init__"]) for folder in folders}
    assert max(counts.values()) <= 20, counts
