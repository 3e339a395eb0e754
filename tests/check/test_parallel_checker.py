"""A check of each log by itself: findings, order and totals are those of one pass over all logs."""

from itertools import pairwise
from pathlib import Path

import pytest

from pybinlog.check import Checker, CheckOptions
from pybinlog.check.log_findings import Edge, LogFindings
from pybinlog.check.parallel_checker import ParallelChecker
from pybinlog.event_types import EventType
from pybinlog.gtid_intervals import GtidSet
from tests.check.checked import checked
from tests.check.logs import changed, events_of, joined
from tests.check.test_relay_logs import relay_logs, source_events
from tests.corpus import Scenario, scenarios
from tests.jobs.inline import InlineJobs

KEEP = CheckOptions(keep=True)
BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
MULTI = next(s for s in scenarios() if s.folder.name == "multi-file").logs
SMALL = [str(log) for s in scenarios() if s.folder.name != "large" for log in s.logs]


def apart(names: list[str], options: CheckOptions = KEEP, jobs: InlineJobs | None = None) -> object:
    return checked(ParallelChecker(names, options, jobs or InlineJobs()))


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.folder.name != "large"], ids=repr)
def test_findings_are_those_of_one_pass(scenario: Scenario) -> None:
    logs = [str(log) for log in scenario.logs]
    for names in (logs, logs[::-1], logs + logs, logs[::2], [*logs[1:], "no-such.000001"]):
        assert apart(names) == checked(Checker(names, KEEP)), names


def test_findings_of_all_logs_together() -> None:
    assert apart(SMALL) == checked(Checker(SMALL, KEEP))


def test_a_damaged_log_between_others_is_reported_as_in_one_pass(tmp_path: Path) -> None:
    names = []
    for log in MULTI:
        data = bytearray(log.read_bytes())
        for at in range(len(data) // 3, len(data), len(data) // 3):
            data[at : at + 40] = b"\xff" * 40
        (tmp_path / log.name).write_bytes(data)
        names.append(str(tmp_path / log.name))
    wanted = checked(Checker(names, KEEP))
    assert len(wanted[0][0][1]) > 1
    assert apart(names) == wanted


def test_gtids_that_come_again_in_a_later_log_are_found() -> None:
    twice = [str(MULTI[0]), str(MULTI[1]), str(MULTI[1])]
    wanted = checked(Checker(twice, KEEP))
    assert any(finding.code == "G001" for finding in wanted[1][-1])
    assert apart(twice) == wanted


def test_xids_that_come_again_are_found(tmp_path: Path) -> None:
    events = events_of(BASIC.read_bytes())
    at = [index for index, event in enumerate(events) if event[4] == EventType.XID]
    events[at[-1]] = changed(events[at[-1]], 19, events[at[0]][19:27])
    log = tmp_path / "binlog.000001"
    log.write_bytes(joined(events))
    wanted = checked(Checker([str(log)], KEEP))
    assert [finding.code for finding in wanted[1][-1]] == ["X005"]
    assert apart([str(log)]) == wanted


def test_logs_in_order_are_read_once() -> None:
    jobs = InlineJobs()
    apart([str(log) for log in MULTI], jobs=jobs)
    assert set(jobs.functions) == {"check_logs"}


@pytest.mark.parametrize("log", [str(BASIC), *map(str, MULTI)])
def test_a_log_cut_into_a_series_at_any_event_gives_the_same_findings(log: str, tmp_path: Path) -> None:
    """Each of the new logs ends with a Rotate that names the next, in the middle of a transaction or not."""
    events = events_of(Path(log).read_bytes())
    rotate = next(events_of(other.read_bytes())[-1] for other in MULTI)
    for step in (2, 3, 7):
        names = []
        cuts = [*range(2, len(events), step), len(events)]
        for number, (start, end) in enumerate(pairwise(cuts), 1):
            name = tmp_path / f"binlog.{number:06}"
            following = rotate[:-10] + b"%06d" % (number + 1) + rotate[-4:]
            name.write_bytes(joined([events[0], *events[start:end], following]))
            names.append(str(name))
        assert apart(names) == checked(Checker(names, KEEP)), step


@pytest.mark.parametrize("cut", range(1, len(source_events())))
def test_relay_logs_that_begin_inside_a_transaction_are_checked_from_its_beginning(cut: int, tmp_path: Path) -> None:
    names = []
    for number, data in enumerate(relay_logs(cut), 1):
        (tmp_path / f"binlog.{number:06}").write_bytes(data)
        names.append(str(tmp_path / f"binlog.{number:06}"))
    assert apart(names) == checked(Checker(names, KEEP))


def test_options_choose_and_limit_as_they_do_without() -> None:
    for options in (CheckOptions(limit=2), CheckOptions(select=("S",)), CheckOptions(ignore=("S", "B0"))):
        assert apart(SMALL, options) == checked(Checker(SMALL, options))


@pytest.mark.parametrize(
    ("edge", "first_type", "needs_past", "fits"),
    [
        (Edge(), 0, False, False),
        (Edge(True), 0, False, True),
        (Edge(True), 0, True, False),
        (Edge(True), EventType.QUERY, False, True),
        (Edge(True, True), EventType.QUERY, False, False),
        (Edge(True, True), 0, False, True),
        (Edge(True, True), EventType.GTID, False, True),
        (Edge(True, True), EventType.ANONYMOUS_GTID, False, True),
        (Edge(True, True), EventType.MARIA_GTID, False, True),
        (Edge(False, True), EventType.GTID, False, False),
        (Edge(True, True), EventType.GTID, True, False),
    ],
)
def test_findings_of_a_log_by_itself_fit_after_a_log_that_was_closed_in_order(
    edge: Edge, first_type: int, needs_past: bool, fits: bool
) -> None:
    assert LogFindings(first_type=first_type, needs_past=needs_past).fits(edge) is fits


UUID = b"u" * 16


@pytest.mark.parametrize(
    ("seen", "new", "expected"),
    [
        ([], [(1, 2)], False),
        ([(1, 5)], [], False),
        ([(1, 5)], [(5, 7)], False),
        ([(1, 5)], [(4, 7)], True),
        ([(3, 5)], [(1, 3), (5, 9)], False),
        ([(3, 5)], [(1, 9)], True),
    ],
)
def test_gtids_overlap_if_a_source_has_a_number_in_both(
    seen: list[tuple[int, int]], new: list[tuple[int, int]], expected: bool
) -> None:
    one, other, elsewhere = GtidSet(), GtidSet(), GtidSet()
    for start, end in seen:
        one.add((UUID, b""), start, end)
    for start, end in new:
        other.add((UUID, b""), start, end)
        elsewhere.add((UUID, b"tag"), start, end)
    assert one.overlaps(other) is expected
    assert not one.overlaps(elsewhere)
