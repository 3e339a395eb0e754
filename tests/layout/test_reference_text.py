"""Bodies that `layout` parsed, formatted by functions of the tests, equal what the reference printed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pybinlog.events import EventType
from pybinlog.layout import Format, payload_events

from ..corpus import Scenario, scenarios
from .logs import events_of
from .reference_text import ReferenceText

_BASE64 = re.compile(rb"\nBINLOG '\n[A-Za-z0-9+/=\n]*'/\*!\*/;\n")
_CRC = re.compile(rb"CRC32 0x[0-9a-f]{8} ")
DEFERRED = frozenset({EventType.INTVAR, EventType.RAND, EventType.USER_VAR})
OPTION_SETS = ("decode", "vv", "print-table-metadata-decode", "print-table-metadata-vv")


def log_names(scenario: Scenario, name: str) -> list[Path]:
    """The logs that an option set prints, in order."""
    arguments = (scenario.folder / "expected" / f"{name}.args").read_text().split()
    return [scenario.folder / argument for argument in arguments if (scenario.folder / argument).is_file()]


def compare(scenario: Scenario, name: str) -> Counter[int]:
    """Each event's text is looked for behind that of the event before; how many there were of each type."""
    expected = scenario.expected(name)
    assert expected is not None
    expected = _BASE64.sub(b"", expected)
    arguments = (scenario.folder / "expected" / f"{name}.args").read_text().split()
    reference = ReferenceText(metadata="--print-table-metadata" in arguments, comments="-vv" in arguments)
    counts: Counter[int] = Counter()
    cursor = 0
    for log in log_names(scenario, name):
        deferred = False
        for position, event, format in events_of(log):
            kind = event.header.event_type
            if kind == EventType.EXECUTE_LOAD_QUERY:
                reference.session(event)
            parts, shown_at, inside = [event], position, False
            if kind == EventType.TRANSACTION_PAYLOAD:
                parts, shown_at, inside = list(payload_events(event.body, format)), event.header.end_log_pos, True
            for part in parts:
                line = b"# at %d\n" % shown_at
                start = expected.find(line + b"#", cursor)
                assert start >= 0, f"{log.name} at {shown_at} is not printed"
                start += len(line)
                text = reference.text(part, shown_at, format, inside)
                if text is None:
                    cursor = start
                    deferred = part.header.event_type in DEFERRED or deferred
                    continue
                if deferred:
                    # These are printed with the statement that uses them, between its position and its header line.
                    start = expected.find(text.split(b"\n")[0] if not inside else b"\tQuery\t", start)
                    start = expected.rfind(b"\n", 0, start) + 1
                    deferred = False
                cursor = _check(text, position, expected, start, inside)
                counts[part.header.event_type] += 1
    return counts


def _check(text: bytes, position: int, expected: bytes, start: int, inside: bool) -> int:
    """Asserts that the text stands at `start`; where it ends. Inside a payload the reference prints false checksums."""
    extra = 0
    if inside and (shown := _CRC.search(expected, start)):
        extra = len(shown[0])
    got = expected[start : start + len(text) + extra]
    assert (_CRC.sub(b"", got, count=1) if inside else got).split(b"\n") == text.split(b"\n"), f"at {position}"
    return start + len(text) + extra
