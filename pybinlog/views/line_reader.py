"""LineReader: the view `rows` of a span as lines of text."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.views.batch import LineBatch
from pybinlog.views.reader import ViewReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pybinlog.kernel.views.row_lines import RowLines
    from pybinlog.kernel.views.view_columns import ViewColumns
    from pybinlog.views.options import ViewOptions

PORTION = 1 << 19
"""Bytes of lines in a batch, about: they are still in the processor's cache when they are written."""


@dataclass(frozen=True)
class LineForm:
    """How rows become lines: `form` is one of `kernel.views.row_text`, and `befores` stand before the cells."""

    form: int
    befores: tuple[bytes, ...]
    after: bytes


class LineReader(ViewReader):
    """A ViewReader whose batches are LineBatches."""

    def __init__(self, options: ViewOptions, form: LineForm, **more: Any):
        super().__init__(options, **more)
        self._form = form

    def _new_columns(self, wanted: set[str], rolled_back: frozenset[tuple[int, int]]) -> RowLines:
        from pybinlog.kernel.views.row_lines import RowLines

        form = self._form
        cells = list(zip(self._names, form.befores, strict=True))
        columns = RowLines(wanted, self._filter, self._options.shows_ddl, cells, form.after, form.form)
        columns.rolled_back = rolled_back or None
        columns.catalog = self._catalog
        return columns

    def _columns(self, rolled_back: frozenset[tuple[int, int]] = frozenset()) -> ViewColumns:
        columns = super()._columns(rolled_back)
        columns.most_bytes = min(columns.most_bytes, PORTION)
        return columns

    def _take(self, columns: ViewColumns) -> LineBatch:
        rows: RowLines = columns
        lines, line_count = rows.take_lines()
        count = rows.count  # of the rows that are no lines
        return LineBatch(self._view, self._names, rows.take() if count else {}, count, lines, line_count)
