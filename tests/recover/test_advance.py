"""The advance of a run: bytes of the plan's logs, and the time by the logs from there to the end."""

import re

import pytest

from pybinlog.recover.advance import Advance
from tests.recover.logs import MARIADB, MYSQL, planned


@pytest.mark.parametrize(("folder", "place"), [(MYSQL, "binlog.000001:1478"), (MARIADB, "binlog.000001:911")])
def test_bytes_are_counted_over_the_logs_up_to_the_end(folder: object, place: str) -> None:
    plan = planned(MYSQL if folder is MYSQL else MARIADB, origin=place)
    assert plan.part is not None
    name, end = plan.end_position
    advance = Advance(plan)
    total = plan.part.logs[0].size - plan.start + end
    first = advance.line(plan.first.name, plan.start)
    assert f": 0 of {total:,} bytes" in first
    assert "left" not in first
    last = advance.line(name, end)
    assert f"{name}, at {end}: {total:,} of {total:,} bytes" in last
    assert re.search(r" MB/s, 0 s left, 0:00:00 before the end$", last)


def test_a_place_in_another_log_has_no_line() -> None:
    assert Advance(planned(MYSQL)).line("binlog.000009", 4) == ""


def test_the_lag_is_the_time_by_the_logs() -> None:
    plan = planned(MYSQL)
    contents = plan.contents
    (order, time), *_ = contents.moments
    assert contents.last is not None
    assert contents.last.time is not None
    contents.moments[0] = order, contents.last.time - 3_725_000_000
    assert Advance(plan).line(plan.first.name, order[1] + 1).endswith(", 1:02:05 before the end")
    assert time <= contents.last.time
