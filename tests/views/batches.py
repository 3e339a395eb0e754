"""Batches of values, in the memory that pyarrow makes for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pybinlog.views.batch import ViewBatch, arrow_type
from pybinlog.views.view import Column, Kind, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.views.column_values import Buffers


def batch_of(columns: Mapping[str, tuple[Kind, Sequence[Any]]]) -> ViewBatch:
    """Return a batch of a view with these columns and their values; skip the test if there is no pyarrow."""
    pyarrow = pytest.importorskip("pyarrow")
    taken: dict[str, Buffers] = {}
    count = 0
    for name, (kind, values) in columns.items():
        array = pyarrow.array(values, arrow_type(Column(name, kind)))
        count = len(array)
        taken[name] = buffers(array, data=kind in (Kind.STRING, Kind.JSON, Kind.BINARY))
        if kind is Kind.STRINGS:
            taken[f"{name}.element"] = buffers(array.values, data=True)
    view = View("test", "for tests", tuple(Column(name, kind) for name, (kind, _) in columns.items()))
    return ViewBatch(view, tuple(columns), taken, count)


def buffers(array: Any, *, data: bool) -> Buffers:
    assert array.offset == 0
    found = array.buffers()
    valid = bytes(found[0]) if array.null_count else None
    strings = bytes(found[2] or b"") if data else None
    values = bytes(found[1]) if found[1] is not None and found[1].size else bytes(4)
    return len(array), array.null_count, valid, values, strings
