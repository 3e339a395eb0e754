"""Logs as lists of parsed events, for the tests of layout."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pybinlog.event_types import EventType
from pybinlog.layout import Format, parse_event
from tests.corpus import MOST_EVENTS


def event_bytes(log: Path) -> Iterator[tuple[int, bytes, Format]]:
    """Position, bytes and the Format_description in force of each event, or of the first MOST_EVENTS."""
    data = log.read_bytes()
    position, format = 4, Format.default()
    for _ in range(MOST_EVENTS):
        if position >= len(data):
            break
        size = int.from_bytes(data[position + 9 : position + 13], "little")
        event = data[position : position + size]
        if event[4] == EventType.FORMAT_DESCRIPTION:
            format = Format.from_event(event)
        yield position, event, format
        position += size


def events_of(log: Path) -> Iterator[tuple[int, Any, Format]]:
    """The same with the parsed event in place of its bytes."""
    for position, data, format in event_bytes(log):
        yield position, parse_event(data, format), format
