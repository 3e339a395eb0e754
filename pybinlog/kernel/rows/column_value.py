# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The values of columns as text, each by its column's kind."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.column_value is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.format import read_u16, read_u24, read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.packed import octets, read_length
from cython.cimports.pybinlog.kernel.base.quoted import put_bits, put_quoted
from cython.cimports.pybinlog.kernel.base.text import (
    Text,
    put_char,
    put_hex,
    put_signed,
    put_text,
    put_unsigned,
    text_grow,
    text_relieve,
)
from cython.cimports.pybinlog.kernel.rows.column import (
    KIND_BIT,
    KIND_BYTES,
    KIND_DATE,
    KIND_DATETIME,
    KIND_DATETIME2,
    KIND_DECIMAL,
    KIND_DOUBLE,
    KIND_ENUM,
    KIND_FLOAT,
    KIND_INT8,
    KIND_INT16,
    KIND_INT24,
    KIND_INT32,
    KIND_INT64,
    KIND_JSON,
    KIND_SET,
    KIND_TIME,
    KIND_TIME2,
    KIND_TIMESTAMP,
    KIND_TIMESTAMP2,
    KIND_UNREADABLE_BLOB,
    KIND_VECTOR,
    KIND_YEAR,
)
from cython.cimports.pybinlog.kernel.rows.decimal_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.float_value import put_double, put_float, put_vector_element
from cython.cimports.pybinlog.kernel.rows.json_diff import put_json_diff
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_column
from cython.cimports.pybinlog.kernel.rows.table_map import TYPE_BLOB, TYPE_ENUM, Column
from cython.cimports.pybinlog.kernel.rows.temporal_value import (
    put_date,
    put_datetime2,
    put_old_datetime,
    put_old_time,
    put_time2,
    put_timestamp2,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_truncated(text: cython.pointer(Text), at: octets, end: octets) -> octets:
    put_text(text, b"***Corrupted replication event was detected: field data is truncated; there are only ")
    put_unsigned(text, end - at)
    put_text(text, b" bytes left of the event. Not printing the value***\n")
    return cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_unreadable(text: cython.pointer(Text), column: cython.pointer(cython.const[Column])) -> octets:
    if column.type == TYPE_ENUM:
        put_text(text, b"!! Unknown ENUM packlen=")
        put_unsigned(text, column.metadata & 255)
    elif column.type == TYPE_BLOB:
        put_text(text, b"!! Unknown BLOB packlen=0")
    else:
        put_text(text, b"!! Don't know how to handle column type=")
        put_unsigned(text, column.type)
        put_text(text, b" meta=")
        put_unsigned(text, column.metadata)
        put_text(text, b" (")
        put_hex(text, column.metadata, 6 if column.metadata > 65535 else 4)
        put_text(text, b")\n")
    return cython.NULL


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_both_ways(text: cython.pointer(Text), signed: int64_t, unsigned: uint64_t) -> cython.void:
    """The number, and where it is negative what it is without a sign: "-1 (255)"."""
    at: cython.p_char
    if not text_grow(text, 56):
        return
    at = text.data + text.length
    if signed >= 0:
        at = write_unsigned(at, unsigned)
    else:
        at[0] = 45
        at = write_unsigned(at + 1, cython.cast(uint64_t, 0) - cython.cast(uint64_t, signed))
        at[0] = 32
        at[1] = 40
        at = write_unsigned(at + 2, unsigned)
        at[0] = 41
        at += 1
    text.length = at - text.data


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_vector(text: cython.pointer(Text), data: octets, size: cython.size_t) -> cython.void:
    i: cython.size_t
    put_char(text, 91)
    for i in range(size // 4):
        if i:
            put_char(text, 44)
        if i & 4095 == 0:
            text_relieve(text)
        put_vector_element(text, data + 4 * i)
    put_char(text, 93)


def put_column_value(text, column, at, end, scratch, number, partial):
    size: cython.size_t = column.size
    length: uint64_t = 0
    value: uint32_t
    kind: uint8_t = column.kind
    next: octets
    if size > cython.cast(cython.size_t, end - at):
        return put_truncated(text, at, end)
    next = at + size
    if kind == KIND_INT32:
        value = read_u32(at)
        put_both_ways(text, cython.cast(int32_t, value), value)
    elif kind == KIND_BYTES or kind == KIND_JSON or kind == KIND_VECTOR or kind == KIND_UNREADABLE_BLOB:
        length = read_length(at, size)
        if length > cython.cast(uint64_t, end - next):
            return put_truncated(text, at, end)
        if kind == KIND_BYTES:
            put_quoted(text, next, length)
        elif kind == KIND_JSON:
            if partial:
                put_json_diff(text, scratch, next, length, number)
            elif not put_json_column(text, scratch, next, length):
                return cython.NULL
        elif kind == KIND_VECTOR:
            put_vector(text, next, length)
        else:
            return put_unreadable(text, column)
        next += length
    elif kind == KIND_INT64:
        length = read_u64(at)
        put_both_ways(text, cython.cast(int64_t, length), length)
    elif kind == KIND_INT8:
        put_both_ways(text, cython.cast(int8_t, at[0]), at[0])
    elif kind == KIND_INT16:
        value = read_u16(at)
        put_both_ways(text, cython.cast(int16_t, value), value)
    elif kind == KIND_INT24:
        value = read_u24(at)
        put_both_ways(text, cython.cast(int32_t, value << 8) >> 8, value)
    elif kind == KIND_DECIMAL:
        if not put_decimal(text, at, column.metadata >> 8, column.decimals):
            put_char(text, 48)
    elif kind == KIND_DATETIME2:
        put_char(text, 39)
        put_datetime2(text, at, column.metadata)
        put_char(text, 39)
    elif kind == KIND_TIMESTAMP2:
        put_timestamp2(text, at, column.metadata)
    elif kind == KIND_TIME2:
        put_char(text, 39)
        put_time2(text, at, column.metadata)
        put_char(text, 39)
    elif kind == KIND_DATE:
        put_char(text, 39)
        put_date(text, at)
        put_char(text, 39)
    elif kind == KIND_YEAR:
        put_signed(text, 1900 + cython.cast(cython.int, at[0]))
    elif kind == KIND_ENUM:
        put_signed(text, cython.cast(cython.int, at[0]) if size == 1 else cython.cast(cython.int, read_u16(at)))
    elif kind == KIND_SET or kind == KIND_BIT:
        put_bits(text, at, 8 * size if kind == KIND_SET else (column.metadata >> 8) * 8 + (column.metadata & 255))
        if size == 0:
            # The reference takes a value without bytes for an error.
            return cython.NULL
    elif kind == KIND_FLOAT:
        put_float(text, at)
    elif kind == KIND_DOUBLE:
        put_double(text, at)
    elif kind == KIND_TIMESTAMP:
        put_signed(text, cython.cast(int32_t, read_u32(at)))
    elif kind == KIND_DATETIME:
        put_old_datetime(text, at)
    elif kind == KIND_TIME:
        put_char(text, 39)
        put_old_time(text, at)
        put_char(text, 39)
    else:
        return put_unreadable(text, column)
    return next


def put_null_value(text, column):
    put_unreadable(text, column)
