"""Logs for tests that compare a view with what is slowly worked out from the library's events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import EventType
from tests.corpus import MOST_EVENTS, Scenario
from tests.views.relay_logs import RelayLogs

ShortLogs = Callable[[Scenario], list[Path]]


@pytest.fixture(scope="session")
def short_logs(tmp_path_factory: pytest.TempPathFactory) -> ShortLogs:
    """The logs of a scenario; of one with more than MOST_EVENTS events, a copy that ends with a transaction there."""
    made: dict[Path, Path] = {}

    def short(log: Path) -> Path:
        if log not in made:
            end = end_of_events(log)
            made[log] = log
            if end < log.stat().st_size:
                made[log] = tmp_path_factory.mktemp("short") / log.name
                made[log].write_bytes(log.read_bytes()[:end])
        return made[log]

    return lambda scenario: [short(log) for log in scenario.logs]


@pytest.fixture
def relay(tmp_path: Path) -> RelayLogs:
    return RelayLogs(tmp_path)


def end_of_events(log: Path) -> int:
    """Return the place to cut a log: after the first Xid that comes after MOST_EVENTS events, or nowhere."""
    with pybinlog.open(log) as events:
        for number, event in enumerate(events, 1):
            if number >= MOST_EVENTS and event.type == EventType.XID:
                return event.position + event.size
    return log.stat().st_size
