"""Bodies that `layout` parsed, formatted by functions of the tests, equal what the reference printed."""

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, WRITE_TYPES, EventType
from pybinlog.layout import Format
from tests.layout.compression import payload_events

from ..corpus import Scenario, scenarios
from .logs import events_of
from .reference_text import ReferenceText
from .reference_values import mariadb_quoted, rows_text

RUNS = ("decode", "vv", "print-table-metadata-decode", "print-table-metadata-vv")
DEFERRED = frozenset({EventType.INTVAR, EventType.RAND, EventType.USER_VAR})
ROWS = WRITE_TYPES | UPDATE_TYPES | DELETE_TYPES
BASE64 = re.compile(rb"\nBINLOG '\n[A-Za-z0-9+/=\n]*'/\*!\*/;\n")


def _cases() -> list[tuple[Scenario, str]]:
    """The runs that decode rows; "default" where there is none of them."""
    cases = []
    for scenario in scenarios():
        if not scenario.intact or not scenario.server.startswith("mysql"):
            continue
        if "mariadb-binlog-vv" in scenario.runs:
            continue  # version 1 row events, at which the reference stops: see the test below
        names = [name for name in RUNS if scenario.expected(name)]
        cases += [(scenario, name) for name in names or ["default"]]
    return cases


@pytest.mark.parametrize(("scenario", "name"), _cases(), ids=lambda value: str(value))
def test_query_gtid_table_map_and_row_events_read_as_the_reference_prints_them(scenario: Scenario, name: str) -> None:
    expected = scenario.expected(name)
    assert expected is not None
    arguments = scenario.runs[name].arguments
    logs = [scenario.folder / argument for argument in arguments if (scenario.folder / argument).is_file()]
    reference = ReferenceText(
        metadata="--print-table-metadata" in arguments,
        rows="-v" in arguments or "-vv" in arguments,
        comments="-vv" in arguments,
    )
    counts = compare(logs, reference, BASE64.sub(b"", expected))
    assert counts[EventType.QUERY]


@lru_cache(4)
def parsed(log: Path) -> list[tuple[int, Any, Format]]:
    """The events of a log, some of a large one: its runs follow each other."""
    return list(islice(events_of(log), 1000))


def compare(logs: list[Path], reference: ReferenceText, expected: bytes) -> Counter[int]:
    """Looks for each event's text after that of the event before; how many there were of each type."""
    counts: Counter[int] = Counter()
    cursor = 0
    for log in logs:
        deferred = False
        for position, event, format in parsed(log):
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
                text = reference.text(part, shown_at, inside)
                if text is None:
                    cursor = start
                    deferred = part.header.event_type in DEFERRED or deferred
                    continue
                if deferred:
                    # These are printed with the statement that uses them, between its position and its header line.
                    start = expected.find(text.split(b"\n")[0], start)
                    deferred = False
                cursor = _check(text, position, expected, start)
                counts[part.header.event_type] += 1
    return counts


def _check(text: bytes, position: int, expected: bytes, start: int) -> int:
    """Asserts that the text stands at `start`; where it ends."""
    assert expected[start : start + len(text)].split(b"\n") == text.split(b"\n"), f"at {position}"
    return start + len(text)


def _mariadb_cases() -> list[tuple[Scenario, str]]:
    """Return the runs of mariadb-binlog with -vv, on MariaDB's logs and MySQL 5.6's version 1 row events."""
    return [
        (scenario, name)
        for scenario in scenarios()
        for name in ("vv", "mariadb-binlog-vv")
        if scenario.intact and scenario.server.startswith("mariadb") == (name == "vv") and scenario.expected(name)
    ]


@pytest.mark.parametrize(("scenario", "name"), _mariadb_cases(), ids=lambda value: str(value))
def test_row_events_read_as_mariadb_binlog_prints_them(scenario: Scenario, name: str) -> None:
    expected = scenario.expected(name)
    assert expected is not None
    tables, lines = {}, b""
    for log in scenario.logs:
        for _position, event, _format in events_of(log):
            if event.header.event_type == EventType.TABLE_MAP:
                tables[event.body.table_id] = event.body
            elif event.header.event_type in ROWS:
                lines += rows_text(event, tables[event.body.table_id], True, mariadb_quoted)
    printed = [line for line in expected.split(b"\n") if line.startswith(b"###")]
    assert lines.split(b"\n")[:-1] == printed
