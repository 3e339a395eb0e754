"""ViewBatch: some rows of a view, column by column; pyarrow gets their buffers, and no value is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from struct import pack

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError
from pybinlog.kernel.views.row_text import RowText
from pybinlog.views.column_values import column_values
from pybinlog.views.view import Form, Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pyarrow

    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.views.column_values import Buffers, ColumnValues
    from pybinlog.views.view import Column, View


def require_pyarrow(other_way: str = "") -> Any:
    """Return the module pyarrow. Raise BinlogError if it is not installed, with another way out if there is one."""
    try:
        import pyarrow
    except ImportError as error:
        raise BinlogError(
            f"this needs pyarrow, which cannot be imported ({error})", hint=how_to_install("export") + other_way
        ) from None
    return pyarrow


def arrow_type(column: Column, *, for_frames: bool = False, narrow: bool = False) -> pyarrow.DataType:
    """Return the type of a column in Arrow, as files have it.

    `for_frames`: JSON says that it is JSON, if this pyarrow knows the type. `narrow`: no decimal has 256 bits; those
    are text.
    """
    pa = require_pyarrow()
    kind = column.kind
    if for_frames and kind.form is Form.JSON and hasattr(pa, "json_"):
        return pa.json_()
    if kind.form is Form.DECIMAL:
        if narrow and column.layout is Layout.INT256:
            return pa.string()
        make = pa.decimal128 if column.layout is Layout.INT128 else pa.decimal256
        return make(column.precision, column.scale)
    if kind.form is Form.MEMBER:
        return pa.dictionary(pa.int32(), pa.string())
    if kind.form is Form.TIMESTAMP:
        return pa.timestamp("us", tz="UTC")
    type = pa.type_for_alias(kind.arrow)
    return pa.list_(pa.field("element", type)) if kind.layout is Layout.LISTS else type


def arrow_schema(view: View, names: tuple[str, ...], **kinds: bool) -> pyarrow.Schema:
    """Return the schema of these columns of a view; `kinds` are as in `arrow_type`."""
    pa = require_pyarrow()
    return pa.schema([pa.field(name, arrow_type(view.column(name), **kinds)) for name in names])


def record_batch(
    taken: Mapping[str, Buffers], schema: pyarrow.Schema, view: View, names: tuple[str, ...], count: int
) -> pyarrow.RecordBatch:
    """Return the columns `names` of the view as a batch of that schema; `taken` is what ViewColumns.pop() gave."""
    pa = require_pyarrow()
    arrays = []
    for name, field in zip(names, schema, strict=True):
        column = view.column(name)
        kind, name = column.kind, column.source_name
        if kind.form is Form.MEMBER and field.type == arrow_type(column):
            places = array(taken[name], pa.int32())
            arrays.append(pa.DictionaryArray.from_arrays(places, pa.array(column.members, pa.string())))
            continue
        if kind.form is Form.JSON and field.type != pa.string():
            arrays.append(pa.ExtensionArray.from_storage(field.type, array(taken[name], field.type.storage_type)))
            continue
        if kind.form is Form.DECIMAL and field.type == pa.string():
            wide = array(taken[name], arrow_type(column)).to_pylist()
            arrays.append(pa.array([None if value is None else f"{value:f}" for value in wide], pa.string()))
            continue
        children = None if kind.elements is None else [array(taken[f"{name}.element"], field.type.value_type)]
        arrays.append(array(taken[name], field.type, children))
    if not arrays:
        return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def array(buffers: Buffers, type: pyarrow.DataType, children: list[Any] | None = None) -> pyarrow.Array:
    pa = require_pyarrow()
    count, nulls, valid, values, data = buffers
    parts = [None if valid is None else pa.py_buffer(valid), pa.py_buffer(values)]
    if data is not None:
        parts.append(pa.py_buffer(data))
    return pa.Array.from_buffers(type, count, parts, nulls, 0, children)


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

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as tuples of values for Python."""
        return zip(*(column.values(0, self.count) for column in self.columns), strict=True)

    def text(self, lines: LineForm) -> RowText:
        """Return the rows as lines of that form."""
        columns = []
        for name, before in zip(self.names, lines.befores, strict=True):
            column = self.view.column(name)
            name, scale = column.source_name, column.scale
            others = strings(column.members) if column.members else self.taken.get(f"{name}.element")
            columns.append((column.kind.form, self.taken[name], others, before, int(column.layout), scale))
        return RowText(columns, lines.after, lines.form)

    def to_arrow(self, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
        """Return a record batch of that schema. BinlogError where pyarrow is not installed."""
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
    """Return the strings in Arrow's layout."""
    parts = [value.encode() for value in values]
    offsets = [0, *accumulate(map(len, parts))]
    return len(parts), 0, None, pack(f"{len(offsets)}i", *offsets), b"".join(parts)


def view_batch(rows: KernelView, view: View, names: tuple[str, ...]) -> ViewBatch:
    """Take the rows that a view of the kernel has, with these columns: a LineBatch if they are lines."""
    count = rows.count
    taken = rows.pop()
    return LineBatch(view, names, *taken) if isinstance(taken, tuple) else ViewBatch(view, names, taken, count)
