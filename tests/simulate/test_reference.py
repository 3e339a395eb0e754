"""Simulated logs before the reference mysqlbinlog and a real server.

MYSQLBINLOG is the reference's command. MYSQL is the command of a client (as root) on a server that exists for this test
alone: every database on it is dropped, its GTIDs are reset. It is of version 9.7 and has log_bin and
gtid_mode=ON_PERMISSIVE.
"""

import os
import random
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.simulate import Scenario, Simulation, simulate
from pybinlog.simulate.scenario import Statement
from pybinlog.values.value import to_text
from tests.simulate.documentation import Example, examples
from tests.simulate.replay import folder, replayed
from tests.simulate.test_documentation import run
from tests.simulate.test_interleavings import T_TABLES, TABLES, WITHOUT_GTIDS, scenario

MYSQLBINLOG = shlex.split(os.environ.get("MYSQLBINLOG", ""))
MYSQL = shlex.split(os.environ.get("MYSQL", ""))
WORKLOADS = [
    *(f"mysql-{version}/mixed-engines-{form}" for version in ("5.6", "9.7") for form in ("statement", "row", "mixed")),
    "mysql-5.6/xa",
    "mysql-5.6/rows-query",
    "mysql-9.7/row-basic",
    "mysql-9.7/row-image-minimal",
    "mysql-9.7/rows-query",
    "mysql-9.7/xa",
    "mysql-9.7/xa-statement",
]
DEPENDS_ON_ORDER = ("statement",)
"""With STATEMENT, statements that mix engines do not give the same tables again: what WL#2687 could not mend."""


@pytest.fixture
def reads(tmp_path: Path) -> Callable[[Simulation], bytes]:
    if not MYSQLBINLOG:
        pytest.skip("MYSQLBINLOG does not say where the reference is")

    def read(result: Simulation) -> bytes:
        """The reference's text of the logs, which it finds to be whole."""
        logs = [str(path) for path in result.write(tmp_path, replace=True)[:-1]]
        for options in (["--verify-binlog-checksum", "-vv"], ["--verify-binlog-checksum"]):
            done = subprocess.run(
                [*MYSQLBINLOG, *options, *logs], env={**os.environ, "TZ": "UTC"}, capture_output=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    return read


def sql(text: bytes) -> str:
    done = subprocess.run(
        [*MYSQL, "-N", "-B", "-r", "--default-character-set=utf8mb4", "--binary-mode"],
        input=text,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape")


SYSTEM = "('mysql', 'sys', 'information_schema', 'performance_schema')"


def empty_server() -> None:
    names = sql(f"SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN {SYSTEM}".encode())
    drop = "".join(f"DROP DATABASE `{name}`;" for name in names.split())
    sql(f"SET GLOBAL enforce_gtid_consistency = OFF; {drop} RESET BINARY LOGS AND GTIDS".encode())


def applied(text: bytes, result: Simulation) -> None:
    """Let an empty server apply a log, and compare its tables with the model's."""
    empty_server()
    sql(text)
    there = sql(
        "SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables "
        f"WHERE table_schema NOT IN {SYSTEM} AND table_type = 'BASE TABLE'".encode()
    ).split()
    tables = result.tables()
    assert sorted(there) == sorted(tables)
    for name, rows in tables.items():
        database, table = name.split(".")
        columns = result.server.state.storage.databases[database].tables[table].columns
        values = ", ".join(f"HEX(CONVERT(QUOTE(`{column.name}`) USING utf8mb4))" for column in columns)
        found = [
            "\t".join(bytes.fromhex(part).decode("utf-8", "surrogateescape") for part in line.split("\t"))
            for line in sql(f"SELECT {values} FROM `{database}`.`{table}`".encode()).splitlines()
        ]
        assert sorted(found) == sorted("\t".join(map(quoted, row)) for row in rows), name


def quoted(value: object) -> str:
    """As QUOTE() gives a value."""
    if value is None:
        return "NULL"
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else to_text(value)
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0").replace("\x1a", "\\Z") + "'"


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_workloads_of_the_corpus(name: str, reads: Callable[[Simulation], bytes]) -> None:
    result = replayed(folder(name))
    text = reads(result)
    if MYSQL and not name.endswith(DEPENDS_ON_ORDER):
        applied(text, result)


@pytest.mark.parametrize("example", examples(), ids=repr)
def test_the_scenarios_of_the_documentation(example: Example, reads: Callable[[Simulation], bytes]) -> None:
    result = run(example)
    text = reads(result)
    if MYSQL and "STATEMENT" not in f"{example.settings} {example.scenario.decode()}":
        applied(text, result)


STATEMENTS = [
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "ROLLBACK TO a",
    "SET autocommit = 0",
    "SET autocommit = 1",
    *(f"INSERT INTO {table} VALUES @new, @new" for table in TABLES),
    *(f"INSERT INTO {table} VALUES @new, (1, 0)" for table in T_TABLES),
    *(f"UPDATE {table} SET v = v + 1 WHERE id = {row}" for table in TABLES for row in (1, 2, 3)),
    *(f"DELETE FROM {table} WHERE id = {row}" for table in TABLES for row in (2, 3)),
    "UPDATE t1, n1 SET t1.v = t1.v + 10, n1.v = n1.v + 10 WHERE t1.id = 1 AND n1.id = 1",
    "INSERT INTO n2 SELECT id + 500, v FROM t2 WHERE id = 3",
    *(f"XA {word} '{name}'" for word in ("START", "END", "PREPARE", "COMMIT", "ROLLBACK") for name in "xy"),
]


@pytest.mark.parametrize("seed", range(12))
def test_random_interleavings(seed: int, reads: Callable[[Simulation], bytes]) -> None:
    generator = random.Random(seed)
    chosen = [(f"con{generator.randrange(1, 5)}", generator.choice(STATEMENTS)) for _ in range(60)]
    form, version = generator.choice(["ROW", "MIXED"]), generator.choice(["5.6", WITHOUT_GTIDS, "9.7"])
    run = finished(scenario(form, version, chosen, more=f"markers={generator.choice(['on', 'off'])}"))
    result = simulate(run)
    text = reads(result)
    if MYSQL:
        applied(text, result)


def finished(run: Scenario) -> Scenario:
    """The same, with XA transactions rolled back that stay prepared: on a real server they would hold their locks."""
    left = simulate(run).server.state.xa.prepared
    run.steps += [Statement(0, "con5", f"XA ROLLBACK {xid}".encode(), None) for xid in left]
    return run
