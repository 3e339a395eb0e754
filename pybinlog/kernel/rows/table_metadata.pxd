from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.collation cimport COLLATION_BINARY, collation_find, p_const_Collation
from pybinlog.kernel.base.event cimport Format, format_default, octets, p_const_Format
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bidirectional, put_bytes, put_char, put_text
from pybinlog.kernel.rows.column_lists cimport Cursor, p_Cursor
from pybinlog.kernel.rows.table_map cimport TableMapFields


# Put the lines "# Columns(...)" and "# Primary Key(...)" of a whole Table_map event. 0, or -1 if it is corrupt.
# `exact`: names as the reference prints them, whatever they are.
cdef int put_table_metadata(p_Text text, p_const_Format format, octets event, size_t size, bint exact) noexcept nogil

# Used in this module only.
cdef void put_escaped(p_Text text, octets data, size_t size, char quote, bint exact) noexcept nogil
cdef void put_with_number(p_Text text, const char* name, uint64_t number) noexcept nogil
cdef bint is_text(p_const_Collation collation) noexcept nogil
cdef void put_blob_type(p_Text text, uint32_t size, bint is_text) noexcept nogil
cdef int put_type(
    p_Text text, uint8_t type, uint32_t first, uint32_t second, p_const_Collation collation, uint64_t number
) noexcept nogil
cdef void put_elements(p_Text text, p_Cursor cursor, bint exact) noexcept nogil
cdef void put_columns(p_Text text, TableMapFields* fields, p_Cursor lists, bint mariadb, bint exact) noexcept nogil
cdef void put_key_column(p_Text text, Cursor names, uint64_t column, bint exact) noexcept nogil
cdef void put_primary_key(p_Text text, TableMapFields* fields, p_Cursor lists, bint exact) noexcept nogil
