"""`check --replica`: which servers do not know what is in a log. docs/check.md says what was tried on servers."""

import re
import struct
from pathlib import Path

import pytest

from pybinlog.check import CheckOptions
from pybinlog.check.replicas import REPLICAS, Replica
from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import Format
from tests.check.logs import Folder
from tests.cli.conftest import real
from tests.corpus import TESTDATA, scenarios
from tests.dump.log_parts import events_of, joined
from tests.layout.log_builder import MYSQL_5_5, MYSQL_5_6, MYSQL_9_7, LogBuilder

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


@pytest.mark.parametrize("more", [2, ColumnType.VECTOR - 1, 249, 250, 300])
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


EARLIEST = {
    EventType.INCIDENT: ("5.5", "mariadb-10.0"),
    EventType.IGNORABLE: ("5.6", "mariadb-10.0"),
    EventType.ROWS_QUERY: ("5.6", None),
    EventType.WRITE_ROWS: ("5.6", "mariadb-10.0"),
    EventType.UPDATE_ROWS: ("5.6", "mariadb-10.0"),
    EventType.DELETE_ROWS: ("5.6", "mariadb-10.0"),
    EventType.GTID: ("5.6", None),
    EventType.ANONYMOUS_GTID: ("5.6", None),
    EventType.PREVIOUS_GTIDS: ("5.6", None),
    EventType.VIEW_CHANGE: ("5.7", None),
    EventType.TRANSACTION_CONTEXT: ("5.7", None),
    EventType.XA_PREPARE: ("5.7", "mariadb-10.5"),
    EventType.PARTIAL_UPDATE_ROWS: ("8.0", None),
    EventType.TRANSACTION_PAYLOAD: ("8.0", None),
    EventType.HEARTBEAT_V2: ("8.0", None),
    EventType.GTID_TAGGED: ("8.3", None),
    EventType.GTID_TAGGED + 1: (None, None),
    EventType.MARIA_ANNOTATE_ROWS - 1: (None, None),
    EventType.MARIA_ANNOTATE_ROWS: (None, "mariadb-10.0"),
    EventType.MARIA_PARTIAL_ROWS: (None, "mariadb-12.3"),
    255: (None, "mariadb-10.0"),
}
SERIES = [
    ["5.5", "5.6", "5.7", "8.0", "8.2", "8.3", "8.4", "9.0", "9.7"],
    ["mariadb-10.0", "mariadb-10.3", "mariadb-10.4", "mariadb-10.5", "mariadb-11.8", "mariadb-12.0", "mariadb-12.3"],
]


@pytest.mark.parametrize("code", EARLIEST)
def test_the_first_series_that_knows_a_type(code: int) -> None:
    known = tuple(next((name for name in names if Replica.of(name).knows(code)), None) for names in SERIES)
    assert known == EARLIEST[code]


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        (16, ("5.5", "mariadb-10.0")),
        (17, ("5.6", "mariadb-10.0")),
        (18, ("5.6", "mariadb-10.0")),
        (19, ("5.6", "mariadb-10.0")),
        (140, (None, "mariadb-10.3")),
        (141, (None, "mariadb-10.3")),
        (242, ("9.0", None)),
        (245, ("5.7", None)),
    ],
)
def test_the_first_series_that_has_a_type_of_column(kind: int, first: tuple[str | None, str | None]) -> None:
    assert tuple(next((n for n in names if Replica.of(n).knows_column(kind)), None) for names in SERIES) == first


@pytest.mark.parametrize(
    ("replica", "code", "flags", "ignored"),
    [
        ("5.5", 77, EventFlag.IGNORABLE, False),
        ("5.6", 77, EventFlag.IGNORABLE, True),
        ("5.6", 77, 0, False),
        ("9.7", EventType.GTID, 0, False),
        ("mariadb-10.0", 77, EventFlag.IGNORABLE, True),
        ("mariadb-10.0", 77, 0, False),
        ("mariadb-10.0", EventType.VIEW_CHANGE, 0, True),
        ("mariadb-10.0", EventType.GTID_TAGGED, 0, False),
    ],
)
def test_what_a_server_ignores(replica: str, code: int, flags: int, ignored: bool) -> None:
    assert Replica.of(replica).ignores(code, flags) is ignored


SERVERS = "the servers are MySQL 5.5 to 9.x and mariadb-10.0 and later"
NAMES = "5.5, 5.6, 5.7, 8.0, 8.4, 9.7, mariadb-10.5, mariadb-10.6, mariadb-10.11, mariadb-11.4, mariadb-11.8"


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("5.4", f"'5.4': {SERVERS}"),
        (" 5.5 ", "MySQL 5.5"),
        ("9.99", "MySQL 9.99"),
        ("10.0", f"'10.0': {SERVERS}"),
        ("mariadb-9.9", f"'mariadb-9.9': {SERVERS}"),
        ("mariadb-10.0", "MariaDB 10.0"),
        ("MARIADB-99.9.12", "MariaDB 99.9"),
        ("mysql-10.1", f"'mysql-10.1': {SERVERS}"),
        ("100.1", f"'100.1' is not a server; name one such as {NAMES}"),
        ("8.100", f"'8.100' is not a server; name one such as {NAMES}"),
        ("8.0.", f"'8.0.' is not a server; name one such as {NAMES}"),
    ],
)
def test_the_bounds_of_versions(name: str, server: str) -> None:
    def named() -> str:
        try:
            return str(Replica.of(name))
        except ValueError as error:
            return str(error)

    assert named() == server


