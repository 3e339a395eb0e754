"""Row events that take back those of a log, the last first: header, Table_map, bitmaps and images."""

import re
from base64 import b64decode
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import pybinlog
from pybinlog.event_types import EventType
from pybinlog.kernel.rows.row_values import event_rows
from pybinlog.layout import crc32
from pybinlog.simulate import simulate
from tests.check.logs import changed, events_of, joined, signed
from tests.check.payloads import lenenc, read_lenenc
from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.kernel.rows.row_events import TABLE_MAP, events, row_events
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image

OLD_WRITE, OLD_UPDATE, OLD_DELETE, WRITE, UPDATE, DELETE, PARTIAL_UPDATE = 23, 24, 25, 30, 31, 32, 39
TURNED = {
    OLD_WRITE: OLD_DELETE, OLD_UPDATE: OLD_UPDATE, OLD_DELETE: OLD_WRITE,
    WRITE: DELETE, UPDATE: UPDATE, DELETE: WRITE, PARTIAL_UPDATE: UPDATE,
}  # fmt: skip
UPDATES = OLD_UPDATE, UPDATE, PARTIAL_UPDATE
JSON = 245
LOGS = [
    "undo/json-types.000001",
    "undo/mariadb-full-nodup/binlog.000001",
    "undo/mariadb-generated/binlog.000001",
    "undo/mariadb-types/binlog.000001",
    "undo/mysql-cascade/binlog.000001",
    "undo/mysql-circle/binlog.000001",
    "undo/mysql-partial/binlog.000001",
    "undo/mysql-types/binlog.000001",
    "undo/mysql-two-tables/binlog.000001",
    "corpus/mysql-9.7/row-metadata-full/binlog.000001",
    "corpus/mysql-9.7/partial-json-full/binlog.000001",
    "corpus/mysql-9.7/types-wide/binlog.000001",
    "corpus/mysql-5.6/types-enum-set/mysql-bin.000001",
    "corpus/mariadb-11.8/compressed/mariadb-bin.000001",
]


def bitmaps(event: bytes) -> tuple[int, bytes, bytes, bytes]:
    """The flags of a row event, its columns' count, and the columns of its first image and of its last as bits."""
    at = 27 + (int.from_bytes(event[27:29], "little") if event[4] >= WRITE else 0)
    count, at = read_lenenc(event, at)
    size = (count + 7) // 8
    first = event[at : at + size]
    return event[25] & 12, lenenc(count), first, event[at + size : at + 2 * size] if event[4] in UPDATES else first


def expected(log: Path) -> list[Any]:
    """The rows that take back those of a log: the Table_map's body, the event's header and head, and two images."""
    found: list[Any] = []
    tables: dict[bytes, bytes] = {}
    mariadb = b"MariaDB" in log.read_bytes()[:100]
    for event in row_events(log):
        if event[4] == TABLE_MAP:
            tables[event[19:25]] = event
            continue
        table = tables[event[19:25]]
        flags, count, first, _ = bitmaps(event)
        head = table[19:25] + bytes([flags | 3, 0]) + (b"\2\0" if event[4] >= WRITE else b"") + count
        rows = []
        for before, after in event_rows(table, event, None, mariadb, None):
            if event[4] in UPDATES:
                after = {**before, **after}
            if event[4] == PARTIAL_UPDATE:
                documents = {name for name, kind in zip(before, table_types(table), strict=True) if kind == JSON}
                after = {name: value for name, value in after.items() if name not in documents}
            rows.append((after, before))
        wanted = first
        if event[4] == PARTIAL_UPDATE:
            bits = sum(1 << place for place, kind in enumerate(table_types(table)) if kind == JSON)
            wanted = (int.from_bytes(first, "little") & ~bits).to_bytes(len(first), "little")
        head += wanted + (first if event[4] in UPDATES else b"")
        found += [(table[19:], event[:4] + bytes([TURNED[event[4]]]) + event[5:9], head, repr(row)) for row in rows]
    return found[::-1]


def table_types(table: bytes) -> bytes:
    """The types of the columns that a Table_map describes."""
    at = 27
    for _ in "database", "table":
        at += table[at] + 2
    count, at = read_lenenc(table, at)
    return table[at : at + count]


