"""CheckScan on batches: positions beyond 4 GiB, many tables, and what it counts without help."""

import struct
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from pybinlog.kernel.check import event_body
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.scan.scan import Scanner
from tests.check.logs import Folder, changed, events_of, first, log, signed
from tests.layout.compression import compress
from tests.layout.log_builder import MARIADB_10_11, LogBuilder

EVENTS = events_of(log("mysql-9.7/row-basic"))


def at_position(events: list[bytes], position: int) -> bytes:
    """The events as they stand at a position."""
    data = b""
    for event in events:
        position += len(event)
        data += signed(changed(event, 13, struct.pack("<I", position & 0xFFFFFFFF)))
    return data


def notes_of(events: list[bytes], position: int, base: int = 0, shift: int = 0) -> list[int]:
    """Return the notes of each event that has notes; end_log_pos is so many bytes more than it should be."""
    scanner = Scanner()
    scanner.new_log(position)
    data = at_position(events, position - base + shift)
    scan = CheckScan()
    scan.new_log(True)
    scan.base = base
    found = []
    at = 0
    while at < len(data):
        batch = scanner.scan(data, at, len(data), "log")
        at += scanner.consumed
        index = scan.scan(batch, 0)
        while index >= 0:
            found.append(scan.notes)
            if scan.notes & event_body.NOTE_GTID:
                uuid, tag, number, *_ = scan.finished_gtid
                scan.runs.begin(uuid, tag, number, 1 << 60)
            index = scan.scan(batch, index + 1)
    assert scan.events == len(events)
    return found


@pytest.mark.parametrize("position", [4, (1 << 32) - 1000, (1 << 32) - 4, 1 << 32, (3 << 32) - 2000])
def test_end_log_pos_wraps_at_4_gib(position: int) -> None:
    assert not any(notes & event_body.NOTE_END_LOG_POS for notes in notes_of(EVENTS, position))


def test_positions_count_from_the_logs_own_beginning() -> None:
    assert not any(notes & event_body.NOTE_END_LOG_POS for notes in notes_of(EVENTS, 5004, base=5000))


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_a_shift_of_all_positions_is_noted_once(shift: int) -> None:
    noted = [notes & event_body.NOTE_END_LOG_POS != 0 for notes in notes_of(EVENTS, 4, shift=shift)]
    assert (noted[0], sum(noted)) == (True, 1)


def test_only_the_rare_types_are_told_of() -> None:
    kinds = event_body.NOTE_FORMAT_DESCRIPTION, event_body.NOTE_PREVIOUS_GTIDS, event_body.NOTE_ROTATE
    notes = notes_of(EVENTS, 4)
    # the first GTID has to be looked up; the scan counts on from it
    assert [note for note in notes if note not in kinds] == [event_body.NOTE_GTID]
    assert len(notes) == len(kinds) + 1


def test_more_tables_than_a_statement_has_are_not_told_apart_any_more() -> None:
    at = first(EVENTS, EventType.TABLE_MAP)
    maps = [changed(EVENTS[at], 19, struct.pack("<Q", number)[:6]) for number in range(1000, 4000)]
    rows = [changed(EVENTS[at + 1], 19 + 6, bytes(2))]
    events = [*EVENTS[:at], *maps, *rows, *EVENTS[at + 1 :]]
    assert not any(notes & event_body.NOTE_NO_TABLE_MAP for notes in notes_of(events, 4))
    few = [*EVENTS[:at], *maps[:100], *EVENTS[at + 1 :]]
    assert sum(bool(notes & event_body.NOTE_NO_TABLE_MAP) for notes in notes_of(few, 4)) == 1


def test_a_compressed_statement_ends_where_its_text_ends(tmp_path: Path) -> None:
    """Bytes of a longer statement before it are not part of a COMMIT."""
    builder = LogBuilder(MARIADB_10_11).maria_gtid(1)
    for statement in (b"INSERT INTO t VALUES ('" + 200 * b"x" + b"')", b"COMMIT"):
        body = {"thread_id": 3, "exec_time": 0, "error_code": 0, "status_vars": [], "db": "test"}
        builder.add(EventType.MARIA_QUERY_COMPRESSED, {**body, "query": compress(statement)})
    builder.rotate()
    assert Folder(tmp_path).check(builder.data) == []
