"""Local time is the reference's on both sides of a change of the clock, also in the options that take a time."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ..corpus import Run, more_scenarios, scenarios
from .program import dump, dump_run, without_opening_comments, without_tbm
from .reference import print_with_reference, reference
from .restamp import spread_around

# Changes of the clock, in UTC. Lord Howe's clocks change by half an hour; Kathmandu's changed once, by a quarter.
CHANGES = {
    "America/New_York": ["2024-03-10 07:00", "2024-11-03 06:00"],
    "Europe/London": ["2024-03-31 01:00", "2024-10-27 01:00"],
    "Australia/Lord_Howe": ["2024-04-06 15:00", "2024-10-05 15:30"],
    "Asia/Kathmandu": ["1985-12-31 18:30"],
    "America/Sao_Paulo": ["2019-02-17 02:00"],
}
STORED = [run for scenario in more_scenarios("time-zones") for run in scenario.runs.values()]
LOGS = {
    name: next(s for s in scenarios() if s.name == f"mysql-9.7/{name}").logs[0].read_bytes()
    for name in ("row-basic", "statement", "compression")
}


def test_logs_of_every_zone_are_stored() -> None:
    assert {s.time_zone for s in STORED} == set(CHANGES) - {"America/Sao_Paulo"}


@pytest.mark.parametrize("run", STORED, ids=repr)
def test_stored_text(run: Run, tmp_path: Path) -> None:
    output = dump_run(run, tmp_path)
    text, missing = without_tbm(output.text)
    assert missing == []
    assert isinstance(run.output, bytes)
    assert without_opening_comments(text) == without_opening_comments(run.output)
    assert (output.status, output.errors.count("ERROR")) == (run.status, 0)


@pytest.mark.skipif(reference() is None, reason="mysqlbinlog 9.7 is neither on the path nor named by MYSQLBINLOG")
@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize(("zone", "change"), [(zone, change) for zone, all in CHANGES.items() for change in all])
def test_the_reference_prints_the_same(zone: str, change: str, name: str, tmp_path: Path) -> None:
    instant = datetime.fromisoformat(change).replace(tzinfo=timezone.utc)
    (tmp_path / "binlog.000001").write_bytes(spread_around(LOGS[name], int(instant.timestamp())))
    option_lists = [[], ["-vv"], ["-H"], ["-s"]]
    for clock in sorted(clock_times(instant, ZoneInfo(zone))):
        option_lists += [[f"--start-datetime={clock}"], [f"--stop-datetime={clock}"]]
    for options in option_lists:
        status, text = print_with_reference([*options, "binlog.000001"], tmp_path, zone)
        ours = dump(["--no-tbm", *options, "binlog.000001"], tmp_path, zone=zone)
        assert without_opening_comments(ours.text) == without_opening_comments(text), options
        assert ours.status == status, options


def clock_times(instant: datetime, zone: ZoneInfo) -> set[datetime]:
    """Return the times that clocks show around a change, including those that they jump over or show twice."""
    shown = set()
    for before_or_after in (instant - timedelta(seconds=1), instant):
        base = before_or_after.astimezone(zone).replace(tzinfo=None)
        shown |= {base + timedelta(minutes=minutes) for minutes in (-90, -60, -30, -10, 0, 10, 29, 30, 31, 60, 90)}
    return shown
