"""The column `digest` of the views events and rows: the digest of each statement, if a query names it."""

import json
from pathlib import Path

import pytest

import pybinlog
from pybinlog.digest import digest_text
from pybinlog.event_types import EventType
from pybinlog.layout.query import StatusVar
from pybinlog.views.schema import VIEWS
from tests.cli.conftest import real
from tests.corpus import TESTDATA

CORPUS = TESTDATA / "corpus"
LOGS = [
    "mysql-9.7/rows-query/binlog.000001",
    "mysql-9.7/compression/binlog.000001",
    "mysql-9.7/statement/binlog.000001",
    "mysql-9.7/load-data/binlog.000001",
    "mysql-5.6/rows-query/mysql-bin.000001",
    "mariadb-10.11/annotate/mariadb-bin.000001",
    "mariadb-10.11/compressed-statement/mariadb-bin.000001",
    "mariadb-11.8/mixed/mariadb-bin.000001",
]


def exported(view: str, columns: str, log: Path, *more: str) -> list[list[str | None]]:
    found = real("export", f"--view={view}", f"--columns={columns}", "-o", "-", *more, str(log))
    assert found.status == 0, found.err
    return [list(json.loads(line).values()) for line in found.out.splitlines()]


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("view", [["events"], ["rows"], ["rows", "--ddl"]], ids=" ".join)
def test_it_is_the_digest_of_the_query(name: str, view: list[str]) -> None:
    log = CORPUS / name
    both = exported(view[0], "query,digest", log, *view[1:])
    expected = [(query and digest_text(query.encode())) or None for query, _ in both]
    assert [digest for _, digest in both] == expected
    assert any(expected) or view == ["rows"]
    assert [digest for (digest,) in exported(view[0], "digest", log, *view[1:])] == expected


@pytest.mark.parametrize("command", ["events", "rows"])
def test_it_comes_only_if_it_is_named(command: str) -> None:
    log = str(CORPUS / LOGS[0])
    assert "digest" not in VIEWS[command].column_names
    for arguments in (["--format=csv"], ["--format=csv", "--columns=all"], ["--format=tsv", "--columns=all"]):
        assert b"digest" not in real(command, *arguments, log).out.splitlines()[0].lower()
    named = real(command, "--format=csv", "--columns=digest,position", "--sort=digest", log).out.splitlines()
    assert named[0] == b'"digest","position"'
    assert named[1:] == sorted(named[1:], key=lambda line: line.rpartition(b",")[0].strip(b'"'))


def test_a_table_shows_it_beside_the_servers_columns() -> None:
    shown = real("events", "--format=tsv", "--columns=Event_type,Digest", str(CORPUS / LOGS[0])).out.splitlines()
    assert b"Rows_query\tINSERT INTO `t` VALUES (...) /* , ... */" in shown
    assert b"Xid\tNULL" in shown


@pytest.mark.parametrize("name", [name for name in LOGS if "compression" not in name])
def test_events_have_the_sql_mode_of_each_query(name: str) -> None:
    log = CORPUS / name
    expected = [
        next((item.value for item in event.body.status_vars if item.code == StatusVar.SQL_MODE), None)
        for event in pybinlog.open(log)
        if event.type == EventType.QUERY
    ]
    found = exported("events", "event_type,sql_mode", log)
    assert [mode for kind, mode in found if kind == "Query"] == expected
    assert expected or all(mode is None for _, mode in found)
    assert {mode for kind, mode in found if kind in ("Xid", "Table_map", "Rows_query")} <= {None}
