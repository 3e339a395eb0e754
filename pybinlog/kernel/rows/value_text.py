# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The values of columns as text, in the reference's form, each by its kind."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.value_text is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.lenenc import octets
from cython.cimports.pybinlog.kernel.base.quoted import put_bits, put_quoted
from cython.cimports.pybinlog.kernel.base.text import (
    Text,
    put_char,
    put_hex,
    put_text,
    put_unsigned,
    text_grow,
    text_relieve,
)
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME, KIND_TIME
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_BIT,
    VALUE_BYTES,
    VALUE_DATE,
    VALUE_DATETIME,
    VALUE_DECIMAL,
    VALUE_DOUBLE,
    VALUE_ENUM,
    VALUE_FLOAT,
    VALUE_INTEGER,
    VALUE_JSON,
    VALUE_JSON_DIFF,
    VALUE_SET,
    VALUE_TIME,
    VALUE_TIMESTAMP,
    VALUE_TRUNCATED,
    VALUE_VECTOR,
    VALUE_YEAR,
    ValueKind,
)
from cython.cimports.pybinlog.kernel.rows.decimal_value import put_decimal
from cython.cimports.pybinlog.kernel.rows.float_value import put_double, put_float, put_vector_element
from cython.cimports.pybinlog.kernel.rows.json_diff import put_json_diff
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_column
from cython.cimports.pybinlog.kernel.rows.table_map import TYPE_BLOB, TYPE_ENUM, Column
from cython.cimports.pybinlog.kernel.rows.temporal_value import (
    put_date,
    put_datetime,
    put_old_datetime,
    put_old_time,
    put_time,
    put_timestamp,
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_unreadable(text: cython.pointer(Text), column: cython.pointer(cython.const[Column])) -> cython.void:
    """What stands in the place of a value whose type the reference cannot show."""
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


def put_value(text, scratch, value):
    kind: ValueKind = value.kind
    if kind == VALUE_INTEGER:
        put_both_ways(text, value.signed, value.unsigned)
    elif kind == VALUE_BYTES:
        put_quoted(text, value.data, value.size)
    elif kind == VALUE_DECIMAL:
        if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
            put_char(text, 48)
    elif kind == VALUE_DATETIME:
        if value.column.kind == KIND_DATETIME:
            put_old_datetime(text, cython.address(value.moment))
        else:
            put_char(text, 39)
            put_datetime(text, cython.address(value.moment), value.column.metadata)
            put_char(text, 39)
    elif kind == VALUE_TIMESTAMP:
        put_timestamp(text, value.signed, value.moment.microsecond, value.column.metadata)
    elif kind == VALUE_TIME:
        put_char(text, 39)
        if value.column.kind == KIND_TIME:
            put_old_time(text, cython.address(value.moment))
        else:
            put_time(text, cython.address(value.moment), value.column.metadata)
        put_char(text, 39)
    elif kind == VALUE_DATE:
        put_char(text, 39)
        put_date(text, cython.address(value.moment))
        put_char(text, 39)
    elif kind == VALUE_YEAR:
        put_unsigned(text, value.unsigned if value.unsigned else 1900)
    elif kind == VALUE_ENUM:
        put_unsigned(text, value.unsigned)
    elif kind == VALUE_SET or kind == VALUE_BIT:
        put_bits(text, value.data, 8 * value.size if kind == VALUE_SET else value.unsigned)
        return value.size != 0  # the reference takes a value without bytes for an error
    elif kind == VALUE_FLOAT:
        put_float(text, value.real)
    elif kind == VALUE_DOUBLE:
        put_double(text, value.real)
    elif kind == VALUE_JSON:
        return put_json_column(text, scratch, value.data, value.size)
    elif kind == VALUE_JSON_DIFF:
        put_json_diff(text, scratch, value.data, value.size, value.number)
    elif kind == VALUE_VECTOR:
        put_vector(text, value.data, value.size)
    elif kind == VALUE_TRUNCATED:
        put_text(text, b"***Corrupted replication event was detected: field data is truncated; there are only ")
        put_unsigned(text, value.size)
        put_text(text, b" bytes left of the event. Not printing the value***\n")
        return False
    else:
        put_unreadable(text, value.column)
        return False
    return True
