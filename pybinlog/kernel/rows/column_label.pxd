from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_memory, put_unsigned, text_grow
from pybinlog.kernel.rows.column_lists cimport Cursor, list_of, next_number, next_string, p_Cursor
from pybinlog.kernel.rows.table_map cimport ColumnLabel, p_const_Column, p_const_TableMap, p_TableMap, p_TableMaps

# Make map.labels and map.metadata of the map, which is prepared (table_map_prepare), of a server of that kind; False if
# there is no memory. Raises OSError if the tables of the character sets cannot be read, and MemoryError.
cdef bint table_map_label(p_TableMaps maps, p_TableMap map, bint mariadb) except -1 nogil
# `full`, `minimal`, `none` or `schema`.
cdef const char* metadata_name(p_const_TableMap map) noexcept nogil

# Used in this module only.
cdef void put_key(p_Text text, p_Text scratch, p_Cursor names, size_t number) noexcept nogil
cdef void put_end(p_TableMap map) noexcept nogil
cdef void put_members(p_TableMap map, p_Text scratch, ColumnLabel* label, p_Cursor members) noexcept nogil
cdef void put_key_names(p_TableMap map) noexcept nogil
