# One value of a row image, typed. Inline functions only: there is no column_value.py.
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from pybinlog.kernel.base.event cimport read_u16, read_u24, read_u32, read_u64
from pybinlog.kernel.base.lenenc cimport octets, read_length
from pybinlog.kernel.rows.column cimport (
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
from pybinlog.kernel.rows.table_map cimport Column
from pybinlog.kernel.rows.temporal_value cimport (
    Moment,
    read_date,
    read_datetime2,
    read_old_datetime,
    read_old_time,
    read_time2,
    read_timestamp2,
)

# What a value is, and which fields of its ColumnValue hold it. Its column says the rest: DECIMAL's precision and scale,
# the decimals of seconds, whether a number has a sign, a string's collation.
cdef enum ValueKind:
    VALUE_TRUNCATED = 0                # it does not end before the event does, of which `size` bytes are left
    VALUE_UNREADABLE = 1               # its type is not known, nor how long it is
    VALUE_NULL = 2
    VALUE_INTEGER = 3                  # `signed` and `unsigned`: both readings
    VALUE_BYTES = 4                    # `data`, `size`: CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB
    VALUE_DECIMAL = 5                  # `data`, `size`: what put_decimal makes digits of
    VALUE_DATETIME = 6                 # `moment`
    VALUE_TIMESTAMP = 7                # `signed`: seconds since the epoch; moment.microsecond
    VALUE_TIME = 8                     # `moment`: negative, hour (up to 838), minute, second, microsecond
    VALUE_DATE = 9                     # `moment`: year, month, day
    VALUE_YEAR = 10                    # `unsigned`: 1901 to 2155, or 0
    VALUE_ENUM = 11                    # `unsigned`: the member's number from 1, or 0 for what is none of them
    VALUE_SET = 12                     # `data`, `size`: a bit for each member, the first in the lowest of the first byte
    VALUE_BIT = 13                     # `data`, `size`: big-endian; `unsigned`: how many bits
    VALUE_FLOAT = 14                   # `real`
    VALUE_DOUBLE = 15                  # `real`
    VALUE_JSON = 16                    # `data`, `size`: a document in the server's binary form
    VALUE_JSON_DIFF = 17               # `data`, `size`: the operations of a partial update
    VALUE_VECTOR = 18                  # `data`, `size`: floats of four bytes
    VALUE_OPAQUE = 19                  # `data`, `size`: GEOMETRY, and types that only its length is known of

# Fields that the kind does not name hold what they held before. The pointers lead into the event and the map.
cdef struct ColumnValue:
    const Column* column
    size_t number                      # of the column, from 1
    ValueKind kind
    octets data
    size_t size
    int64_t signed
    uint64_t unsigned
    double real
    Moment moment


cdef inline octets read_value(ColumnValue* value, octets at, octets end, bint partial) noexcept nogil:
    """Fill the value of value.column from the bytes at `at` (it is not null); the place after it.

    `partial`: it is a partial update of JSON. A value that is truncated or unreadable leaves the place as it was.
    """
    cdef const Column* column = value.column
    cdef size_t size = column.size
    cdef uint8_t kind = column.kind
    cdef uint64_t length
    cdef uint32_t number
    cdef float single
    cdef octets next
    if size > <size_t>(end - at):
        value.kind = VALUE_TRUNCATED
        value.size = end - at
        return at
    next = at + size
    if kind == KIND_INT32:
        number = read_u32(at)
        value.kind = VALUE_INTEGER
        value.signed = <int32_t>number
        value.unsigned = number
    elif kind == KIND_BYTES or kind == KIND_JSON or kind == KIND_VECTOR or kind == KIND_UNREADABLE_BLOB:
        length = read_length(at, size)
        if length > <uint64_t>(end - next):
            value.kind = VALUE_TRUNCATED
            value.size = end - at
            return at
        if kind == KIND_BYTES:
            value.kind = VALUE_BYTES
        elif kind == KIND_JSON:
            value.kind = VALUE_JSON_DIFF if partial else VALUE_JSON
        else:
            value.kind = VALUE_VECTOR if kind == KIND_VECTOR else VALUE_OPAQUE
        value.data = next
        value.size = length
        next += length
    elif kind == KIND_INT64:
        value.kind = VALUE_INTEGER
        value.unsigned = read_u64(at)
        value.signed = <int64_t>value.unsigned
    elif kind == KIND_INT8:
        value.kind = VALUE_INTEGER
        value.signed = <int8_t>at[0]
        value.unsigned = at[0]
    elif kind == KIND_INT16:
        value.kind = VALUE_INTEGER
        value.signed = <int16_t>read_u16(at)
        value.unsigned = read_u16(at)
    elif kind == KIND_INT24:
        number = read_u24(at)
        value.kind = VALUE_INTEGER
        value.signed = <int32_t>(number << 8) >> 8
        value.unsigned = number
    elif kind == KIND_DECIMAL:
        value.kind = VALUE_DECIMAL
        value.data = at
        value.size = size
    elif kind == KIND_DATETIME2:
        value.kind = VALUE_DATETIME
        read_datetime2(&value.moment, at, column.metadata)
    elif kind == KIND_TIMESTAMP2:
        value.kind = VALUE_TIMESTAMP
        value.signed = read_timestamp2(&value.moment, at, column.metadata)
    elif kind == KIND_TIME2:
        value.kind = VALUE_TIME
        read_time2(&value.moment, at, column.metadata)
    elif kind == KIND_DATE:
        value.kind = VALUE_DATE
        read_date(&value.moment, at)
    elif kind == KIND_YEAR:
        value.kind = VALUE_YEAR
        value.unsigned = 1900 + at[0] if at[0] else 0
    elif kind == KIND_ENUM:
        value.kind = VALUE_ENUM
        value.unsigned = at[0] if size == 1 else read_u16(at)
    elif kind == KIND_SET:
        value.kind = VALUE_SET
        value.data = at
        value.size = size
    elif kind == KIND_BIT:
        value.kind = VALUE_BIT
        value.data = at
        value.size = size
        value.unsigned = (column.metadata >> 8) * 8 + (column.metadata & 255)
    elif kind == KIND_FLOAT:
        memcpy(&single, at, 4)
        value.kind = VALUE_FLOAT
        value.real = single
    elif kind == KIND_DOUBLE:
        value.kind = VALUE_DOUBLE
        memcpy(&value.real, at, 8)
    elif kind == KIND_TIMESTAMP:
        value.kind = VALUE_TIMESTAMP
        value.signed = <int32_t>read_u32(at)
        value.moment.microsecond = 0
    elif kind == KIND_DATETIME:
        value.kind = VALUE_DATETIME
        read_old_datetime(&value.moment, at)
    elif kind == KIND_TIME:
        value.kind = VALUE_TIME
        read_old_time(&value.moment, at)
    else:
        value.kind = VALUE_UNREADABLE
        return at
    return next
