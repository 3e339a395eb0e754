"""A check from log to log of a series, and its report at the end of all logs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.check import Checker, CheckOptions, Severity, Totals
from pybinlog.check.parallel_checker import ParallelChecker
from pybinlog.check.report.text import summary
from pybinlog.errors import SourceError
from pybinlog.event_types import EventType
from tests.check.checked import checked
from tests.check.logs import edited, log
from tests.jobs.inline import InlineJobs
from tests.layout.log_builder import MYSQL_5_5, MYSQL_9_7, LogBuilder

MULTI = "mysql-9.7/multi-file"
XA = "mysql-9.7/xa-nogtid"
KEEP = CheckOptions(keep=True)
KINDS: list[Callable[[list[str]], Checker]] = [
    lambda names: Checker(names, KEEP),
    lambda names: ParallelChecker(names, KEEP, InlineJobs()),
]
SOUND = LogBuilder(MYSQL_5_5).query("CREATE TABLE t (a INT)").data
COMMIT = LogBuilder(MYSQL_5_5).query("XA COMMIT X'61',X'',1").data
PREPARE = (
    LogBuilder(MYSQL_9_7)
    .gtid(1)
    .query("XA START X'61',X'',1")
    .add(
        EventType.XA_PREPARE,
        {"one_phase": 0, "format_id": 1, "gtrid_length": 1, "bqual_length": 0, "gtrid": b"a", "bqual": b""},
    )
    .data
)
REST = "6 more are in the baseline; 1 of the logs could not be checked."
UNSURE = "XA COMMIT of X'61',X'',1, which no log given prepares; it may have been prepared before them."
CERTAIN = "XA COMMIT of X'61',X'',1, which is not prepared."


def written(folder: Path, logs: dict[int, bytes]) -> list[str]:
    names = []
    for number, data in logs.items():
        (path := folder / f"binlog.{number:06d}").write_bytes(data)
        names.append(str(path))
    return names


def unfinished(events: list[bytes]) -> list[bytes]:
    return [event for event in events if b"XA COMMIT X'706c" not in event and b"XA ROLLBACK X'726f" not in event]


def told_prepared(folder: Path, logs: dict[int, bytes], make: Callable[[list[str]], Checker]) -> tuple[Severity, str]:
    """The finding about the end of a transaction that no log prepares, which tells if logs may be missing."""
    found = [
        finding
        for result in make(written(folder, logs)).results()
        for finding in result.findings
        if finding.code == "X002"
    ]
    assert [finding.file for finding in found] == [str(folder / f"binlog.{max(logs):06d}")]
    return found[0].severity, found[0].message


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    ("before", "sure"),
    [
        pytest.param({1: SOUND}, True, id="every log from the first"),
        pytest.param({2: SOUND}, False, id="none of number 1"),
        pytest.param({1: SOUND, 2: b"no binary log"}, False, id="one cannot be read"),
        pytest.param({1: SOUND, 2: b""}, False, id="one is empty"),
        pytest.param({1: SOUND, 2: SOUND + bytes(3)}, False, id="one is damaged"),
        pytest.param({1: LogBuilder(MYSQL_5_5).rotate().data, 2: SOUND}, True, id="a Rotate leads to the next"),
        pytest.param({1: LogBuilder(MYSQL_5_5).rotate().data.replace(b"2", b"3")}, False, id="a Rotate to another log"),
    ],
)
def test_an_xa_transaction_that_a_missing_log_may_have_prepared(
    before: dict[int, bytes], sure: bool, make: Callable[[list[str]], Checker], tmp_path: Path
) -> None:
    expected = (Severity.ERROR, CERTAIN) if sure else (Severity.WARNING, UNSURE)
    assert told_prepared(tmp_path, {**before, max(before) + 1: COMMIT}, make) == expected


@pytest.mark.parametrize("make", KINDS)
def test_an_earlier_log_comes_again_with_what_the_end_of_all_logs_shows(
    make: Callable[[list[str]], Checker], tmp_path: Path
) -> None:
    names = written(tmp_path, {1: edited(XA, unfinished), 2: SOUND, 3: log(XA, 1)})
    names.append(str(tmp_path / "other.000001"))
    Path(names[-1]).write_bytes(PREPARE + bytes(3))
    results, totals = checked(make(names))
    found = [(Path(file).name, [(f.code, f.position) for f in findings], *rest) for file, findings, *rest in results]
    assert found == [
        ("binlog.000001", [("B004", 1286), ("B004", 1769)], 92, 7534, "None"),
        ("binlog.000002", [], 2, 192, "None"),
        ("binlog.000003", [], 26, 2043, "None"),
        ("binlog.000001", [("X001", 1168), ("X001", 1652)], 0, 0, "None"),
        ("other.000001", [("X001", 293), ("S004", 330)], 4, 333, "None"),
    ]
    counts = {Severity.INFO: 3, Severity.WARNING: 0, Severity.ERROR: 3}
    assert totals[:7] == (counts, 0, 0, [], 4, 124, 10102)


def test_progress_is_told_of_every_byte(tmp_path: Path) -> None:
    names = written(tmp_path, {number: log(MULTI, number - 1) for number in (1, 2, 3)})
    sizes = [len(log(MULTI, number)) for number in range(3)]
    told: list[int] = []
    list(ParallelChecker(names, KEEP, InlineJobs(), told.append).results())
    assert told == sizes
    told.clear()
    list(Checker(names, KEEP, progress=told.append).results())
    assert sum(told) == sum(sizes)


@pytest.mark.parametrize(
    ("totals", "text"),
    [
        (Totals(files=1, events=75), "No findings in 1 log, 75 events."),
        (
            Totals({Severity.INFO: 2, Severity.WARNING: 1, Severity.ERROR: 2}, files=2, events=3),
            "2 errors, 1 warning, 2 info in 2 logs, 3 events.",
        ),
        (
            Totals({Severity.INFO: 1, Severity.WARNING: 2, Severity.ERROR: 1}, 5, 6, [SourceError("gone")], 2, 3),
            f"1 error, 2 warnings, 1 info in 2 logs, 3 events; 5 findings are not shown (--limit); {REST}",
        ),
    ],
)
def test_the_summary(totals: Totals, text: str) -> None:
    assert summary(totals) == text
