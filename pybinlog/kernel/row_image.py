# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row images passed over: what a value is like does not matter, only where it ends."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.row_image is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.column import (
    KIND_BYTES,
    KIND_JSON,
    KIND_UNREADABLE,
    KIND_UNREADABLE_BLOB,
    KIND_VECTOR,
)
from cython.cimports.pybinlog.kernel.format import read_u16, read_u24, read_u32
from cython.cimports.pybinlog.kernel.packed import octets, read_packed
from cython.cimports.pybinlog.kernel.rows import ROWS_UPDATE
from cython.cimports.pybinlog.kernel.table_map import Column

PARTIAL_JSON = cython.declare(uint64_t, 1)  # in the value options of an after image


def skip_value(column, at, end):
    size: cython.size_t = column.size
    length: uint64_t
    # how long a value of an unreadable kind is nobody knows
    if size > cython.cast(cython.size_t, end - at) or column.kind == KIND_UNREADABLE:
        return cython.NULL
    if (
        column.kind == KIND_BYTES
        or column.kind == KIND_JSON
        or column.kind == KIND_VECTOR
        or column.kind == KIND_UNREADABLE_BLOB
    ):
        if size == 1:
            length = at[0]
        elif size == 2:
            length = read_u16(at)
        elif size == 3:
            length = read_u24(at)
        else:
            length = read_u32(at)
        at += size
        return at + length if length <= cython.cast(uint64_t, end - at) else cython.NULL
    return at + size


def skip_image(fields, map, at, end, after):
    present: octets = fields.columns_after if after else fields.columns
    count: cython.size_t = map.fields.column_count
    options: uint64_t = 0
    null_bits: octets
    null_bit: cython.size_t = 0
    size: cython.size_t
    i: cython.size_t
    start: octets = at
    if fields.partial and after:
        if not read_packed(cython.address(at), end, cython.address(options)):
            return cython.NULL
        if options & PARTIAL_JSON:
            size = (map.json_columns + 7) // 8
            if size > cython.cast(cython.size_t, end - at):
                return cython.NULL
            at += size
    null_bits = at
    size = fields.null_bytes_after if after else fields.null_bytes
    if size > cython.cast(cython.size_t, end - at):
        return cython.NULL
    at += size
    if count > fields.column_count:
        count = fields.column_count
    for i in range(count):
        if (present[i >> 3] >> (i & 7)) & 1:
            if not (null_bits[null_bit >> 3] >> (null_bit & 7)) & 1:
                at = skip_value(cython.address(map.columns[i]), at, end)
                if at == cython.NULL:
                    return cython.NULL
            null_bit += 1
    return at if at != start else cython.NULL


def count_rows(fields, map):
    at: octets = fields.rows
    end: octets = fields.rows + fields.rows_size
    count: int64_t = 0
    while at != end:
        at = skip_image(fields, map, at, end, False)
        if at != cython.NULL and fields.kind == ROWS_UPDATE:
            at = skip_image(fields, map, at, end, True)
        if at == cython.NULL:
            return -1
        count += 1
    return count
