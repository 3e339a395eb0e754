"""ViewBatch: some rows of a view, column by column."""

from __future__ import annotations

from functools import cached_property

from pybinlog.kernel.views.row_text import (
    TEXT_OF_BOOLEAN,
    TEXT_OF_INTEGER,
    TEXT_OF_JSON,
    TEXT_OF_LIST,
    TEXT_OF_LONG,
    TEXT_OF_STRING,
    TEXT_OF_TIME,
    RowText,
)
from pybinlog.views.column_values import column_values
from pybinlog.views.schema import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow

    from pybinlog.views.column_values import Buffers, ColumnValues
    from pybinlog.views.schema import View

TEXTS = {
    Kind.STRING: TEXT_OF_STRING,
    Kind.LONG: TEXT_OF_LONG,
    Kind.INTEGER: TEXT_OF_INTEGER,
    Kind.BOOLEAN: TEXT_OF_BOOLEAN,
    Kind.TIMESTAMP: TEXT_OF_TIME,
    Kind.STRINGS: TEXT_OF_LIST,
    Kind.JSON: TEXT_OF_JSON,
}


class ViewBatch:
    """`count` rows of the columns `names` of a view; `taken` is what ViewColumns.take() gave.

    `columns` has their values for Python, `text` makes lines of them, `to_arrow` pyarrow's record batch of the same
    memory.
    """

    def __init__(self, view: View, names: tuple[str, ...], taken: Mapping[str, Buffers], count: int):
        self.view = view
        self.names = names
        self.taken = taken
        self.count = count

    def only(self, names: tuple[str, ...]) -> ViewBatch:
        """The same rows with some of the columns."""
        return self if names == self.names else ViewBatch(self.view, names, self.taken, self.count)

    @cached_property
    def columns(self) -> list[ColumnValues]:
        """The columns in the order of their names."""
        return [column_values(self.taken, name, self.view.column(name).kind) for name in self.names]

    def text(self, form: int, befores: Sequence[bytes], after: bytes) -> RowText:
        """The rows as lines in a form of `kernel.views.row_text`; `befores` stand before the cells of a line."""
        columns = []
        for name, before in zip(self.names, befores, strict=True):
            kind = TEXTS[self.view.column(name).kind]
            columns.append((kind, self.taken[name], self.taken.get(f"{name}.element"), before))
        return RowText(columns, after, form)

    def to_arrow(self, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
        """A record batch of that schema. BinlogError where pyarrow is not installed."""
        from pybinlog.views.arrow import record_batch

        return record_batch(self.taken, schema, self.view, self.names, self.count)
