"""ChangeReader: the changes of spans of logs, handed to a judge."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from pybinlog.kernel.base.event import FORMAT_DESCRIPTION
from pybinlog.views.batch import ViewBatch
from pybinlog.views.kernel_views import columns_of
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.undo.judge import Judge
    from pybinlog.views.kernel_views import Making
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.views.view import View

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The most in a batch: Python objects take many times the bytes that they are made of."""
WANTED = {"position", "thread_id"}
"""The columns of the view rows that cost something."""


class ChangeReader(ViewReader):
    """Reads the view rows for a judge. `later`: the logs are after those whose rows are taken back."""

    def __init__(self, options: ViewOptions, judge: Judge, *, catalog: Catalog, later: bool = False, **more: Any):
        self._judge = judge
        self._later = later
        judge.catalog = catalog
        super().__init__(replace(options, batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES), catalog=catalog, **more)

    def read_changes(self, span: Span) -> None:
        """Let the judge take the changes of a span."""
        with closing(self.batches(span)) as batches:
            for batch in batches:
                assert isinstance(batch, ChangeBatch)
                self._judge.add(batch.changes)
        if self._judge.request.as_events:
            self._sink.report()
        self._judge.skipped += self._sink.skipped

    def _make(self, making: Making) -> KernelView:
        from pybinlog.kernel.condition.row_condition import RowCondition
        from pybinlog.kernel.undo.change_view import ChangedRows, ChangeView
        from pybinlog.kernel.undo.turned_rows import TurnedRows

        where = making.options.where
        condition = None if where is None else RowCondition(where.binder(), where.drops_unknown)
        cells = [(column.name, column.kind.form) for column in ROWS.columns]
        sink = (TurnedRows if self._judge.request.as_events else ChangedRows)(cells, self._judge)
        if isinstance(sink, TurnedRows):
            of = making.options
            sink.limit(of.first_position, of.stop_position, of.start_time, of.stop_time)
        sink.keys, sink.skips = self._judge.keys, self._judge.skips
        self._sink = sink
        view = ChangeView(making.events, columns_of((), set()), sink, WANTED, condition)
        view.later = self._later
        return view

    def _add(self, rows: KernelView, batch: EventBatch, *more: Any, inside: bool = False) -> Iterator[ViewBatch]:
        if batch.count and not inside and batch.type(0) == FORMAT_DESCRIPTION:
            rows.changes.checksums = batch.checksum_algorithm == 1
            if self._judge.request.as_events:
                self._sink.report()
            self._judge.format_description(batch.data(0))
        return super()._add(rows, batch, *more, inside=inside)

    def _take(self, rows: KernelView) -> ViewBatch:
        return ChangeBatch(self._view, rows.pop())


class ChangeBatch(ViewBatch):
    """Changes, and no columns."""

    def __init__(self, view: View, changes: list[tuple[Any, ...]]):
        super().__init__(view, (), {}, len(changes))
        self.changes = changes
