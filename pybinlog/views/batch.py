"""ViewBatch: some rows of a view, column by column."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from struct import calcsize, pack

from pybinlog.kernel.views.row_text import (
    TEXT_OF_BOOLEAN,
    TEXT_OF_BYTES,
    TEXT_OF_DATE,
    TEXT_OF_DATETIME,
    TEXT_OF_DECIMAL,
    TEXT_OF_DOUBLE,
    TEXT_OF_DURATION,
    TEXT_OF_FLOAT,
    TEXT_OF_FLOATS,
    TEXT_OF_INTEGER,
    TEXT_OF_JSON,
    TEXT_OF_LIST,
    TEXT_OF_LONG,
    TEXT_OF_MEMBER,
    TEXT_OF_SIGNED,
    TEXT_OF_STRING,
    TEXT_OF_TIME,
    TEXT_OF_TIMESTAMP,
    TEXT_OF_UNSIGNED,
    RowText,
)
from pybinlog.views.column_values import NUMBERS, column_values, decimal_width
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
    Kind.INT8: TEXT_OF_SIGNED,
    Kind.INT16: TEXT_OF_SIGNED,
    Kind.UINT8: TEXT_OF_UNSIGNED,
    Kind.UINT16: TEXT_OF_UNSIGNED,
    Kind.UINT32: TEXT_OF_UNSIGNED,
    Kind.UINT64: TEXT_OF_UNSIGNED,
    Kind.FLOAT: TEXT_OF_FLOAT,
    Kind.DOUBLE: TEXT_OF_DOUBLE,
    Kind.DECIMAL: TEXT_OF_DECIMAL,
    Kind.DATETIME: TEXT_OF_DATETIME,
    Kind.DATE: TEXT_OF_DATE,
    Kind.TIME: TEXT_OF_DURATION,
    Kind.ENUM: TEXT_OF_MEMBER,
    Kind.FLOATS: TEXT_OF_FLOATS,
    Kind.BINARY: TEXT_OF_BYTES,
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

    @property
    def rows(self) -> int:
        """Rows in all."""
        return self.count

    def only(self, names: tuple[str, ...]) -> ViewBatch:
        """The same rows with some of the columns."""
        return self if names == self.names else ViewBatch(self.view, names, self.taken, self.count)

    @cached_property
    def columns(self) -> list[ColumnValues]:
        """The columns in the order of their names."""
        return [column_values(self.taken, self.view.column(name)) for name in self.names]

    def text(self, form: int, befores: Sequence[bytes], after: bytes) -> RowText:
        """The rows as lines in a form of `kernel.views.row_text`; `befores` stand before the cells of a line."""
        columns = []
        for name, before in zip(self.names, befores, strict=True):
            column = self.view.column(name)
            kind, name = TEXTS[column.kind], column.taken_as
            elements = self.taken.get(f"{name}.element")
            width = 0
            if column.kind is Kind.TIMESTAMP and column.scale is not None:
                kind = TEXT_OF_TIMESTAMP  # with the digits that the table's column has
            if column.kind in NUMBERS:
                width = calcsize(NUMBERS[column.kind])
            elif column.kind is Kind.DECIMAL:
                width = decimal_width(column)
            elif column.kind is Kind.ENUM:
                elements = strings(column.members)
                width = calcsize("i")
            columns.append((kind, self.taken[name], elements, before, width, column.scale or 0))
        return RowText(columns, after, form)

    def to_arrow(self, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
        """A record batch of that schema. BinlogError where pyarrow is not installed."""
        from pybinlog.views.arrow import record_batch

        return record_batch(self.taken, schema, self.view, self.names, self.count)


class LineBatch(ViewBatch):
    """Rows as lines: `lines` are `line_count` of them, and those after them, if there are any, are in columns."""

    def __init__(
        self,
        view: View,
        names: tuple[str, ...],
        taken: Mapping[str, Buffers],
        count: int,
        lines: memoryview,
        line_count: int,
    ):
        super().__init__(view, names, taken, count)
        self.lines = lines
        self.line_count = line_count

    @property
    def rows(self) -> int:
        return self.line_count + self.count


def strings(values: Sequence[str]) -> Buffers:
    """Strings in Arrow's layout."""
    parts = [value.encode() for value in values]
    offsets = [0, *accumulate(map(len, parts))]
    return len(parts), 0, None, pack(f"{len(offsets)}i", *offsets), b"".join(parts)
