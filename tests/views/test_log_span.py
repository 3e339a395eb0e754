"""Logs that are read apart give together what they give as one, also relay logs that begin inside a transaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.span import NEIGHBOURS, LogPlace, log_places
from tests.check.logs import events_of
from tests.check.test_relay_logs import ARTIFICIAL, relay_logs, source_events
from tests.corpus import Scenario, scenarios
from tests.views.expected import read, view
from tests.views.test_span import RELAY, rotate

pytest.importorskip("pyarrow")

VIEWS = ("events", "transactions", "rows")


def apart(names: list[str], name: str) -> list[dict[str, object]]:
    spans = [place.span() for place in log_places(names)]
    return [row for span in spans if span is not None for row in read(ViewReader(ViewOptions(view=name)), span)]


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.intact and s.folder.name != "large"], ids=repr)
def test_every_log_by_itself_gives_the_rows_of_all(scenario: Scenario) -> None:
    logs = [str(log) for log in scenario.logs]
    for name in VIEWS:
        assert apart(logs, name) == view(logs, name)


@pytest.mark.parametrize("fake_flags", ARTIFICIAL)
@pytest.mark.parametrize("cut", range(1, len(source_events())))
def test_relay_logs_of_old_replicas(cut: int, fake_flags: int, tmp_path: Path) -> None:
    """Without GTIDs only the logs before tell whether a transaction continues."""
    names = []
    for number, data in enumerate(relay_logs(cut, fake_flags), 1):
        (tmp_path / f"binlog.{number:06}").write_bytes(data)
        names.append(str(tmp_path / f"binlog.{number:06}"))
    for name in VIEWS:
        assert apart(names, name) == view(names, name)


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("scenario", RELAY, ids=repr)
def test_a_transaction_may_reach_over_several_relay_logs(scenario: Scenario, step: int, tmp_path: Path) -> None:
    data = max(scenario.logs, key=lambda log: log.stat().st_size).read_bytes()
    first, *events = events_of(data)
    names = []
    for number, at in enumerate(range(0, len(events), step), 1):
        path = tmp_path / f"relay.{number:06}"
        end = rotate(first, f"relay.{number + 1:06}")
        path.write_bytes(data[:4] + first + b"".join(events[at : at + step]) + end)
        names.append(str(path))
    for name in VIEWS:
        assert apart(names, name) == view(names, name)


def test_a_place_has_the_neighbours_that_follow_each_other() -> None:
    names = [f"binlog.{number:06}" for number in (*range(1, 101), *range(200, 203))]
    places = log_places([*names, "other"])
    assert [place.name for place in places] == [*names, "other"]
    assert places[0] == LogPlace(tuple(names[: NEIGHBOURS + 1]), 0)
    assert places[99] == LogPlace(tuple(names[99 - NEIGHBOURS : 100]), NEIGHBOURS)
    assert places[100].names == tuple(names[100:103])
    assert places[-1] == LogPlace(("other",), 0)
