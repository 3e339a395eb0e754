# One value of a row image, typed. There is no column_value.py: row_image.pxd reads it.
from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.table_map cimport p_const_Column
from pybinlog.kernel.rows.temporal_value cimport Moment

# The kind of a value, and the fields of its ColumnValue that hold it. Its column says the rest: DECIMAL's precision and
# scale, the decimals of seconds, whether a number has a sign, a string's collation.
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
    VALUE_FLOATS = 18                  # `data`, `size`: floats of four bytes
    VALUE_OPAQUE = 19                  # `data`, `size`: GEOMETRY, and types that only its length is known of

# Fields that the kind does not name hold what they held before. The pointers lead into the event and the map.
cdef struct ColumnValue:
    p_const_Column column
    size_t number                      # of the column, from 1
    ValueKind kind
    octets data
    size_t size
    int64_t signed
    uint64_t unsigned
    double real
    Moment moment
ctypedef const ColumnValue* p_const_ColumnValue

cdef inline uint64_t bits_of(p_const_ColumnValue value) noexcept nogil:
    """The bits of a BIT or a SET as a number, of which it has 64 at most."""
    cdef uint64_t bits = 0
    cdef size_t i
    for i in range(value.size if value.size < 8 else 8):
        bits |= <uint64_t>value.data[value.size - 1 - i if value.kind == VALUE_BIT else i] << (8 * i)
    if value.kind == VALUE_BIT and value.unsigned < 64:
        bits &= (<uint64_t>1 << value.unsigned) - 1
    return bits
