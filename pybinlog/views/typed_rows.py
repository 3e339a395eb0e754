"""Rows of views as dictionaries of Python values; EventGtids: for each event its transaction's GTID."""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from datetime import date, timedelta
from typing import Any

from pybinlog.errors import OutOfMemory
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.views import view_events as kernel
from pybinlog.views.batch import ViewBatch
from pybinlog.views.column_values import EPOCH, Spill, Strings
from pybinlog.views.kernel_views import Making, events, kernel_view, objects, scope_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.view import Form, Kind

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The size of a batch: Python objects take many times the bytes that they are made of."""


FIRST_DAY = EPOCH.toordinal()
NO_ZONE = EPOCH.replace(tzinfo=None)
PYTHON_VALUES: dict[Form, Callable[[Any], Any]] = {
    Form.TIMESTAMP: lambda value: EPOCH + timedelta(microseconds=value),
    Form.DATETIME: lambda value: NO_ZONE + timedelta(microseconds=value),
    Form.DATE: lambda value: date.fromordinal(FIRST_DAY + value),
    Form.DURATION: lambda value: timedelta(microseconds=value),
    Form.JSON: json.loads,
}
"""Forms whose values ColumnValues has as numbers or text -> what makes Python's values of them."""


def dictionaries(batch: ViewBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch by the names of its columns, with Python's values, also of times and JSON.

    A TIMESTAMP is a datetime in UTC, a DATETIME one without a time zone, a TIME a timedelta.
    """
    columns = []
    for column in batch.columns:
        values = column.values(0, batch.count)
        if (made := PYTHON_VALUES.get(column.kind.form)) is not None:
            values = [None if value is None else made(value) for value in values]
        columns.append(values)
    for row in zip(*columns, strict=True):
        yield dict(zip(batch.names, row, strict=True))


def read_dictionaries(reader: ViewReader, span: Span) -> Generator[dict[str, Any], None, None]:
    """Yield the rows of a view as dictionaries."""
    with closing(reader.batches(span)) as batches:
        for batch in batches:
            yield from dictionaries(batch)


def typed_rows(feed: Feed, options: ViewOptions, span: Span) -> Generator[dict[str, Any], None, None]:
    """Yield rows of the view rows; `before` and `after` are dictionaries with the values of `Event.rows`."""
    options = options.replace(batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES)
    rows, names = kernel_view(options, make=objects), options.columns
    with closing(feed.read(span, rows, scope_of(options))) as reading:
        for _ in reading:
            found = rows.pop()
            yield from found if names is None else ({name: row[name] for name in names} for row in found)


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
