# The lines that --print-table-metadata adds to a Table_map event: the C side of kernel/rows/table_metadata.py.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.collation cimport Collation
from pybinlog.kernel.base.event cimport Format, octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_lists cimport Cursor
from pybinlog.kernel.rows.table_map cimport TableMapFields

# Put the lines "# Columns(...)" and "# Primary Key(...)" of a whole Table_map event. 0, or -1 if it is corrupt.
# `exact`: names as the reference prints them, whatever they are.
cdef int put_table_metadata(Text* text, const Format* format, const uint8_t* event, size_t size, bint exact) noexcept nogil

# Used in this module only.
cdef void put_escaped(Text* text, octets data, size_t size, char quote, bint exact) noexcept nogil
cdef void put_with_number(Text* text, const char* name, uint64_t number) noexcept nogil
cdef const char* geometry_name(uint64_t number) noexcept nogil
cdef bint is_text(const Collation* collation) noexcept nogil
cdef void put_blob_type(Text* text, uint32_t size, bint is_text) noexcept nogil
cdef int put_type(
    Text* text, uint8_t type, uint32_t first, uint32_t second, const Collation* collation, uint64_t number
) noexcept nogil
cdef void put_elements(Text* text, Cursor* cursor, bint exact) noexcept nogil
cdef void put_columns(Text* text, TableMapFields* fields, Cursor* lists, bint mariadb, bint exact) noexcept nogil
cdef void put_key_column(Text* text, Cursor names, uint64_t column, bint exact) noexcept nogil
cdef void put_primary_key(Text* text, TableMapFields* fields, Cursor* lists, bint exact) noexcept nogil
