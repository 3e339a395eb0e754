"""The corpus on real servers: after every statement, the tables rebuilt from an export are what SELECT gives."""

import csv
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest

from pybinlog.catalog.script import statements_of
from tests.cli.conftest import real
from tests.corpus import Scenario, scenarios
from tests.export.selected import Rebuilt, SelectedColumn, comparable, exact, image, line, normal, selected_columns
from tests.server import Server, running

pymysql = pytest.importorskip("pymysql", reason="needs PyMySQL")

KINDS = ("types-", "row-metadata-", "row-image-", "partial-json-", "metadata-full")
VALUES = [scenario for scenario in scenarios() if scenario.folder.name.startswith(KINDS)]
ELSEWHERE = ("types-geometry-vector", "metadata-full")
"""Scenarios that servers of the other kind cannot run."""
REPLAYS = [
    (kind, scenario)
    for scenario in VALUES
    for kind in ("mysql", "mariadb")
    if scenario.server.startswith(kind) or scenario.folder.name not in ELSEWHERE
]
SETTINGS = (
    "binlog_row_image", "binlog_row_metadata", "binlog_row_value_options", "character_set_server", "collation_server",
    "explicit_defaults_for_timestamp",
)  # fmt: skip
"""Settings in a scenario's server.txt that new sessions take from the server."""
DEFAULTS = {
    "mysql": {
        "binlog_row_image": "FULL",
        "binlog_row_metadata": "MINIMAL",
        "binlog_row_value_options": "",
        "character_set_server": "utf8mb4",
        "collation_server": "utf8mb4_0900_ai_ci",
        "explicit_defaults_for_timestamp": "ON",
    },
    "mariadb": {
        "binlog_row_image": "FULL",
        "binlog_row_metadata": "NO_LOG",
        "character_set_server": "utf8mb4",
        "collation_server": "utf8mb4_uca1400_ai_ci",
        "explicit_defaults_for_timestamp": "ON",
    },
}
ZERO_DATE = re.compile(r"\d{4}-00-|\d{4}-\d\d-00|0000-")
TABLES = """
SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'
AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
"""
COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = %s AND table_name = %s{}
ORDER BY ordinal_position
"""
COLUMNS_OF = {"mysql": COLUMNS.format(""), "mariadb": COLUMNS.format(" AND extra NOT LIKE '%%GENERATED%%'")}
"""MariaDB does not log generated columns with UPDATE and DELETE."""


@dataclass
class Moment:
    """The tables after a statement, at which the log could end."""

    statement: str
    position: int
    tables: dict[tuple[str, str], tuple[list[SelectedColumn], list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Server]]:
    """Called with a kind: a server of that kind."""
    gtids = {"mysql": ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"], "mariadb": []}
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def of(kind: str) -> Server:
            if kind not in started:
                arguments = ["--binlog-format=ROW", *gtids[kind]]
                started[kind] = stack.enter_context(running(kind, "selected-values", *arguments))
            return started[kind]

        yield of


def settings(scenario: Scenario, kind: str) -> dict[str, str]:
    """The scenario's settings, as far as a server of this kind has them."""
    found = dict(DEFAULTS[kind])
    for text in (scenario.folder / "server.txt").read_text(encoding="utf-8").splitlines():
        name, equals, value = text.partition(" = ")
        if equals and name in SETTINGS and name in found and scenario.server.startswith(kind):
            found[name] = value
    return found


