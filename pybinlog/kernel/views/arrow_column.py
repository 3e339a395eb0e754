# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns in Arrow's layout, filled by compiled loops without an object for a value (arrow.apache.org, "Columnar")."""

import cython

from cython.cimports.libc.stdint import int32_t
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import put_memory, text_free, text_init, text_take


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin(column: cython.pointer(ArrowColumn)) -> cython.void:
    zero: int32_t = 0
    column.count = 0
    column.nulls = 0
    column.too_large = False
    column.values.length = 0
    column.data.length = 0
    column.data.drained = 0
    column.valid.length = 0
    if column.kind == STRINGS or column.kind == LISTS:
        put_memory(cython.address(column.values), cython.address(zero), 4)


def column_init(column, kind):
    memset(column, 0, cython.sizeof(ArrowColumn))
    column.kind = kind
    text_init(cython.address(column.values))
    text_init(cython.address(column.data))
    text_init(cython.address(column.valid))
    begin(column)


def column_free(column):
    text_free(cython.address(column.values))
    text_free(cython.address(column.data))
    text_free(cython.address(column.valid))


def column_go_back(column, mark):
    """Forget the values added since the mark."""
    keep: cython.int = mark.count & 7
    column.count = mark.count
    column.nulls = mark.nulls
    column.values.length = mark.values
    if mark.data < column.data.drained:
        column.data.drained = mark.data  # what is drained next takes the place of what was
    column.data.length = mark.data - column.data.drained
    column.valid.length = (mark.count + 7) >> 3
    column.too_large = False
    if keep and column.valid.length:
        column.valid.data[column.valid.length - 1] &= cython.cast(cython.char, (1 << keep) - 1)
        if column.kind == BITS:
            column.values.data[column.values.length - 1] &= cython.cast(cython.char, (1 << keep) - 1)


def column_cut(column, count):
    mark: ColumnMark
    i: cython.size_t
    end: int32_t = 0
    if column.count < count:
        return
    mark.count = count
    mark.nulls = column.nulls
    for i in range(count, column.count):
        if not (column.valid.data[i >> 3] >> (i & 7)) & 1:
            mark.nulls -= 1
    mark.data = data_length(column)
    if column.kind == BITS:
        mark.values = (count + 7) >> 3
    elif column.kind <= INT256:
        mark.values = count * cython.cast(cython.size_t, column.kind)
    else:
        mark.values = 4 * (count + 1)
        memcpy(cython.address(end), column.values.data + 4 * count, 4)
        if column.kind == STRINGS:
            mark.data = cython.cast(cython.size_t, end)
        else:
            column_cut(column.elements, cython.cast(cython.size_t, end))
    column_go_back(column, cython.address(mark))


def column_pop(column, drained):
    """(count, nulls, validity bits or None, values, data or None), and an empty column in its place.

    Of a column that was drained `drained` is the data.
    """
    count: cython.size_t = column.count
    nulls: cython.size_t = column.nulls
    valid: object = None
    data: object = None
    values: bytes = text_take(cython.address(column.values))
    if nulls:
        valid = text_take(cython.address(column.valid))
    if column.kind == STRINGS:
        data = text_take(cython.address(column.data)) if drained is None else drained
    begin(column)
    return count, nulls, valid, values, data
