"""ChangeReader: the changes of spans of logs, handed to a judge."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from pybinlog.views.batch import ViewBatch
from pybinlog.views.kernel_views import columns_of
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.undo.judge import Judge
    from pybinlog.views.kernel_views import Making
    from pybinlog.views.options import ViewOptions
    from pybinlog.views.span import Span
    from pybinlog.views.view import View

__all__ = ["ChangeReader"]

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The most in a batch: Python objects take many times the bytes that they are made of."""
WANTED = {"position", "thread_id"}
"""The columns of the view rows that cost something."""


class ChangeReader(ViewReader):
    """Reads the view rows for a judge."""

    def __init__(self, options: ViewOptions, judge: Judge, *, catalog: Catalog, **more: Any):
        self._judge = judge
        judge.catalog = catalog
        super().__init__(replace(options, batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES), catalog=catalog, **more)

    def read_changes(self, span: Span) -> None:
        """Let the judge take the changes of a span."""
        with closing(self.batches(span)) as batches:
            for batch in batches:
                assert isinstance(batch, ChangeBatch)
                self._judge.add(batch.changes)

    def _make(self, making: Making) -> KernelView:
        from pybinlog.kernel.condition.row_condition import RowCondition
        from pybinlog.kernel.undo.change_view import ChangedRows, ChangeView

        where = making.options.where
        condition = None if where is None else RowCondition(where.binder(), where.drops_unknown)
        sink = ChangedRows([(column.name, column.kind.form) for column in ROWS.columns], self._judge)
        return ChangeView(making.events, columns_of((), set()), sink, WANTED, condition)

    def _take(self, rows: KernelView) -> ViewBatch:
        return ChangeBatch(self._view, rows.pop())


class ChangeBatch(ViewBatch):
    """Changes, and no columns."""

    def __init__(self, view: View, changes: list[tuple[Any, ...]]):
        super().__init__(view, (), {}, len(changes))
        self.changes = changes
