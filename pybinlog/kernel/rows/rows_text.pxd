# Row events as pseudo-SQL: the C side of kernel/rows/rows_text.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport Column, TableMap, TableMaps

# Write a value. Return False if the text of the rows ends with it, as the reference's does: it cannot be read, or the
# reference does not show its type (a null of such a type too; other nulls are not written here). `texts` are the map's.
cdef bint put_value(Text* text, Text* scratch, const ColumnValue* value, const char* texts) noexcept nogil

# The text of a row event's rows, in portions: rows_begin writes the text before the first row, each rows_more at least
# one row and then on until `limit` bytes were written by this call. Both return 0 if more is to come, 1 if a row or its
# table could not be read (the text says so and ends there), 2 at the end, -2 if there is no memory.
cdef struct RowsCursor:
    RowsFields* fields                 # whose `rows` and `rows_size` may have been put to inflated data
    const uint8_t* at
    int verbosity

cdef int rows_begin(Text* text, TableMaps* maps, RowsFields* fields, int verbosity, RowsCursor* cursor) noexcept nogil
cdef int rows_more(Text* text, TableMaps* maps, RowsCursor* cursor, size_t limit) noexcept nogil

# Used in this module only.
cdef void put_unreadable(Text* text, const Column* column) noexcept nogil
cdef void put_floats(Text* text, octets data, size_t size) noexcept nogil
cdef bint put_extra(Text* text, RowsFields* fields) noexcept nogil
cdef octets put_image(
    Text* text, TableMaps* maps, TableMap* map, RowsFields* fields, octets at, octets end, bint after
) noexcept nogil
cdef int put_rows_in_portions(
    Text* text, TableMaps* maps, RowsFields* fields, int verbosity, size_t limit
) noexcept nogil
