"""The logs that are built from documented fields: they are what the script builds, and the reference reads them so."""

from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from pybinlog.event_types import EventType
from pybinlog.layout import build_event
from pybinlog.layout.primitive import DECLARATIONS
from tests.event_examples import EXAMPLES
from tests.layout.row_oracle import decode_rows

from ..corpus import TESTDATA, Scenario
from .logs import event_bytes, events_of
from .make_unseen import UNSEEN
from .reference_text import ReferenceText
from .reference_values import mariadb_quoted, rows_text
from .test_reference_text import BASE64, ROWS, compare
from .test_round_trip import INTACT
from .unseen_logs import LOGS

PRINTED = [name for name in LOGS if Scenario(UNSEEN / name).expected("vv") is not None and name != "old_types"]
"""At the last column of old_types, a VAR_STRING, the reference gives up."""
READABLE = [name for name in LOGS if name != "maria_start_encryption"]


def _log(name: str) -> Path:
    return UNSEEN / name / "binlog.000001"


def test_every_log_is_there() -> None:
    assert {folder.name for folder in UNSEEN.iterdir() if folder.is_dir()} == set(LOGS)


@pytest.mark.parametrize("name", LOGS)
def test_the_log_is_what_the_script_builds(name: str) -> None:
    assert _log(name).read_bytes() == LOGS[name]().data, "run python -m tests.layout.make_unseen"


@pytest.mark.parametrize("name", READABLE)
def test_every_event_is_built_as_it_was_read(name: str) -> None:
    position = 4
    for found, event, format in events_of(_log(name)):
        data = build_event(event, format)
        assert found == position
        assert "trailing" not in event.body
        assert data == _log(name).read_bytes()[position : position + len(data)]
        position += len(data)
    assert position == _log(name).stat().st_size


def test_corpus_and_built_logs_hold_every_event_type() -> None:
    logs = [log for scenario in INTACT for log in scenario.logs] + [_log(name) for name in LOGS]
    logs.append(TESTDATA / "partial-rows" / "parts.000001")
    seen = {data[4] for log in logs for _position, data, _format in event_bytes(log)}
    examples = {example.kind for example in EXAMPLES}
    assert set(DECLARATIONS) - seen - examples <= {EventType.STOP, EventType.ANONYMOUS_GTID}


@pytest.mark.parametrize("name", PRINTED)
def test_query_gtid_table_map_and_row_events_read_as_the_reference_prints_them(name: str) -> None:
    expected = Scenario(UNSEEN / name).expected("vv")
    assert expected is not None
    compare([_log(name)], ReferenceText(), BASE64.sub(b"", expected))


@pytest.mark.parametrize("name", ["maria_compressed_v2"])
def test_row_events_read_as_mariadb_binlog_prints_them(name: str) -> None:
    expected = Scenario(UNSEEN / name).expected("mariadb-binlog-vv")
    assert expected is not None
    tables, lines = {}, b""
    for _position, event, _format in events_of(_log(name)):
        if event.header.event_type == EventType.TABLE_MAP:
            tables[event.body.table_id] = event.body
        elif event.header.event_type in ROWS:
            lines += rows_text(event, tables[event.body.table_id], True, mariadb_quoted)
    printed = [line for line in expected.split(b"\n") if line.startswith(b"###")]
    assert [line for line in lines.split(b"\n")[:-1] if not line.startswith(b"### Extra")] == printed


def test_column_types_of_old_servers() -> None:
    events = {event.header.event_type: event.body for _position, event, _format in events_of(_log("old_types"))}
    first, second, third = decode_rows(events[EventType.WRITE_ROWS], events[EventType.TABLE_MAP])
    assert first.after == {
        "@1": datetime(2009, 2, 13, 23, 31, 30, tzinfo=timezone.utc),
        "@2": datetime(2009, 12, 13, 23, 31, 30),
        "@3": timedelta(hours=23, minutes=59, seconds=59),
        "@4": date(2009, 12, 13),
        "@5": b"long",
        "@6": 258,
        "@7": 0,
        "@8": b"abc",
    }
    assert second.after == dict.fromkeys(first.after)
    assert third.after == {
        "@1": "0000-00-00 00:00:00",
        "@2": "0000-00-00 00:00:00",
        "@3": timedelta(),
        "@4": "0000-00-00",
        "@5": b"",
        "@6": 0,
        "@7": 2155,
        "@8": b"",
    }
