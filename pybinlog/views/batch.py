"""ViewBatch: some rows of a view, column by column."""

from __future__ import annotations

from functools import cached_property

from pybinlog.views.column_values import column_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow

    from pybinlog.views.column_values import Buffers, ColumnValues
    from pybinlog.views.schema import View

__all__ = ["ViewBatch"]


class ViewBatch:
    """`count` rows of the columns `names` of a view; `taken` is what ViewColumns.take() gave.

    `columns` has their values for Python, `to_arrow` makes pyarrow's record batch of the same memory.
    """

    def __init__(self, view: View, names: tuple[str, ...], taken: Mapping[str, Buffers], count: int):
        self.view = view
        self.names = names
        self.taken = taken
        self.count = count

    @cached_property
    def columns(self) -> list[ColumnValues]:
        """The columns in the order of their names."""
        return [column_values(self.taken, name, self.view.column(name).kind) for name in self.names]

    def to_arrow(self, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
        """A record batch of that schema. BinlogError where pyarrow is not installed."""
        from pybinlog.views.arrow import record_batch

        return record_batch(self.taken, schema, self.view, self.names, self.count)