def turned(log: Path) -> list[Any]:
    """The same of the events that an undo prints; their headers and checksums are right."""
    format = next(event for event in events(log) if event[4] == 15)
    result = real("undo", "--format=binlog", "--look-to=none", str(log))
    assert result.status == 0, result.err
    found: list[Any] = []
    for words in result.out.split(b"BINLOG '\n")[2:]:  # the first has the Format_description
        data, pair = b64decode(words.split(b"'")[0]), []
        while data:
            size = int.from_bytes(data[9:13], "little")
            assert data[13:19] == bytes(6)
            event, data = data[:size], data[size:]
            if format[-1] == 1:
                assert event[-4:] == crc32(event[:-4]).to_bytes(4, "little")
                event = event[:-4]
            pair.append(event)
        table, event = pair
        assert (table[:4], table[4], table[5:9]) == (event[:4], TABLE_MAP, event[5:9])
        _, count, first, _ = bitmaps(event)
        end = 27 + 2 * (event[4] >= WRITE) + len(count) + len(first) * (1 + (event[4] in UPDATES))
        rows = event_rows(table, event, None, b"MariaDB" in format, None)
        found += [(table[19:], event[:9], event[19:end], repr(row)) for row in rows]
    return found


@pytest.mark.parametrize("name", LOGS)
def test_the_events_of_an_undo_are_those_of_the_log_turned(name: str) -> None:
    log = TESTDATA / name
    wanted = expected(log)
    assert wanted
    assert turned(log) == wanted


def test_without_checksums_they_have_none(tmp_path: Path) -> None:
    opening, *others = events_of((TESTDATA / LOGS[9]).read_bytes())
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined([signed(changed(opening, -5, b"\0")), *(event[:-4] for event in others)], checksums=False))
    wanted = expected(log)
    assert len(wanted) == 21
    assert turned(log) == wanted


def test_they_keep_the_flags_of_unique_checks_and_of_whole_rows(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    copied = events_of((TESTDATA / LOGS[9]).read_bytes())
    log.write_bytes(joined(changed(event, 25, b"\x1d\2") if event[4] in TURNED else event for event in copied))
    wanted = expected(log)
    assert {head[6:8] for _, _, head, _ in wanted} == {b"\x0f\0"}
    assert turned(log) == wanted


TITLE = re.compile(r"^-- (.*) \(.*, at (\d+) to (\d+), (.*) UTC(?:, connection (\d+))?\)$", re.MULTILINE)


@pytest.mark.parametrize("form", ["sql", "binlog"])
@pytest.mark.parametrize("name", ["undo/mysql-self", "undo/mysql-cascade", "undo/mariadb-types", "undo/mariadb-self"])
def test_each_transaction_has_a_title(name: str, form: str) -> None:
    log = TESTDATA / name / "binlog.000001"
    result = real("undo", f"--format={form}", "--look-to=none", str(log))
    assert (result.status, result.err) == (0, "")
    last = {row["transaction_position"]: row for row in pybinlog.open(str(log)).rows()}
    wanted = []
    for found in reversed(list(pybinlog.open(str(log)).transactions())):
        if found["rows"]:
            row = last[found["start_position"]]
            places = str(found["start_position"]), str(found["end_position"])
            thread = "" if row["thread_id"] is None else str(row["thread_id"])
            wanted.append((row["gtid"], *places, f"{row['timestamp']:%Y-%m-%d %H:%M:%S}", thread))
    assert TITLE.findall(result.out.decode()) == wanted
    times = sorted(row["timestamp"] for row in pybinlog.open(str(log)).rows())
    assert f"-- from {times[0]:%Y-%m-%d %H:%M:%S} to {times[-1]:%Y-%m-%d %H:%M:%S} UTC\n" in result.out.decode()
    assert f"-- undo of {len(wanted)} transactions, {len(times)} rows, by pybinlog\n" in result.out.decode()


@pytest.mark.parametrize("form", ["sql", "binlog"])
def test_a_transaction_that_has_rows_and_then_a_statement_has_a_title(form: str, tmp_path: Path) -> None:
    text = (
        "-- server: version=9.7 format=MIXED row_metadata=FULL\nCREATE DATABASE d;\nCREATE DATABASE e;\n"
        "CREATE TABLE d.t (a INT PRIMARY KEY, b INT);\nCREATE TABLE e.t (a INT PRIMARY KEY);\nUSE e;\n"
        "BEGIN;\nINSERT INTO d.t VALUES (1, RAND() < 2);\nINSERT INTO e.t VALUES (1);\nCOMMIT;\n"
        "INSERT INTO d.t VALUES (2, RAND() < 2);\n"
    )
    log = tmp_path / "binlog.000001"
    log.write_bytes(simulate(text).files[log.name])
    places = [found["start_position"] for found in pybinlog.open(str(log)).transactions() if found["rows"]]
    result = real("undo", f"--format={form}", "--look-to=none", "--table=d.t", str(log))
    assert (result.status, result.err) == (0, "")
    assert [int(title[1]) for title in TITLE.findall(result.out.decode())] == places[::-1]
    assert "-- undo of 2 transactions, 2 rows, by pybinlog\n" in result.out.decode()


UNIQUE = TESTDATA / "undo" / "mysql-unique" / "binlog.000001"
ROW_EVENTS = [place for place, event in enumerate(events_of(UNIQUE.read_bytes())) if event[4] in TURNED]


@pytest.mark.parametrize("cut", [1, 7])
@pytest.mark.parametrize("place", ROW_EVENTS)
def test_a_row_that_is_cut_short_is_an_error_whoever_needs_it(place: int, cut: int, tmp_path: Path) -> None:
    """With and without keys, of each table and operation."""
    whole = events_of(UNIQUE.read_bytes())
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined([*whole[:place], whole[place][: -4 - cut] + bytes(4), *whole[place + 1 :]]))
    position = len(joined(whole[:place]))
    name = {WRITE: "Write", UPDATE: "Update", DELETE: "Delete"}[whole[place][4]]
    sentence = f"{log}, at {position}: a row of the {name}_rows event cannot be read"
    for form in "sql", "binlog":
        for look in [], ["--look-to=none"], ["--skip-changed"]:
            result = real("undo", f"--format={form}", *look, str(log))
            assert (result.status, result.out) == (1, b"")
            assert result.err == f"ERROR: {sentence}.\n"