def messages(log: bytes, folder: Path, *replicas: str) -> list[tuple[str, str]]:
    options = CheckOptions(select=("V",), replicas=tuple(map(Replica.of, replicas)))
    return [(finding.code, finding.message) for finding in Folder(folder).check(log, options=options)]


def test_what_becomes_of_each_event_at_each_server(tmp_path: Path) -> None:
    gtid = "does not know Gtid events, and stops here."
    assert messages(LogBuilder(MYSQL_9_7).previous_gtids().gtid(1).query("SELECT 1").data, tmp_path, "5.5", "5.6") == [
        ("V001", "MySQL 5.5 does not know Previous_gtids events, and stops here."),
        ("V001", f"MySQL 5.5 {gtid}"),
    ]
    unknown = (TESTDATA / "unseen" / "unknown_not_ignorable" / "binlog.000001").read_bytes()
    for code in 77, 255:
        log = joined(event[:4] + bytes([code]) + event[5:] if event[4] == 77 else event for event in events_of(unknown))
        found = messages(log, tmp_path, "9.7")
        assert found == [("V001", f"MySQL 9.7 does not know type {code} events, and stops here.")]
    rows = LogBuilder(MYSQL_5_6).begin().table_map([(ColumnType.LONG, None)])
    rows.rows(EventType.WRITE_ROWS, bytes([254, 1, 0, 0, 0]), 1).commit(7)
    way_out = "A source before 8.3 writes none with log_bin_use_v1_row_events=ON."
    assert messages(rows.data, tmp_path, "5.5", "mariadb-10.0") == [
        ("V001", f"MySQL 5.5 does not know Write_rows events, and stops here. {way_out}")
    ]


def test_a_type_of_column_is_told_of_each_server_once(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_5_6).begin()
    for kind in (ColumnType.TIMESTAMP2, ColumnType.TIMESTAMP2, ColumnType.DATETIME2):
        builder.table_map([(kind, {"decimals": 0})])
    has_none = "and stops at the rows of this table."
    assert messages(builder.data, tmp_path, "5.5", "5.6", "mariadb-10.0") == [
        ("V001", f"MySQL 5.5 has no columns of type TIMESTAMP with fractions, {has_none}"),
        ("V001", f"MySQL 5.5 has no columns of type DATETIME with fractions, {has_none}"),
    ]
    assert messages(builder.data, tmp_path, "5.6", "mariadb-10.0") == []


def test_a_table_map_that_is_cut_has_no_types(tmp_path: Path) -> None:
    builder = LogBuilder(MYSQL_5_6.without_checksum()).begin()
    whole = builder.table_map([(ColumnType.JSON, {"length_bytes": 4})] * 3).data
    assert [code for code, _ in messages(whole, tmp_path, "5.6")] == ["V001"]
    start = len(LogBuilder(MYSQL_5_6.without_checksum()).begin().data)
    found = {}
    for size in range(27, len(whole) - start + 1):
        cut = whole[: start + 9] + struct.pack("<II", size, start + size) + whole[start + 17 : start + size]
        found[size] = len(messages(cut, tmp_path, "5.6"))
    names_and_count = 27 + len("\4test\0" + "\1t\0" + "\3")
    assert found == {size: size > names_and_count for size in found}


@pytest.mark.parametrize(
    ("count", "found"),
    [(b"\xfc\3\0", 1), (b"\xfd\3\0\0", 1), (b"\xfe\3" + bytes(7), 1), (b"\xfd\2\0\0", 0), (b"\xfb", 0), (b"\2", 0)],
)
def test_the_number_of_columns_may_have_more_bytes(count: bytes, found: int, tmp_path: Path) -> None:
    plain = MYSQL_5_6.without_checksum()
    start = len(LogBuilder(plain).begin().data)
    columns = [(ColumnType.LONG, None), (ColumnType.LONG, None), (ColumnType.JSON, {"length_bytes": 4})]
    event = LogBuilder(plain).begin().table_map(columns).data[start:]
    at = event.index(b"\1t\0\3") + 3
    event = event[:at] + count + event[at + 1 :]
    event = event[:9] + struct.pack("<II", len(event), start + len(event)) + event[17:]
    assert len(messages(LogBuilder(plain).begin().data + event, tmp_path, "5.6")) == found


@pytest.mark.parametrize("post_header", [6, 8])
def test_the_tables_id_of_old_servers_is_shorter(post_header: int, tmp_path: Path) -> None:
    lengths = bytearray(MYSQL_5_5.post_header_lengths)
    lengths[EventType.TABLE_MAP - 1] = post_header
    builder = LogBuilder(Format.of("5.5.62", post_header_lengths=bytes(lengths))).begin()
    builder.table_map([(ColumnType.LONG, None), (ColumnType.TIMESTAMP2, {"decimals": 0})])
    assert len(messages(builder.data, tmp_path, "5.5")) == 1
