from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_text, put_unsigned, Text, text_free
from pybinlog.kernel.rows.column_lists cimport Cursor
from pybinlog.kernel.rows.table_map cimport Column, p_TableMap, p_TableMaps


# How to read the values of a column.
cdef enum:
    KIND_UNKNOWN = 0                   # no size is known
    KIND_INT8 = 1
    KIND_INT16 = 2
    KIND_INT24 = 3
    KIND_INT32 = 4
    KIND_INT64 = 5
    KIND_PREFIXED = 6                  # a length in `size` bytes, and as many bytes: a `value` of column_value.pxd
    KIND_DECIMAL = 7
    KIND_DATETIME2 = 8
    KIND_TIMESTAMP2 = 9
    KIND_TIME2 = 10
    KIND_DATE = 11
    KIND_YEAR = 12
    KIND_ENUM = 13
    KIND_SET = 14
    KIND_BIT = 15
    KIND_FLOAT = 16
    KIND_DOUBLE = 17
    KIND_TIMESTAMP = 20
    KIND_DATETIME = 21
    KIND_TIME = 22
    KIND_UNREADABLE = 23               # of `size` bytes, which the text does not show

cdef enum:
    SHORT_PIECE = 16                   # bytes that may be read from any place of map.texts that a column names

# The verbosity of columns whose values are read and not printed.
cdef enum:
    VALUES = 1

# Make map.columns and map.texts for verbosity 1 or 2.
cdef bint table_map_columns(p_TableMaps maps, p_TableMap map, int level) noexcept nogil


cdef inline bint table_map_prepare(p_TableMaps maps, p_TableMap map, int verbosity) noexcept nogil:
    """Have map.columns and map.texts for this verbosity; False if there is no memory."""
    cdef int level = 2 if verbosity > 1 else 1
    return map.columns != NULL and map.verbosity == level or table_map_columns(maps, map, level)

# Used in this module only.
cdef octets read_metadata(Column* column, octets at, octets end) noexcept nogil
cdef void put_name_with_number(p_Text text, const char* name, uint64_t number, const char* rest) noexcept nogil
cdef void settle_column(Column* column, p_Text name, uint64_t dimensions) noexcept nogil
cdef void put_suffix(p_Text text, Column* column, p_Text name, bint null, int verbosity) noexcept nogil
cdef void put_label(p_Text text, Cursor names, size_t number, bint exact) noexcept nogil
