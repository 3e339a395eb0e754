"""Logs for tests that compare a view with what is slowly worked out from the library's events."""

from collections.abc import Callable
from pathlib import Path

import pytest

import pybinlog
from pybinlog.event_types import EventType
from tests.corpus import MOST_EVENTS, Scenario
from tests.views.relay_logs import RelayLogs

ShortLogs = Callable[[Scenario], list[Path]]
FEWER_EVENTS = 500
"""Enough of a large log of MariaDB, for a MySQL log has MOST_EVENTS, more than are read at a time."""


@pytest.fixture(scope="session")
def short_logs(tmp_path_factory: pytest.TempPathFactory) -> ShortLogs:
    """The logs of a scenario; of one with too many events, a copy that ends with a transaction there."""
    made: dict[Path, Path] = {}

    def short(log: Path, most: int) -> Path:
        if log not in made:
            end = end_of_events(log, most)
            made[log] = log
            if end < log.stat().st_size:
                made[log] = tmp_path_factory.mktemp("short") / log.name
                made[log].write_bytes(log.read_bytes()[:end])
        return made[log]

    def short_logs(scenario: Scenario) -> list[Path]:
        most = FEWER_EVENTS if scenario.server.startswith("mariadb") else MOST_EVENTS
        return [short(log, most) for log in scenario.logs]

    return short_logs


@pytest.fixture
def relay(tmp_path: Path) -> RelayLogs:
    return RelayLogs(tmp_path)


def end_of_events(log: Path, most: int) -> int:
    """Return the place to cut a log: after the first Xid that comes after so many events, or nowhere."""
    with pybinlog.open(log) as events:
        for number, event in enumerate(events, 1):
            if number >= most and event.type == EventType.XID:
                return event.position + event.size
    return log.stat().st_size
