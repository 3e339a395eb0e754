"""ViewBatch: some rows of a view, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from struct import pack

from pybinlog.kernel.views.row_text import RowText
from pybinlog.views.column_values import column_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow

    from pybinlog.views.column_values import Buffers, ColumnValues
    from pybinlog.views.view import View


class ViewBatch:
    """`count` rows of the columns `names` of a view; `taken` is what ViewColumns.pop() gave.

    `columns` has their values for Python, `text` makes lines of them, `to_arrow` pyarrow's record batch of the same
    memory.
    """

    def __init__(self, view: View, names: tuple[str, ...], taken: Mapping[str, Buffers], count: int):
        self.view = view
        self.names = names
        self.taken = taken
        self.count = count

    def only(self, names: tuple[str, ...]) -> ViewBatch:
        """Return the same rows with some of the columns."""
        return self if names == self.names else ViewBatch(self.view, names, self.taken, self.count)

    @cached_property
    def columns(self) -> list[ColumnValues]:
        """The columns in the order of their names."""
        return [column_values(self.taken, self.view.column(name)) for name in self.names]

    def text(self, form: int, befores: Sequence[bytes], after: bytes) -> RowText:
        """Return the rows as lines in a form of `kernel.views.row_text`; `befores` stand before the cells of a line."""
        columns = []
        for name, before in zip(self.names, befores, strict=True):
            column = self.view.column(name)
            name, scale = column.source_name, column.scale
            others = strings(column.members) if column.members else self.taken.get(f"{name}.element")
            columns.append((column.kind.form, self.taken[name], others, before, int(column.layout), scale))
        return RowText(columns, after, form)

    def to_arrow(self, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
        """Return a record batch of that schema. BinlogError where pyarrow is not installed."""
        from pybinlog.views.arrow import record_batch

        return record_batch(self.taken, schema, self.view, self.names, self.count)


@dataclass(frozen=True)
class LineForm:
    """How rows become lines: `form` is one of `kernel.views.row_text`, and `befores` stand before the cells.

    `keys` are columns, maybe others, whose values a batch tells of runs of its lines.
    """

    form: int
    befores: tuple[bytes, ...]
    after: bytes
    keys: tuple[str, ...] = ()


class LineBatch(ViewBatch):
    """`count` rows as `lines`, without columns; `runs` have equal keys: where each begins, and the keys' values.

    A value is the bytes of a text, the days since 1970 of a time, or None.
    """

    def __init__(
        self,
        view: View,
        names: tuple[str, ...],
        lines: memoryview,
        count: int,
        runs: list[tuple[int, tuple[bytes | int | None, ...]]],
    ):
        super().__init__(view, names, {}, count)
        self.lines = lines
        self.runs = runs


def strings(values: Sequence[str]) -> Buffers:
    """Strings in Arrow's layout."""
    parts = [value.encode() for value in values]
    offsets = [0, *accumulate(map(len, parts))]
    return len(parts), 0, None, pack(f"{len(offsets)}i", *offsets), b"".join(parts)
