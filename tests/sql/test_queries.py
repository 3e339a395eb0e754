"""Queries over logs give what they give over the same logs as Parquet files, which DuckDB reads itself."""

from __future__ import annotations

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
ON_ALL = """
SELECT count(*) FROM events
SELECT count(*) FROM rows
SELECT count(*) FROM transactions
SELECT count(*) FROM statements
FROM transactions ORDER BY file, end_position
FROM events ORDER BY position, end_position, event_type
FROM rows ORDER BY position, "row"
FROM statements ORDER BY position, query
SELECT event_type, count(*), sum(size), min(position), max(end_position) FROM events GROUP BY ALL
SELECT event_type, count(*) FROM events WHERE in_payload OR NOT checksum_ok GROUP BY ALL
SELECT "table", operation, count(*) FROM rows GROUP BY ROLLUP ("table", operation)
SELECT DISTINCT gtid FROM rows
SELECT position FROM events WHERE event_type IN ('Query', 'Xid') AND position > 500 AND gtid IS NOT NULL
SELECT position, "row" FROM rows WHERE operation = 'UPDATE' AND "table" <> 'orders'
SELECT "row", before, after FROM rows WHERE operation <> 'INSERT'
SELECT file, position FROM rows WHERE timestamp >= '2026-11-21 01:00:00' AND timestamp < '2026-11-25 00:00:00'
SELECT json_keys(after) AS k, count(*) FROM rows GROUP BY k
SELECT k.key, count(*) FROM rows r, json_each(r.after) k GROUP BY k.key
SELECT json_extract_string(after, '$.id') AS id FROM rows WHERE after->>'$.id' IS NOT NULL
SELECT t.gtid, t.rows, count(r.gtid) FROM transactions t LEFT JOIN rows r ON r.gtid = t.gtid GROUP BY ALL
SELECT event_type, ended, count(*) FROM events JOIN transactions ON transaction_position = start_position GROUP BY ALL
SELECT a.position, b.position FROM rows a JOIN rows b ON a.gtid = b.gtid AND a."row" = b."row" - 1
SELECT position, lag(position) OVER (ORDER BY position) FROM events WHERE NOT in_payload
SELECT gtid, rank() OVER (ORDER BY bytes DESC, start_position) FROM transactions
SELECT position, sum(size) OVER (ORDER BY position, end_position ROWS UNBOUNDED PRECEDING) FROM events
SELECT "table", quantile_disc(position, 0.5) FROM rows GROUP BY "table"
SELECT date_trunc('minute', commit_time) AS m, count(*) FROM transactions GROUP BY m
SELECT commit_time - begin_time AS d, seconds FROM transactions
SELECT extract(epoch FROM commit_time)::BIGINT, strftime(commit_time, '%Y-%m-%d') FROM rows
SELECT max(commit_time), min(commit_time), count(DISTINCT commit_time) FROM rows
SELECT unnest(tables) AS name, count(*) FROM transactions GROUP BY name
SELECT list_contains(tables, 'shop.orders') AS has, count(*) FROM transactions GROUP BY has
SELECT len(tables), ended FROM transactions WHERE len(tables) > 0
SELECT ended, xa_xid, count(*) FROM transactions WHERE xa_xid IS NOT NULL GROUP BY ALL
SELECT k.key, sum(k.value::INT) FROM transactions t, json_each(t.table_rows) k GROUP BY k.key
SELECT digest, count(*) FROM statements GROUP BY digest HAVING count(*) > 1
SELECT query FROM statements WHERE query LIKE '%TABLE%'
SELECT query FROM statements WHERE regexp_matches(query, '^CREATE (TABLE|DATABASE)') AND event_type = 'Query'
SELECT gtid FROM transactions EXCEPT SELECT gtid FROM rows
SELECT gtid FROM transactions INTERSECT SELECT gtid FROM rows
SELECT count(*) FROM rows WHERE gtid = (SELECT max(gtid) FROM transactions)
SELECT count(*) FROM rows WHERE gtid IN (SELECT gtid FROM transactions WHERE rows > 2)
SELECT t.start_position FROM transactions t WHERE NOT EXISTS (FROM rows r WHERE r.gtid = t.gtid)
SELECT t.gtid, x.n FROM transactions t, LATERAL (SELECT count(*) AS n FROM rows r WHERE r.gtid = t.gtid) x
WITH big AS (SELECT * FROM transactions WHERE events > 4) SELECT count(*), avg(bytes) FROM big
SELECT server_id, thread_id, count(*) FROM rows GROUP BY ALL
SELECT metadata, max(len(after::VARCHAR)) FROM rows GROUP BY ALL
SELECT position FROM events WHERE position BETWEEN 400 AND 900 OR "table" = 'orders'
SELECT position FROM events WHERE NOT (position > 400 OR event_type = 'Query')
SELECT count(*) FROM events WHERE "database" = 'shop' AND "table" IS NULL
SELECT count(*) FROM events WHERE "table" IS NULL AND timestamp IS NULL
SELECT count(*) FROM rows WHERE commit_time > '2026-11-21 01:22:50.56' AND commit_time <= '2026-11-21 01:23:30'
SELECT count(*) FROM rows WHERE position % 2 = 1
SELECT CASE operation WHEN 'INSERT' THEN 1 ELSE 2 END AS c, count(*) FROM rows GROUP BY c
"""
ON_TABLES = """
basic SELECT id, total * 2, note FROM shop.orders WHERE total > 10
basic SELECT o.id, c.name FROM shop.orders o JOIN shop.customer c ON c.id = o.customer_id
basic SELECT _op, count(*), sum(total), list(id ORDER BY _sequence) FROM shop.orders GROUP BY _op
basic SELECT id, arg_max(total, _sequence) FROM shop.orders GROUP BY id
basic SELECT id, total - (_before->>'total')::DECIMAL(10,2) FROM shop.orders WHERE _op = 'UPDATE'
basic SELECT id FROM shop.orders WHERE state IN ('new', 'paid') OR flags IS NULL
basic SELECT * EXCLUDE _file FROM shop.customer QUALIFY row_number() OVER (PARTITION BY id ORDER BY _sequence DESC) = 1
shop SELECT o._commit_time, t.bytes FROM shop.orders o JOIN transactions t ON o._gtid = t.gtid WHERE o._op = 'DELETE'
"""
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
