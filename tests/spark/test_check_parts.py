"""Parts of a check: findings, order and totals are those of one pass over all logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.check import Checker, CheckOptions
from pybinlog.event_types import EventType
from pybinlog.spark.check import SparkChecker
from tests.check.logs import changed, events_of, joined
from tests.corpus import Scenario, scenarios
from tests.spark.inline import InlineJobs, checked

KEEP = CheckOptions(keep=True)
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MULTI = next(s for s in scenarios() if s.folder.name == "multi-file").logs


def on_parts(names: list[str], size: int, options: CheckOptions = KEEP) -> object:
    return checked(SparkChecker(names, options, InlineJobs(), size))  # type: ignore[arg-type]


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.folder.name != "large"], ids=repr)
def test_findings_are_those_of_one_pass(scenario: Scenario) -> None:
    logs = [str(log) for log in scenario.logs]
    for names in (logs, logs[::-1], logs + logs, logs[::2], [*logs[1:], "no-such.000001"]):
        wanted = checked(Checker(names, KEEP))
        for size in (300, 2000, 1 << 20):
            assert on_parts(names, size) == wanted, (names, size)


def test_findings_of_all_logs_together() -> None:
    names = [str(log) for s in scenarios() if s.folder.name != "large" for log in s.logs]
    assert on_parts(names, 2000) == checked(Checker(names, KEEP))


def test_a_damaged_log_that_would_be_cut_is_checked_as_a_whole(tmp_path: Path) -> None:
    data = bytearray(BASIC.read_bytes())
    for at in range(len(data) // 3, len(data), len(data) // 3):
        data[at : at + 40] = b"\xff" * 40
    log = tmp_path / "binlog.000001"
    log.write_bytes(data)
    wanted = checked(Checker([str(log)], KEEP))
    assert len(wanted[0][0][1]) > 1
    for size in (200, 500, 2000):
        assert on_parts([str(log)], size) == wanted


def test_gtids_that_come_again_in_a_later_part_or_log_are_found(tmp_path: Path) -> None:
    twice = [str(MULTI[0]), str(MULTI[1]), str(MULTI[1])]
    wanted = checked(Checker(twice, KEEP))
    assert any(finding.code == "G001" for finding in wanted[1][-1])
    assert on_parts(twice, 300) == wanted


def test_xids_that_come_again_in_a_later_part_are_found(tmp_path: Path) -> None:
    events = events_of(BASIC.read_bytes())
    at = [index for index, event in enumerate(events) if event[4] == EventType.XID]
    events[at[-1]] = changed(events[at[-1]], 19, events[at[0]][19:27])
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    wanted = checked(Checker([str(log)], KEEP))
    assert [finding.code for finding in wanted[1][-1]] == ["X005"]
    for size in (300, 2000, 1 << 20):
        assert on_parts([str(log)], size) == wanted


def test_logs_in_order_are_checked_once() -> None:
    jobs = InlineJobs()
    list(SparkChecker([str(log) for log in MULTI], KEEP, jobs, 300).results())  # type: ignore[arg-type]
    assert "check_whole" not in jobs.functions
    assert jobs.functions.count("check_parts") > len(MULTI)


def test_options_choose_and_limit_as_they_do_without() -> None:
    names = [str(log) for s in scenarios() if s.folder.name != "large" for log in s.logs]
    for options in (CheckOptions(limit=2), CheckOptions(select=("S",)), CheckOptions(ignore=("S", "B0"))):
        assert on_parts(names, 2000, options) == checked(Checker(names, options))
