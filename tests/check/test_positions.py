"""end_log_pos, which MariaDB 11.4 and later leaves 0 inside event groups: that is in order there, and nowhere else."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import open_source
from tests.check.logs import MAGIC, Folder, changed, events_of, first, log, signed

NAMES = ["mariadb-11.8/mixed", "mariadb-11.8/xa", "mariadb-11.8/compressed", "mariadb-11.8/checksum-none"]
MIXED = NAMES[0]


def positioned(event: bytes, end_log_pos: int) -> bytes:
    return signed(changed(event, 13, struct.pack("<I", end_log_pos)))


def end_log_pos(event: bytes) -> int:
    return int.from_bytes(event[13:17], "little")


def places(events: list[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """(index, position, event)"""
    at = len(MAGIC)
    for index, event in enumerate(events):
        yield index, at, event
        at += len(event)


def replaced(events: list[bytes], index: int, event: bytes) -> bytes:
    return MAGIC + b"".join([*events[:index], event, *events[index + 1 :]])


@pytest.mark.parametrize("name", NAMES)
def test_the_logs_have_such_events(name: str) -> None:
    assert any(end_log_pos(event) == 0 for event in events_of(log(name)))


def test_the_true_position_is_in_order_too(tmp_path: Path) -> None:
    """With binlog_legacy_event_pos=ON the server writes it everywhere."""
    events = events_of(log(MIXED))
    data = MAGIC + b"".join(positioned(event, at + len(event)) for _, at, event in places(events))
    assert data != log(MIXED)
    assert Folder(tmp_path).check(data) == []


def test_a_wrong_position_is_found_wherever_it_stands(tmp_path: Path) -> None:
    events = events_of(log(MIXED))
    folder = Folder(tmp_path)
    for index, at, event in places(events):
        if event[4] != EventType.FORMAT_DESCRIPTION:
            found = folder.check(replaced(events, index, positioned(event, at + len(event) + 1)))
            assert at in [finding.position for finding in found if finding.code == "S007"], at
            assert set(found.serious) == {"S007"}


def test_no_position_is_found_outside_a_group_and_where_one_begins_and_ends(tmp_path: Path) -> None:
    events = events_of(log(MIXED))
    folder = Folder(tmp_path)
    kinds = set()
    for index, at, event in places(events):
        if end_log_pos(event) != 0:
            kinds.add(event[4])
            assert folder.check(replaced(events, index, positioned(event, 0))).one("S007").position == at
    assert kinds >= {EventType.MARIA_GTID, EventType.XID, EventType.QUERY, EventType.MARIA_GTID_LIST, EventType.ROTATE}


@pytest.mark.parametrize("name", ["mariadb-10.11/mixed", "mysql-9.7/row-basic"])
def test_no_position_inside_a_group_is_found_in_the_logs_of_other_servers(tmp_path: Path, name: str) -> None:
    events = events_of(log(name))
    index = first(events, EventType.TABLE_MAP)
    assert Folder(tmp_path).check(replaced(events, index, positioned(events[index], 0))).serious == ["S007"]


def test_bytes_that_were_taken_out_are_found_at_the_next_position(tmp_path: Path) -> None:
    events = events_of(log(MIXED))
    index = next(i for i, event in enumerate(events) if event[4] == EventType.MARIA_ANNOTATE_ROWS)
    found = Folder(tmp_path).check(replaced(events, index, b"")).one("S007")
    assert found.event_type == "Xid"


def read(path: Path) -> tuple[list[int], list[tuple[int, int | None]]]:
    """The positions of the events that were read, and from where to where bytes were skipped."""
    damages: list[tuple[int, int | None]] = []
    with open_source(str(path)) as source:
        reader = RecoveringReader(source, on_damage=lambda damage: damages.append((damage.start, damage.end)))
        return [batch.header(index).position for batch in reader for index in range(batch.count)], damages


@pytest.mark.parametrize("name", NAMES)
def test_behind_a_damaged_event_the_log_is_read_on(tmp_path: Path, name: str) -> None:
    """Any name; the events after it give no findings of their own."""
    data = log(name)
    events = events_of(data)
    folder = Folder(tmp_path)
    for index, at, event in places(events):
        if index:
            path = folder.write(changed(data, at + 9, bytes(4)))
            end = None if index + 1 == len(events) else at + len(event)
            assert read(path) == ([place for other, place, _ in places(events) if other != index], [(at, end)])
            # (an XA transaction may have been prepared in what is lost)
            assert set(folder.check(path.read_bytes()).serious) - {"X002"} == {"S002"}


@pytest.mark.parametrize("name", NAMES)
def test_behind_lost_bytes_the_log_is_read_on_at_its_next_event(tmp_path: Path, name: str) -> None:
    """No event is at its end_log_pos then."""
    data = log(name)
    events = events_of(data)
    folder = Folder(tmp_path)
    for index, at, event in places(events):
        if index > 2 and index + 6 < len(events):
            path = folder.write(data[: at + 9] + data[at + len(event) :])
            assert read(path) == (
                [
                    place - (len(event) - 9 if other > index else 0)
                    for other, place, _ in places(events)
                    if other != index
                ],
                [(at, at + 9)],
            )
