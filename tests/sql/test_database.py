"""Database: its views, its names, what it may not do, and its errors."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError, ChecksumError
from pybinlog.simulate import simulate
from pybinlog.sql.database import Database, free, literal
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.sql.databases import database_of, rows_of

CORPUS = TESTDATA / "corpus" / "mysql-9.7"
BASIC = CORPUS / "row-basic" / "binlog.000001"


@pytest.fixture
def database() -> Iterator[Database]:
    with database_of(BASIC) as opened:
        yield opened


def test_the_views_are_those_of_the_logs_and_their_tables(database: Database) -> None:
    names = [name if schema == "main" else f"{schema}.{name}" for schema, name, _ in database.views()]
    assert names == ["events", "rows", "statements", "tables", "transactions", "shop.customer", "shop.orders"]
    assert rows_of(database, "SELECT count(*) FROM rows WHERE \"table\" = 'orders'") == [(11,)]
    assert rows_of(database, "SELECT count(*) FROM shop.orders") == [(11,)]
    assert rows_of(database, "SELECT count(*) FROM SHOP.ORDERS o JOIN transactions t ON o._gtid = t.gtid") == [(11,)]
    (text,) = database.schema("shop.orders")
    assert text.startswith('shop.orders (\n    "id" BIGINT,\n    "customer_id" UINTEGER,\n    "total" DECIMAL(10,2),')
    assert len(list(database.schema(""))) == 7


def test_tables_are_the_groups_of_stats(database: Database) -> None:
    out = real("stats", "--by=database,table", "--format=tsv", "--columns=all", str(BASIC)).out.decode()
    wanted = [line.split("\t")[1:10] for line in out.splitlines()[1:] if "NULL" not in line.split("\t")[1]]
    found = rows_of(
        database,
        "SELECT database || '.' || \"table\", transactions, inserts, updates, deletes, rows, rolled_back, prepared, "
        "statements FROM tables",
    )
    assert sorted([list(map(str, row)) for row in found]) == sorted(wanted)
    assert rows_of(database, "SELECT count(*) FROM tables WHERE rows > 11") == [(1,)]


def test_statements_are_events_with_a_query(database: Database) -> None:
    digests = [digest for (digest,) in rows_of(database, "SELECT digest FROM statements ORDER BY position")]
    assert digests[0] == "CREATE SCHEMA `shop`"
    assert "BEGIN" not in digests
    assert len(digests) == len(set(digests)) == 10


def test_tables_are_looked_for_when_a_query_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    make = Database.make_tables

    def counted(database: Database) -> None:
        asked.append(1)
        make(database)

    monkeypatch.setattr(Database, "make_tables", counted)
    with database_of(BASIC) as database:
        rows_of(database, "SELECT count(*) FROM rows; SELECT * FROM events LIMIT 1")
        assert asked == []
        assert ("orders",) in rows_of(database, "SELECT table_name FROM information_schema.tables")
        assert asked == [1]


def test_names_that_duckdb_does_not_tell_apart_get_a_number(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    statements = "".join(
        f"con1: CREATE DATABASE `{name}`;\n"
        f"con1: CREATE TABLE `{name}`.Orders (a INT PRIMARY KEY);\n"
        f"con1: CREATE TABLE `{name}`.orders (b INT PRIMARY KEY);\n"
        f"con1: INSERT INTO `{name}`.Orders VALUES (1);\ncon1: INSERT INTO `{name}`.orders VALUES (2);\n"
        for name in ("Shop", "main", "shop")
    )
    log.write_bytes(simulate(statements).files["binlog.000001"])
    said: list[str] = []
    with database_of(log, remark=said.append) as database:
        views = [(schema, name) for schema, name, _ in database.views() if schema != "main"]
        assert views == [(schema, name) for schema in ("Shop", "main_2", "shop_2") for name in ("Orders", "orders_2")]
        assert rows_of(database, "SELECT a FROM shop.orders UNION ALL SELECT b FROM main_2.orders_2") == [(1,), (2,)]
    assert said[0].startswith("the table Shop.orders is Shop.orders_2 here, because DuckDB ignores the case of names")
    assert len(said) == 5


def test_free_names_are_different_in_whatever_case() -> None:
    taken = {"main"}
    assert [free(name, taken) for name in ("Main", "main_2", "x", "X", "x")] == [
        "Main_2",
        "main_2_2",
        "x",
        "X_2",
        "x_3",
    ]


@pytest.mark.parametrize(
    "attempt",
    [
        "COPY (SELECT 1) TO {file}",
        "SELECT * FROM read_csv({log})",
        "SELECT * FROM read_text({log})",
        "FROM {log}",
        "ATTACH {file}",
        "EXPORT DATABASE {file}",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_parquet('https://127.0.0.1:1/x.parquet')",
        "SET enable_external_access = true",
        "SET memory_limit = '64GB'",
        "SET temp_directory = {file}",
        "RESET lock_configuration",
        "SELECT * FROM glob({file})",
        "SELECT * FROM sniff_csv({log})",
        "CREATE SECRET s (TYPE s3)",
        "PRAGMA enable_profiling='json'; SET profile_output={file}; SELECT 1",
    ],
)
def test_queries_reach_nothing_but_the_logs(attempt: str, database: Database, tmp_path: Path) -> None:
    file = tmp_path / "x"
    before = BASIC.read_bytes()
    with pytest.raises(BinlogError, match=r"Error"):
        rows_of(database, attempt.format(file=literal(str(file)), log=literal(str(BASIC))))
    assert list(tmp_path.iterdir()) == []
    assert BASIC.read_bytes() == before


def test_variables_of_python_are_no_tables(database: Database) -> None:
    import pyarrow

    frame = pyarrow.table({"a": [1]})
    with pytest.raises(BinlogError, match="frame does not exist"):
        rows_of(database, "SELECT * FROM frame")
    assert frame.num_rows == 1


def test_what_needs_more_memory_goes_to_a_folder_that_is_removed() -> None:
    with database_of(BASIC, memory=60_000_000) as database:
        (folder,) = rows_of(database, "SELECT current_setting('temp_directory')")[0]
        query = (
            "SELECT count(*) FROM (SELECT r::VARCHAR || repeat('x', 40) AS k FROM range(2000000) t(r) ORDER BY hash(k))"
        )
        assert rows_of(database, query) == [(2000000,)]
        parent = Path(folder).parent
        assert parent.is_dir()
    assert not parent.exists()


def test_a_list_that_needs_more_memory_says_how_to_give_it() -> None:
    query = "SELECT len(list(r)) FROM range(20000000) t(r)"
    with database_of(BASIC, memory=1 << 26) as database, pytest.raises(BinlogError) as caught:
        rows_of(database, query)
    assert str(caught.value).startswith("the query needs more memory than it may have")
    assert caught.value.hint == "Give it more, such as --memory=1G"
    with database_of(BASIC, memory=1 << 30) as database:
        assert rows_of(database, query) == [(20000000,)]


def test_errors_are_sentences(database: Database) -> None:
    for query, message in (
        ("SELECT nosuch FROM rows", 'Referenced column "nosuch" not found in FROM clause'),
        ("SELECT FROM WHERE", "Parser Error: syntax error at or near"),
        ("SELECT * FROM shop.order_", "Table with name order_ does not exist. Did you mean"),
        ("SELECT 'x'::INT", "Could not convert string 'x' to INT32"),
    ):
        with pytest.raises(BinlogError) as caught:
            rows_of(database, query)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_error_of_a_log_is_the_readers_own() -> None:
    damaged = CORPUS / "damaged-body" / "binlog.000001"
    with database_of(damaged) as database:
        with pytest.raises(ChecksumError) as caught:
            rows_of(database, "SELECT count(*) FROM rows")
        assert (caught.value.file, caught.value.position) == (str(damaged), 1985)
        assert rows_of(database, "SELECT gtid IS NULL FROM rows LIMIT 1") == [(False,)]
        with pytest.raises(BinlogError, match="nosuch"):
            rows_of(database, "SELECT nosuch FROM rows")


def test_a_table_whose_types_contradict_says_so_when_it_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    log.write_bytes(
        simulate(
            "con1: CREATE DATABASE d;\ncon1: USE d;\ncon1: CREATE TABLE t (a INT PRIMARY KEY, b DATE);\n"
            "con1: INSERT INTO t VALUES (1, NULL);\ncon1: DROP TABLE t;\n"
            "con1: CREATE TABLE t (a INT PRIMARY KEY, b INT);\ncon1: INSERT INTO t VALUES (1, NULL);\n"
        ).files["binlog.000001"]
    )
    with database_of(log) as database:
        assert rows_of(database, "SELECT count(*) FROM rows") == [(2,)]
        with pytest.raises(BinlogError, match="which one column cannot hold"):
            rows_of(database, "SELECT * FROM d.t")


def test_reading_stops_when_a_query_has_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real_open = os.open

    def counted(path: str, *rest: Any, **more: Any) -> int:
        opened.append(str(path))
        return real_open(path, *rest, **more)

    with database_of(*[BASIC.parent.parent / "multi-file" / f"binlog.00000{n}" for n in (1, 2, 3, 4)]) as database:
        monkeypatch.setattr("os.open", counted)
        assert len(rows_of(database, "SELECT * FROM events LIMIT 1")) == 1
        assert {Path(path).name for path in opened if "binlog" in path} < {f"binlog.00000{n}" for n in (1, 2, 3, 4)}


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(BinlogError, match="the time zone 'Mars/Olympus' is unknown"):
        database_of(BASIC, time_zone="Mars/Olympus")
    with database_of(BASIC, time_zone="Europe/Berlin") as database:
        query = "SELECT count(*) FROM rows WHERE timestamp = '2026-11-21 02:22:50'"
        assert rows_of(database, query) == rows_of(database, "SELECT count(*) FROM rows") != [(0,)]
