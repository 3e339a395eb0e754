"""`check --replica`: which servers do not know what is in a log. docs/check.md says what was tried on servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pybinlog.check.replicas import REPLICAS, Replica
from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventFlag, EventType
from tests.cli.conftest import real
from tests.corpus import TESTDATA, scenarios
from tests.layout.log_builder import MYSQL_9_7, LogBuilder

CORPUS = TESTDATA / "corpus"


def found(replica: str, log: Path) -> list[tuple[str, int, str]]:
    """Code, position and event of each finding."""
    lines = real("check", "--select=V", f"--replica={replica}", "--limit=0", str(log)).out.decode().splitlines()
    heads = [line.removeprefix(f"{log}:").split(" ") for line in lines if line.startswith(f"{log}:")]
    return [(head[2], int(head[0].rstrip(":")), head[3].rstrip(":")) for head in heads]


@pytest.mark.parametrize(
    ("scenario", "stops"),
    [
        ("row-basic", None),
        ("rows-query", None),
        ("compression", (643, "Transaction_payload")),
        ("tagged-gtid", (833, "Gtid_tagged_log_event")),
        ("partial-json-full", (739, "Table_map")),
        ("types-json", (689, "Table_map")),
    ],
)
def test_where_mariadb_stopped_when_it_was_tried(scenario: str, stops: tuple[int, str] | None) -> None:
    findings = found("mariadb-11.8", CORPUS / "mysql-9.7" / scenario / "binlog.000001")
    assert next(((at, kind) for code, at, kind in findings if code == "V001"), None) == stops
    assert [kind for code, _, kind in findings if code == "V002"][:2] == ["Previous_gtids", "Gtid"]


@pytest.mark.parametrize("more", [2, ColumnType.VECTOR - 1, 300], ids=["few", "as many as VECTOR's number", "many"])
@pytest.mark.parametrize("last", [ColumnType.VECTOR, ColumnType.JSON, ColumnType.LONG])
def test_the_type_of_every_column_counts(last: ColumnType, more: int, tmp_path: Path) -> None:
    """The last one is found, and the number of columns is not taken for a type."""
    metadata = {"length_bytes": 4} if last is not ColumnType.LONG else None
    columns = [(ColumnType.LONG, None)] * more + [(last, metadata)]
    log = tmp_path / "binlog.000001"
    builder = LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).begin().table_map(columns)
    log.write_bytes(
        builder.rows(EventType.WRITE_ROWS, bytes([255] * (more // 8 + 1)), more + 1).commit(7).rotate().data
    )
    text = real("check", "--select=V", "--replica=5.6", str(log)).out.decode()
    assert re.findall("no columns of type ([A-Z]+)", text) == ([] if last is ColumnType.LONG else [last.name])


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact], ids=lambda s: s.name)
def test_a_server_knows_what_its_own_series_wrote(scenario: object) -> None:
    server, series = scenario.name.partition("/")[0].split("-")  # type: ignore[attr-defined]
    own = f"mariadb-{series}" if server == "mariadb" else series
    for log in scenario.logs:  # type: ignore[attr-defined]
        assert found(own, log) == []


def test_each_kind_of_event_is_said_once_for_each_log() -> None:
    findings = found("5.5", CORPUS / "mysql-9.7" / "compression" / "binlog.000001")
    kinds = [kind for _, _, kind in findings]
    assert len(kinds) == len(set(kinds))
    assert {"Gtid", "Transaction_payload", "Write_rows", "Rows_query", "XA_prepare"} <= set(kinds)


def test_events_inside_a_payload_are_looked_at() -> None:
    findings = found("5.5", CORPUS / "mysql-9.7" / "compression" / "binlog.000001")
    payload = next(at for _, at, kind in findings if kind == "Transaction_payload")
    assert ("V001", payload, "Write_rows") in findings


def test_the_flag_counts_from_5_6_on() -> None:
    log = TESTDATA / "unseen" / "unknown_ignorable" / "binlog.000001"
    assert {code for code, _, kind in found("5.5", log) if kind == "Ignorable"} == {"V001"}
    assert {code for code, _, kind in found("5.6", log) if kind == "Ignorable"} == {"V002"}
    assert not Replica.of("5.5").ignores(77, EventFlag.IGNORABLE)
    assert Replica.of("mariadb-10.11").ignores(EventType.GTID, 0)


def test_without_the_option_nothing_is_found() -> None:
    log = str(CORPUS / "mysql-9.7" / "compression" / "binlog.000001")
    assert real("check", "--select=V", log).out.startswith(b"No findings in ")


def test_in_several_processes_it_is_the_same() -> None:
    logs = [str(CORPUS / "mysql-9.7" / name / "binlog.000001") for name in ("compression", "tagged-gtid")]
    alone = real("check", "--select=V", "--replica=5.7", *logs)
    assert real("check", "--select=V", "--replica=5.7", "--jobs=2", *logs) == alone
    assert alone.status == 1


def test_names_of_servers() -> None:
    assert [str(Replica.of(name)) for name in ("5.7", "8.0.36", "mysql-9.7", "MariaDB-10.11")] == [
        "MySQL 5.7",
        "MySQL 8.0",
        "MySQL 9.7",
        "MariaDB 10.11",
    ]
    assert len({Replica.of(name) for name in REPLICAS}) == len(REPLICAS)
    for name in ("5.1", "10.11", "mariadb-5.5", "latest", "8"):
        found = real("check", f"--replica={name}", "no.such.log")
        assert (found.status, found.out) == (2, b"")
        assert found.err.startswith("ERROR: ")
