"""Rows of views as dictionaries of Python values; EventGtids: for each event its transaction's GTID."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import timedelta

from pybinlog.errors import OutOfMemory
from pybinlog.kernel.views import view_events as kernel
from pybinlog.views.column_values import EPOCH, Spill, Strings
from pybinlog.views.kernel_views import Making, events, kernel_view, objects, scope_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.view import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from pybinlog.feed.feed import Feed
    from pybinlog.feed.span import Span
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.views.batch import ViewBatch

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The size of a batch: Python objects take many times the bytes that they are made of."""


def dictionaries(batch: ViewBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch by the names of its columns; times are datetimes in UTC, JSON is Python's values."""
    columns = []
    for column in batch.columns:
        values = column.values(0, batch.count)
        if column.kind is Kind.TIMESTAMP:
            values = [None if value is None else EPOCH + timedelta(microseconds=value) for value in values]
        elif column.kind is Kind.JSON:
            values = [None if value is None else json.loads(value) for value in values]
        columns.append(values)
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.names, row, strict=True))


def typed_rows(feed: Feed, options: ViewOptions, span: Span) -> Generator[dict[str, Any], None, None]:
    """Yield rows of the view rows; `before` and `after` are dictionaries with the values of `Event.rows`."""
    options = options.replace(batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES)
    rows = kernel_view(options, make=objects)
    with closing(feed.read(span, rows, scope_of(options))) as reading:
        for _ in reading:
            yield from rows.pop()


ALL = (1 << 63) - 1


class EventGtids:
    """Give it every batch of the log, in order."""

    def __init__(self) -> None:
        options = ViewOptions(columns=("gtid",))
        self._rows = events(Making(options, options.definition, options.column_names, Spill()))
        self._rows.permissive = True
        self._rows.most_rows = self._rows.most_bytes = ALL

    def of(self, batch: EventBatch) -> Strings:
        """Return a string, or null, for each event of the batch."""
        rows, at = self._rows, 0
        while at < batch.count:
            at = rows.add(batch, at)
            if rows.status == kernel.VIEW_DONE:
                break
            header = batch.header(min(at, batch.count - 1))
            if rows.status == kernel.VIEW_NO_MEMORY:
                raise OutOfMemory(
                    "not enough memory for the GTIDs of events", file=batch.file, position=header.position
                )
            if rows.status == kernel.VIEW_PAYLOAD:
                rows.events.enter_payload(header.position, header.end)  # its events are those of its transaction
                rows.leave_payload()
            at += 1
        return Strings(Kind.STRING, rows.pop()["gtid"])
