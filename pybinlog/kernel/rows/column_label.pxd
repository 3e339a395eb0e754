# What JSON has of the columns of a table: the C side of kernel/rows/column_label.py.
from pybinlog.kernel.rows.table_map cimport TableMap, TableMaps

# Make map.labels and map.metadata of the map, which is prepared (table_map_prepare); False where there is no memory.
cdef bint table_map_label(TableMaps* maps, TableMap* map) noexcept nogil
# `full`, `minimal`, `none` or `schema`.
cdef const char* metadata_name(const TableMap* map) noexcept nogil
