# The JSON keys and members of a table's columns: the C side of kernel/rows/column_label.py.
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.rows.column_lists cimport Cursor
from pybinlog.kernel.rows.table_map cimport ColumnLabel, TableMap, TableMaps

# Make map.labels and map.metadata of the map, which is prepared (table_map_prepare), of a server of that kind; False if
# there is no memory. Raises OSError if the tables of the character sets cannot be read, and MemoryError.
cdef bint table_map_label(TableMaps* maps, TableMap* map, bint mariadb) except -1 nogil
# `full`, `minimal`, `none` or `schema`.
cdef const char* metadata_name(const TableMap* map) noexcept nogil

# Used in this module only.
cdef void put_key(Text* text, Text* scratch, Cursor* names, size_t number) noexcept nogil
cdef void put_end(TableMap* map) noexcept nogil
cdef void put_members(TableMap* map, Text* scratch, ColumnLabel* label, Cursor* members) noexcept nogil
cdef void put_key_names(TableMap* map) noexcept nogil
