"""Queries over logs give what they give over the same logs as Parquet files, which DuckDB reads itself."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pybinlog.sql.database import STATEMENTS, Database, literal, quoted
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.sql.databases import database_of, rows_of

CORPUS = TESTDATA / "corpus" / "mysql-9.7"
LOGS = {
    "basic": CORPUS / "row-basic" / "binlog.000001",
    "full": CORPUS / "row-metadata-full" / "binlog.000001",
    "times": CORPUS / "types-time" / "binlog.000001",
    "decimals": CORPUS / "types-decimal-float" / "binlog.000001",
    "json": CORPUS / "types-json" / "binlog.000001",
    "enums": CORPUS / "types-enum-set" / "binlog.000001",
    "xa": CORPUS / "xa" / "binlog.000001",
    "payload": CORPUS / "compression" / "binlog.000001",
    "relay": min((CORPUS / "relay").glob("*.0*")),
    "shop": TESTDATA / "shop" / "binlog.000002",
}
ON_ALL = (Path(__file__).parent / "queries.txt").read_text()
ON_TABLES = (Path(__file__).parent / "table_queries.txt").read_text()
"""Queries, a line each; of tables of one log, after its name."""
ALL = [(name, query) for name in ("basic", "xa", "shop") for query in ON_ALL.strip().splitlines()]
ALL += [tuple(line.split(" ", 1)) for line in ON_TABLES.strip().splitlines()]  # type: ignore[misc]


def test_there_are_sixty_queries() -> None:
    assert len(ON_ALL.strip().splitlines()) + len(ON_TABLES.strip().splitlines()) >= 60


class Pairs:
    """The databases of each log: ours, and DuckDB with views of Parquet files."""

    def __init__(self, stack: ExitStack, folder: Path):
        self._stack = stack
        self._folder = folder
        self._found: dict[str, tuple[Database, Any]] = {}

    def of(self, name: str) -> tuple[Database, Any]:
        if name not in self._found:
            database = self._stack.enter_context(database_of(LOGS[name]))
            files = self._stack.enter_context(pytest.importorskip("duckdb").connect())
            folder = self._folder / name
            folder.mkdir()
            parquet_views(database, files, LOGS[name], folder)
            self._found[name] = database, files
        return self._found[name]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pairs]:
    with ExitStack() as stack:
        yield Pairs(stack, tmp_path_factory.mktemp("parquet"))


def parquet_views(database: Database, files: Any, log: Path, folder: Path) -> None:
    """Make the same views of exported files, with the same types, where Parquet has others."""
    files.execute("SET TimeZone = 'UTC'")
    for schema, view, _ in database.views():
        name = f"{quoted(schema)}.{quoted(view)}"
        if schema == "main" and view not in ("events", "transactions", "rows"):
            continue
        path = folder / f"{schema}.{view}.parquet"
        options = [f"--view={view}"] if schema == "main" else ["--view=table", f"--table=`{schema}`.`{view}`"]
        assert real("export", *options, "-o", str(path), str(log)).status == 0
        of_ours = {
            row[0]: row[1] for row in rows_of(database, f"SELECT column_name, column_type FROM (DESCRIBE {name})")
        }
        of_file = dict(files.execute(f"SELECT name, type FROM parquet_schema({literal(str(path))})").fetchall())
        assert list(of_ours) == [column for column in of_file if column in of_ours]
        columns = []
        for column, type in of_ours.items():
            cell = quoted(column)
            if type == "INTERVAL":
                cell = f"to_microseconds({cell}) AS {cell}"
            elif type == "JSON":
                cell = f"{cell}::JSON AS {cell}"
            columns.append(cell)
        files.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
        files.execute(f"CREATE VIEW {name} AS SELECT {', '.join(columns)} FROM {literal(str(path))}")
    digests = folder / "digests.parquet"
    names = [row[0] for row in rows_of(database, "SELECT column_name FROM (DESCRIBE events)")]
    columns_option = f"--columns={','.join([*names, 'digest'])}"
    assert real("export", columns_option, "-o", str(digests), str(log)).status == 0
    files.execute(f"CREATE VIEW statements AS {STATEMENTS.format(events=literal(str(digests)))}")


@pytest.mark.parametrize(("name", "query"), ALL)
def test_a_query_gives_what_it_gives_of_parquet(name: str, query: str, pairs: Pairs) -> None:
    database, files = pairs.of(name)
    found = rows_of(database, query)
    wanted = [tuple(row.values()) for row in files.sql(with_texts(files, query)).to_arrow_table().to_pylist()]
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))


@pytest.mark.parametrize("name", LOGS)
def test_every_table_has_the_rows_of_its_parquet_file(name: str, pairs: Pairs) -> None:
    database, files = pairs.of(name)
    for schema, view, _ in database.views():
        if schema == "main" and view == "tables":
            continue
        query = f"FROM {quoted(schema)}.{quoted(view)}"
        wide = [
            column
            for column, type in zip(files.sql(query).columns, files.sql(query).types, strict=True)
            if type == "DOUBLE"
        ]
        ours = dict(zip(database_columns(database, query), database_types(database, query), strict=True))
        casts = ", ".join(
            f"printf('%.10e', {quoted(column)}::DOUBLE) AS {quoted(column)}"
            for column in wide
            if ours[column] == "VARCHAR"
        )
        query = f"SELECT * REPLACE ({casts}) {query}" if casts else query
        found = rows_of(database, query)
        wanted = [tuple(row.values()) for row in files.sql(with_texts(files, query)).to_arrow_table().to_pylist()]
        for one, other in zip(found, wanted, strict=True):
            assert [*map(repr, one)] == [*map(repr, other)], query


def database_columns(database: Database, query: str) -> list[str]:
    return [row[0] for row in rows_of(database, f"SELECT column_name FROM (DESCRIBE {query})")]


def database_types(database: Database, query: str) -> list[str]:
    return [row[0] for row in rows_of(database, f"SELECT column_type FROM (DESCRIBE {query})")]


def with_texts(files: Any, query: str) -> str:
    """Return the query with intervals as text, as ours are."""
    relation = files.sql(query)
    texts = ", ".join(
        f"{quoted(column)}::VARCHAR AS {quoted(column)}"
        for column, type in zip(relation.columns, relation.types, strict=True)
        if type == "INTERVAL"
    )
    return f"SELECT * REPLACE ({texts}) FROM ({query})" if texts else query
