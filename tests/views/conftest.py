"""Logs for tests that compare a view with what is slowly worked out from the library's events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from tests.corpus import MOST_EVENTS, Scenario


@pytest.fixture(scope="session")
def short_logs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scenario], list[Path]]:
    """The logs of a scenario; of one with more than MOST_EVENTS events, a copy that ends with a transaction there."""
    made: dict[Path, Path] = {}

    def short(log: Path) -> Path:
        if log not in made:
            data = log.read_bytes()
            end = end_of_events(data)
            made[log] = log
            if end < len(data):
                made[log] = tmp_path_factory.mktemp("short") / log.name
                made[log].write_bytes(data[:end])
        return made[log]

    return lambda scenario: [short(log) for log in scenario.logs]


def end_of_events(data: bytes) -> int:
    """Where a log is cut: after the first Xid that comes after MOST_EVENTS events, or nowhere."""
    position = 4
    count = 0
    while position + 19 <= len(data):
        kind = data[position + 4]
        position += int.from_bytes(data[position + 9 : position + 13], "little")
        count += 1
        if count >= MOST_EVENTS and kind == EventType.XID:
            return position
    return len(data)
