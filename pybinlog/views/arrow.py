"""The kernel's columns as pyarrow's: buffers are handed over, values are not looked at."""

from __future__ import annotations

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError
from pybinlog.views.kind import Form, Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pyarrow

    from pybinlog.views.column_values import Buffers
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


def arrow_type(column: Column) -> pyarrow.DataType:
    pa = require_pyarrow()
    kind = column.kind
    if kind.form is Form.DECIMAL:
        make = pa.decimal128 if column.layout is Layout.INT128 else pa.decimal256
        return make(column.precision, column.scale)
    if kind.form is Form.MEMBER:
        return pa.dictionary(pa.int32(), pa.string())
    if kind.form is Form.TIMESTAMP:
        return pa.timestamp("us", tz="UTC")
    type = pa.type_for_alias(kind.arrow)
    return pa.list_(pa.field("element", type)) if kind.layout is Layout.LISTS else type


def arrow_schema(view: View, names: tuple[str, ...]) -> pyarrow.Schema:
    """Return the schema of these columns of a view."""
    pa = require_pyarrow()
    return pa.schema([pa.field(name, arrow_type(view.column(name))) for name in names])


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
