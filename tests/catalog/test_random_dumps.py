"""A dump of any moment, with logs of any statements: the names of columns are right, or absent."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.catalog import Catalog
from pybinlog.feed.span import spans
from pybinlog.simulate import simulate
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.views.expected import read

NAMES = "abcdef"


class Table:
    """A table of integers, under the statements that change it: no type tells its columns apart."""

    def __init__(self) -> None:
        self.name = "t"
        self.columns = ["a", "b", "c"]
        self.rows = 0
        self.inserted: list[list[str]] = []
        """The columns that each row had when it was inserted."""

    def change(self, draw: Any) -> str:
        """A statement that applies to it."""
        free = [name for name in NAMES if name not in self.columns]
        kinds = ["insert", "insert", "rename table", "create", "nothing"]
        kinds += ["add", "add after", "rename"] if free else []
        kinds += ["drop", "move"] if len(self.columns) > 1 else []
        kind = draw(st.sampled_from(kinds))
        column = draw(st.sampled_from(self.columns))
        if kind == "insert":
            self.rows += 1
            self.inserted.append(list(self.columns))
            return f"INSERT INTO {self.name} VALUES ({', '.join(str(self.rows) for _ in self.columns)})"
        if kind == "rename table":
            old, self.name = self.name, "u" if self.name == "t" else "t"
            return f"RENAME TABLE {old} TO {self.name}"
        if kind == "create":
            self.columns = draw(st.permutations(NAMES))[:3]
            return f"DROP TABLE {self.name};\n{self.definition}"
        if kind == "nothing":
            return f"ALTER TABLE {self.name} MODIFY {column} INT"
        if kind == "drop":
            self.columns.remove(column)
            return f"ALTER TABLE {self.name} DROP COLUMN {column}"
        if kind == "move":
            self.columns.remove(column)
            self.columns.insert(0, column)
            return f"ALTER TABLE {self.name} MODIFY {column} INT FIRST"
        new = draw(st.sampled_from(free))
        if kind == "rename":
            self.columns[self.columns.index(column)] = new
            how = draw(st.sampled_from([f"RENAME COLUMN {column} TO {new}", f"CHANGE {column} {new} INT"]))
            return f"ALTER TABLE {self.name} {how}"
        if kind == "add":
            self.columns.append(new)
            return f"ALTER TABLE {self.name} ADD COLUMN {new} INT"
        self.columns.insert(self.columns.index(column) + 1, new)
        return f"ALTER TABLE {self.name} ADD COLUMN {new} INT AFTER {column}"

    @property
    def definition(self) -> str:
        return f"CREATE TABLE {self.name} ({', '.join(f'{name} INT' for name in self.columns)})"


@st.composite
def histories(draw: Any) -> tuple[list[str], list[str], list[list[str]]]:
    """Statements of a log, the definition of the table before each and after the last, and the columns of its rows."""
    table = Table()
    statements, definitions = [], [table.definition]
    for _ in range(draw(st.integers(1, 9))):
        statements.append(table.change(draw))
        definitions.append(table.definition)
    return statements, definitions, table.inserted


def names(log: Path, catalog: Catalog | None) -> list[list[str]]:
    found = []
    along = None if catalog is None else CatalogsAlong(catalog, spans([str(log)]))
    for span in spans([str(log)]):
        known = None if along is None else along(span)
        for row in read(ViewReader(ViewOptions(view="rows"), catalog=known), span):
            found.append(list(row["after"]))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


def written(folder: Path, metadata: str, statements: list[str]) -> Path:
    """The log of these statements, with the names of all columns or without."""
    text = ";\n".join([f"-- server: row_metadata={metadata}\nCREATE DATABASE d", "USE d", *statements]) + ";\n"
    log = folder / "binlog.000002"
    log.write_bytes(simulate(text).files[log.name])
    return log


@settings(max_examples=100)
@given(history=histories(), data=st.data())
def test_names_are_right_or_absent(
    history: tuple[list[str], list[str], list[list[str]]], data: Any, folder: Path
) -> None:
    statements, definitions, truth = history
    dump = data.draw(st.sampled_from(definitions))
    log = written(folder, "minimal", [definitions[0], "FLUSH BINARY LOGS", *statements])
    for end, schema in (("start", definitions[0]), ("end", definitions[-1]), (None, dump)):
        catalog = Catalog()
        catalog.schema_of = end
        catalog.read("dump.sql", f"USE d;\n{schema};\n")
        found = names(log, catalog)
        assert len(found) == len(truth)
        for one, wanted in zip(found, truth, strict=True):
            assert one == wanted or all(name.startswith("@") for name in one), (end, schema)
        if end == "start":
            assert found == truth


@settings(max_examples=20)
@given(history=histories())
def test_the_names_of_the_test_are_those_of_the_server(
    history: tuple[list[str], list[str], list[list[str]]], folder: Path
) -> None:
    statements, definitions, truth = history
    assert names(written(folder, "full", [definitions[0], "FLUSH BINARY LOGS", *statements]), None) == truth
