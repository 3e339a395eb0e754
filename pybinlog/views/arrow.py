"""The kernel's columns as pyarrow's: buffers are handed over, values are not looked at."""

from __future__ import annotations

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError
from pybinlog.views.schema import Kind, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pyarrow

    from pybinlog.views.column_values import Buffers


def require_pyarrow(other_way: str = "") -> Any:
    """The module pyarrow. BinlogError where it is not installed, with another way out where there is one."""
    try:
        import pyarrow
    except ImportError as error:
        raise BinlogError(
            f"this needs pyarrow, which cannot be imported ({error})", hint=how_to_install("export") + other_way
        ) from None
    return pyarrow


def arrow_type(kind: Kind) -> pyarrow.DataType:
    pa = require_pyarrow()
    if kind is Kind.LONG:
        return pa.int64()
    if kind is Kind.INTEGER:
        return pa.int32()
    if kind is Kind.BOOLEAN:
        return pa.bool_()
    if kind is Kind.TIMESTAMP:
        return pa.timestamp("us", tz="UTC")
    if kind is Kind.STRINGS:
        return pa.list_(pa.field("element", pa.string()))
    return pa.string()


def arrow_schema(view: View, names: tuple[str, ...]) -> pyarrow.Schema:
    """The schema of these columns of a view."""
    pa = require_pyarrow()
    return pa.schema([pa.field(name, arrow_type(view.column(name).kind)) for name in names])


def record_batch(
    taken: Mapping[str, Buffers], schema: pyarrow.Schema, view: View, names: tuple[str, ...], count: int
) -> pyarrow.RecordBatch:
    """The columns `names` of the view as a batch of that schema; `taken` is what ViewColumns.take() gave."""
    pa = require_pyarrow()
    arrays = []
    for name, field in zip(names, schema, strict=True):
        kind = view.column(name).kind
        children = [array(taken[f"{name}.element"], pa.string())] if kind is Kind.STRINGS else None
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
