"""Which events and rows the views keep: by position, connection and GTID, at their bounds."""

import json
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.cli.conftest import real
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, SID, LogBuilder, row

GTID = "-".join((SID.hex()[:8], SID.hex()[8:12], SID.hex()[12:16], SID.hex()[16:20], SID.hex()[20:]))
EVENTS = [
    (4, "Format_desc"),
    (127, "Previous_gtids"),
    (158, "Table_map"),
    (205, "Write_rows"),
    (247, "Xid"),
    (278, "Gtid"),
    (357, "Query"),
    (429, "Table_map"),
    (476, "Write_rows"),
    (518, "Xid"),
    (549, "Gtid"),
    (628, "Query"),
    (717, "Rotate"),
]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log that begins inside a transaction, of which no statement tells the connection."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, row(1, "a"), 2).commit(1)
    builder.gtid(2).begin().table_map(INT_AND_TEXT).rows(EventType.WRITE_ROWS, row(2, "b"), 2).commit(2)
    path = tmp_path / "binlog.000001"
    path.write_bytes(builder.gtid(3).query("CREATE TABLE u (a INT)").rotate().data)
    return path


def events(log: Path, *options: str, command: str = "events") -> list[tuple[int, str]]:
    columns = "position,event_type" if command == "events" else "position,operation"
    found = real(command, "--format=jsonl", f"--columns={columns}", *options, str(log))
    assert found.status == 0
    assert (found.err != "") == (not found.out and bool(options))  # if filters match nothing, a warning says why
    return [tuple(json.loads(line).values()) for line in found.out.splitlines()]


@pytest.mark.parametrize("position", [place + by for place, _ in EVENTS[1:] for by in (-1, 0, 1)])
def test_a_range_has_the_events_that_begin_in_it(position: int, log: Path) -> None:
    assert events(log, f"--start-position={position}") == [event for event in EVENTS if event[0] >= position]
    assert events(log, f"--stop-position={position}") == [event for event in EVENTS if event[0] < position]


@pytest.mark.parametrize("thread", [0, 2, 3, 4, 4294967295])
def test_a_connection_has_what_its_statements_tell(thread: int, log: Path) -> None:
    """Events whose connection is not known are of none."""
    own = thread == 3
    assert events(log, f"--thread-id={thread}") == ([*EVENTS[6:10], EVENTS[11]] if own else [])
    assert events(log, f"--thread-id={thread}", command="rows") == ([(476, "INSERT")] if own else [])


@pytest.mark.parametrize(
    ("gtids", "chosen"), [("2", EVENTS[5:10]), ("3", EVENTS[10:12]), ("2-3", EVENTS[5:12]), ("1", []), ("4", [])]
)
def test_gtids_include_and_exclude_whole_transactions(gtids: str, chosen: list[tuple[int, str]], log: Path) -> None:
    transactions = EVENTS[2:12]
    included = events(log, f"--include-gtids={GTID}:{gtids}")
    assert [event for event in included if event in transactions] == chosen
    excluded = events(log, f"--exclude-gtids={GTID}:{gtids}")
    assert [event for event in excluded if event in transactions] == [one for one in transactions if one not in chosen]