class Replay:
    """A scenario's statements on a server, and what SELECT gives after each of them."""

    def __init__(self, kind: str, server: Server, globals: dict[str, str]):
        self.kind = kind
        self.addresses = globals["binlog_row_metadata"] != "FULL"
        self.server = server
        self.moments: list[Moment] = []
        self.refused: list[str] = []
        with closing(self._connection()) as steering, steering.cursor() as cursor:
            for name, value in globals.items():
                cursor.execute(f"SET GLOBAL {name} = %s", (value,))
            for database in {database for database, _ in self._tables(cursor)}:
                cursor.execute(f"DROP DATABASE `{database}`")
        self.log = server.next_log()

    def _connection(self) -> Any:
        return pymysql.connect(unix_socket=self.server.socket(), user="root", charset="utf8mb4", autocommit=True)

    def _tables(self, cursor: Any) -> list[tuple[str, str]]:
        cursor.execute(TABLES)
        return list(cursor.fetchall())

    def run(self, script: str) -> None:
        with closing(self._connection()) as session, closing(self._connection()) as looking:
            with looking.cursor() as cursor:
                cursor.execute("SET time_zone = '+00:00'")
            inside = False
            for _, statement in statements_of(script):
                text = statement.text.strip() if statement.database is None else f"USE `{statement.database}`"
                try:
                    session.query(text.encode())
                except pymysql.MySQLError as problem:
                    self.refused.append(f"{problem}: {text[:200]}")
                inside = text in ("BEGIN", "START TRANSACTION") or (inside and text not in ("COMMIT", "ROLLBACK"))
                if not inside and not text.startswith(("SET ", "USE ")):
                    with looking.cursor() as cursor:
                        self.moments.append(self._moment(text, cursor))

    def _moment(self, statement: str, cursor: Any) -> Moment:
        cursor.execute("SHOW BINARY LOG STATUS" if self.kind == "mysql" else "SHOW MASTER STATUS")
        log, position, *_ = cursor.fetchone()
        assert log == self.log
        tables = {}
        for database, table in self._tables(cursor):
            cursor.execute(COLUMNS_OF[self.kind], (database, table))
            columns = selected_columns(cursor.fetchall(), addresses=self.addresses)
            cursor.execute(f"SELECT {', '.join(column.select for column in columns)} FROM `{database}`.`{table}`")
            rows = [
                {column.name: column.value(text) for column, text in zip(columns, row, strict=True)}
                for row in cursor.fetchall()
            ]
            tables[database, table] = columns, rows
        return Moment(statement, position, tables)

    def copy(self, folder: Path) -> Path:
        self.server.next_log()
        return Path(shutil.copy(self.server.folder() / self.log, folder))


def exported(log: Path) -> list[dict[str, Any]]:
    done = real("export", "--view=rows", "-o", "-", str(log))
    assert done.status == 0, done.err
    assert "no names" not in done.err
    return [line(text) for text in done.out.decode().splitlines()]


def compare(moments: list[Moment], lines: list[dict[str, Any]]) -> int:
    """Hold the tables after each statement against those rebuilt up to there; how many rows were compared."""
    rebuilt, compared, waiting = Rebuilt(), 0, list(lines)
    for moment in moments:
        while waiting and int(waiting[0]["end_position"].text) <= moment.position:
            rebuilt.take(waiting.pop(0))
        for key in rebuilt.tables.keys() - moment.tables.keys():
            del rebuilt.tables[key]
        for key, (columns, rows) in moment.tables.items():
            found = [
                {column.name: normal(column, row.get(column.name)) for column in columns}
                for row in rebuilt.tables.get(key, [])
            ]
            assert comparable(found) == comparable(rows), f"{key} after {moment.statement[:100]}"
            compared += len(rows)
    assert not waiting
    return compared


def change_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["database"], row["table"], row["operation"], row["before"], row["after"]


@pytest.mark.parametrize(("kind", "scenario"), REPLAYS, ids=str)
def test_what_select_gives_is_what_an_export_has(
    kind: str, scenario: Scenario, servers: Callable[[str], Server], tmp_path: Path
) -> None:
    replay = Replay(kind, servers(kind), settings(scenario, kind))
    replay.run((scenario.folder / "workload.sql").read_text(encoding="utf-8"))
    lines = exported(replay.copy(tmp_path))
    assert compare(replay.moments, lines) > 0
    if scenario.server.startswith(kind):
        assert replay.refused == []
        assert [change_of(row) for row in exported(scenario.logs[0])] == [change_of(row) for row in lines]


