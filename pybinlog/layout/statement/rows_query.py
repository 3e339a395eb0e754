"""Rows_query: the text of the statement whose rows follow (binlog_rows_query_log_events)."""

from __future__ import annotations

from construct import Default, GreedyBytes, Int8ul

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare

ROWS_QUERY = declare(
    EventType.ROWS_QUERY,
    "length" / Default(Int8ul, 0),
    "query" / GreedyBytes,
)
"""`length` is what one byte can hold, and 0 in 9.7: readers ignore it, the text goes to the end of the event."""
