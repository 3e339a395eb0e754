"""Logs whose Table_maps say less than the server wrote: names of columns must then come from elsewhere."""

from collections.abc import Callable
from pathlib import Path

from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, parse_body
from tests.check.logs import events_of, joined
from tests.corpus import TESTDATA
from tests.layout.columns import Column, columns_of

DUMPS = TESTDATA / "schema-dumps"
"""Folders with two logs, binlog_row_metadata=FULL, and a dump that was made between them."""
HEADER, CHECKSUM = 19, 4
FORMAT = Format.default()


def without_metadata(body: bytes) -> bytes:
    """The body of a Table_map without its optional metadata."""
    fields = parse_body(EventType.TABLE_MAP, body, FORMAT)
    return build_body(EventType.TABLE_MAP, {**fields, "optional_metadata": []}, FORMAT)


def bare_log(log: Path, change: Callable[[bytes], bytes] = without_metadata) -> bytes:
    """A log as it would be if the bodies of its Table_maps were others."""
    events = []
    for event in events_of(log.read_bytes()):
        if event[4] == EventType.TABLE_MAP:
            event = event[:HEADER] + change(event[HEADER:-CHECKSUM]) + bytes(CHECKSUM)
        events.append(event)
    return joined(events)


def logged_columns(body: bytes) -> list[Column]:
    """The columns of a Table_map's body."""
    return columns_of(parse_body(EventType.TABLE_MAP, body, FORMAT))
