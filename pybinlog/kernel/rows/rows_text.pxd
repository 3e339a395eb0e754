from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, Format, format_default, octets, TABLE_MAP
from pybinlog.kernel.base.text cimport p_Text, put_bits, put_bytes, put_char, put_hex, put_quoted, put_text, Text
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.rows cimport p_RowsFields
from pybinlog.kernel.rows.table_map cimport p_TableMap, p_TableMaps, p_const_Column


# Write a value. Return False if the text of the rows ends with it, as the reference's does: it cannot be read, or the
# reference does not show its type (a null of such a type too; other nulls are not written here). `texts` are the map's.
cdef bint put_value(p_Text text, p_Text scratch, p_const_ColumnValue value, const char* texts) noexcept nogil

# The text of a row event's rows, in portions: rows_begin writes the text before the first row, each rows_more at least
# one row and then on until `limit` bytes were written by this call. Both return 0 if more is to come, 1 if a row or its
# table could not be read (the text says so and ends there), 2 at the end, -2 if there is no memory.
cdef struct RowsCursor:
    p_RowsFields fields                # whose `rows` and `rows_size` may have been put to inflated data
    octets at
    int verbosity

cdef int rows_begin(p_Text text, p_TableMaps maps, p_RowsFields fields, int verbosity, RowsCursor* cursor) noexcept nogil
cdef int rows_more(p_Text text, p_TableMaps maps, RowsCursor* cursor, size_t limit) noexcept nogil

# Used in this module only.
cdef void put_unreadable(p_Text text, p_const_Column column) noexcept nogil
cdef void put_floats(p_Text text, octets data, size_t size) noexcept nogil
cdef bint put_extra(p_Text text, p_RowsFields fields) noexcept nogil
cdef octets put_image(
    p_Text text, p_TableMaps maps, p_TableMap map, p_RowsFields fields, octets at, octets end, bint after
) noexcept nogil
cdef int put_rows_in_portions(
    p_Text text, p_TableMaps maps, p_RowsFields fields, int verbosity, size_t limit
) noexcept nogil
cdef void put_piece(p_Text text, const char* piece, size_t length) noexcept nogil