@pytest.mark.parametrize("seed", range(3))
def test_addresses_of_mariadb_are_their_text(servers: Callable[[str], Server], seed: int, tmp_path: Path) -> None:
    random = Random(seed)

    def value(size: int) -> bytes:
        """Bytes with runs of zeros, some of them at the end."""
        pairs = [random.choice([b"\0\0", b"\0\0", b"\xff\xff", random.randbytes(2)]) for _ in range(size // 2)]
        return b"".join(pairs)

    def inserted(number: int) -> str:
        found = UUID(bytes=value(16), version=random.randint(1, 5)), IPv4Address(value(4)), IPv6Address(value(16))
        return "({}, '{}', '{}', '{}')".format(number, *found)

    rows = ", ".join(map(inserted, range(200)))
    replay = Replay("mariadb", servers("mariadb"), DEFAULTS["mariadb"])
    replay.run(
        "CREATE DATABASE ad; CREATE TABLE ad.t (id INT PRIMARY KEY, u UUID, i INET4, j INET6);"
        f"INSERT INTO ad.t VALUES {rows}; UPDATE ad.t SET u = NULL, i = NULL WHERE id % 7 = 0;"
    )
    assert not replay.refused
    log = replay.copy(tmp_path)
    assert compare(replay.moments, exported(log)) == 400
    done = real("export", "--view=table", "--table=ad.t", "--format=parquet", "-o", str(tmp_path), str(log))
    assert done.status == 0, done.err
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    found = {row["id"]: row for row in parquet.read_table(tmp_path / f"{log.name}.parquet").to_pylist()}
    _, wanted = replay.moments[-1].tables["ad", "t"]
    for row in wanted:
        assert {name: found[int(row["id"].text)][name] for name in "uij"} == {name: row[name] for name in "uij"}


@pytest.mark.parametrize("scenario", VALUES, ids=str)
def test_csv_and_parquet_have_the_same_values(scenario: Scenario, tmp_path: Path) -> None:
    lines = exported(scenario.logs[0])
    images = [(row["before"], row["after"]) for row in lines]
    options = ("--view=rows", "--columns=before,after", "-o", str(tmp_path), str(scenario.logs[0]))
    assert real("export", "--format=csv", *options).status == 0
    with open(tmp_path / f"{scenario.logs[0].name}.csv", encoding="utf-8", newline="") as file:
        csv.field_size_limit(1 << 24)
        assert [(image(row["before"]), image(row["after"])) for row in csv.DictReader(file)] == images
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    assert real("export", "--format=parquet", *options).status == 0
    table = parquet.read_table(tmp_path / f"{scenario.logs[0].name}.parquet")
    assert [(image(row["before"]), image(row["after"])) for row in table.to_pylist()] == images


@pytest.mark.parametrize("scenario", VALUES, ids=str)
def test_the_view_of_each_table_has_the_same_values(scenario: Scenario) -> None:
    of_tables: dict[str, list[dict[str, Any]]] = {}
    for row in exported(scenario.logs[0]):
        of_tables.setdefault(f"{row['database']}.{row['table']}", []).append(row)
    for table, rows in of_tables.items():
        done = real("export", "--view=table", f"--table={table}", "-o", "-", str(scenario.logs[0]))
        assert done.status == 0, done.err
        found = [dict(exact(text)[1]) for text in done.out.decode().splitlines()]
        found = [row for row in found if row["_sequence"].endswith("1")]  # the others are keys that were changed
        assert len(found) == len(rows)
        for typed, row in zip(found, rows, strict=True):
            assert (typed["_op"], typed["_position"]) == (row["operation"], row["position"])
            whole = (row["before"] or {}) | (row["after"] or {})
            missing = typed["_missing"] or []
            assert {name: typed[name] for name in whole if name not in missing} == {
                name: in_the_table(value) for name, value in whole.items() if name not in missing
            }


def in_the_table(value: Any) -> Any:
    """A value of the view `rows`, as the view of its table has it: bytes as base64 alone, no date of no calendar."""
    if isinstance(value, tuple) and value[1] and value[1][0][0] == "base64":
        return value[1][0][1]
    return None if isinstance(value, str) and ZERO_DATE.match(value) else value