def test_there_may_be_any_number_of_tables(tmp_path: Path) -> None:
    """The kernel knows 1024 kinds of events, here two for each table."""
    tables, builder = 513, LogBuilder(MYSQL_9_7)
    for kind in EventType.WRITE_ROWS, EventType.DELETE_ROWS:
        builder.gtid(kind).begin()
        for table in range(1, tables + 1):
            builder.table_map(INT_AND_TEXT, table_id=table, name=f"t{table}")
            builder.rows(kind, image(table, "a"), 2, table_id=table)
        builder.commit(kind)
    log = tmp_path / "binlog.000001"
    log.write_bytes(builder.data)
    assert turned(log) == expected(log)
    result = real("undo", "--dry-run", "--format=binlog", "--look-to=none", str(log))
    assert f"-- undo of 2 transactions, {2 * tables} rows, by pybinlog\n" in result.out.decode()
    assert result.out.count(b": 1 INSERT, 1 DELETE\n") == tables


@pytest.mark.parametrize("form", ["sql", "binlog"])
def test_the_head_tells_the_time_from_the_first_change_to_the_last(form: str, tmp_path: Path) -> None:
    """A server's clock may have been set back between them."""
    folder = TESTDATA / "corpus" / "mysql-9.7" / "rows-query"
    parts = events_of((folder / "binlog.000001").read_bytes())
    begin, more = int.from_bytes(parts[0][:4], "little"), 0
    clock = iter((0, 0, 0, 50, 10, 90, *[60] * 99))
    for at, part in enumerate(parts):
        more = next(clock) if part[4] in (EventType.FORMAT_DESCRIPTION, EventType.GTID) else more
        parts[at] = changed(part, 0, (begin + more).to_bytes(4, "little"))
    (log := tmp_path / "binlog.000001").write_bytes(joined(parts))
    done = real("undo", f"--format={form}", "--look-to=none", str(log))
    first, last = (datetime.fromtimestamp(begin + more, timezone.utc) for more in (10, 90))
    assert f"\n-- from {first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S} UTC\n".encode() in done.out
