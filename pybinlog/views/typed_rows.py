"""TypedRows: rows of views as dictionaries of Python values; EventGtids: for each event its transaction's GTID."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

from pybinlog.errors import OutOfMemory
from pybinlog.kernel.views import view_events as kernel
from pybinlog.views.batch import ViewBatch
from pybinlog.views.column_values import EPOCH, Spill, Strings
from pybinlog.views.kernel_views import Making, events, objects
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.view import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.views.span import Span
    from pybinlog.views.view import View

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


class TypedRows(ViewReader):
    """Reads the view rows as dictionaries; `before` and `after` are some, too, with the values of `Event.rows`."""

    def __init__(self, options: ViewOptions, *, catalog: Catalog, **more: Any):
        options = replace(options, batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES)
        super().__init__(options, as_it_comes=True, catalog=catalog, **more)

    def typed(self, span: Span) -> Generator[dict[str, Any], None, None]:
        """Yield the rows of a span, with the columns in the view's order."""
        with closing(self.batches(span)) as batches:
            for batch in batches:
                assert isinstance(batch, TypedBatch)
                yield from batch.dictionaries

    def _make(self, making: Making) -> KernelView:
        return objects(making)

    def _take(self, rows: KernelView) -> ViewBatch:
        return TypedBatch(self._view, rows.pop())


class TypedBatch(ViewBatch):
    """Rows as dictionaries, and no columns."""

    def __init__(self, view: View, dictionaries: list[dict[str, Any]]):
        super().__init__(view, (), {}, len(dictionaries))
        self.dictionaries = dictionaries


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
