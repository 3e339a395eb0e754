"""The beginning of the transaction around the start of a dump."""

from __future__ import annotations

import struct
from itertools import accumulate
from pathlib import Path

import pytest

from pybinlog.dump.whole_transactions import transaction_around
from pybinlog.event_types import EventFlag, EventType
from tests.check.logs import changed, events_of, joined
from tests.corpus import TESTDATA
from tests.layout.log_builder import INT_AND_TEXT, MYSQL_9_7, START, LogBuilder, row

BUILDER = (
    LogBuilder(MYSQL_9_7)
    .previous_gtids()
    .gtid(1)
    .begin()
    .table_map(INT_AND_TEXT)
    .rows(EventType.WRITE_ROWS, row(1, "one"), 2)
    .commit(7)
    .gtid(2)
    .query("CREATE TABLE t (a INT)")
    .rotate()
)
PLACES = [0, *accumulate(map(len, events_of(BUILDER.data)), initial=4)]
"""The positions of the events, from number 1 on, and the end."""
FORMAT, PREVIOUS, GTID, BEGIN, MAP, ROWS, XID, NEXT_GTID, TABLE, ROTATE, END = PLACES[1:]


@pytest.fixture
def log(tmp_path: Path) -> str:
    (path := tmp_path / "binlog.000001").write_bytes(BUILDER.data)
    return str(path)


@pytest.mark.parametrize(
    ("position", "begins"),
    [
        (FORMAT, None),
        (PREVIOUS, None),
        (GTID, None),
        (GTID + 1, GTID),
        (BEGIN, GTID),
        (XID - 1, GTID),
        (XID, GTID),
        (XID + 1, None),
        (NEXT_GTID, None),
        (TABLE, NEXT_GTID),
        (TABLE + 1, None),
        (END, None),
    ],
)
def test_the_transaction_around_a_position(log: str, position: int, begins: int | None) -> None:
    assert transaction_around([log], position) == (None if begins is None else (0, begins))


@pytest.mark.parametrize(
    ("seconds", "begins"),
    [(0, None), (2, None), (3, GTID), (6, GTID), (7, None), (8, NEXT_GTID), (9, None), (10, None)],
)
def test_the_transaction_around_a_time(log: str, seconds: int, begins: int | None) -> None:
    assert transaction_around([log], 4, START + seconds) == (None if begins is None else (0, begins))


def test_the_position_counts_in_the_first_log_alone(log: str, tmp_path: Path) -> None:
    (second := tmp_path / "binlog.000002").write_bytes(BUILDER.data)
    assert transaction_around([log, str(second)], END) is None
    later = LogBuilder(MYSQL_9_7)
    later.time = START + 100
    later.gtid(3).begin().commit(8)
    second.write_bytes(later.data)
    third = len(later.data) - len(events_of(later.data)[-1])
    assert transaction_around([log, str(second)], third, START + 102) == (1, len(LogBuilder(MYSQL_9_7).data))


@pytest.mark.parametrize("flags", [0, EventFlag.RELAY_LOG])
def test_only_a_relay_log_continues_a_transaction(flags: int, tmp_path: Path) -> None:
    def written(name: str, log: LogBuilder) -> str:
        head, *rest = events_of(log.data)
        (tmp_path / name).write_bytes(joined([changed(head, 17, struct.pack("<H", flags)), *rest]))
        return str(tmp_path / name)

    cut = written("relay.000001", LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT))
    last = written("relay.000002", LogBuilder(MYSQL_9_7).commit(7).gtid(2).begin().commit(8))
    end = Path(cut).stat().st_size
    head = len(LogBuilder(MYSQL_9_7).data)
    assert transaction_around([cut, last], end) == ((0, head) if flags else None)
    later = START + 3
    assert transaction_around([cut, last], end, later) == (1, head + len(events_of(Path(last).read_bytes())[1]))


def test_a_start_that_no_log_comes_to_is_in_no_transaction() -> None:
    log = TESTDATA / "corpus" / "mysql-9.7" / "truncated-body" / "binlog.000001"
    assert transaction_around([str(log)], 1 << 40) is None
