# A table map's columns as tuples for Python: the C side of kernel/rows/table_description.py.
from pybinlog.kernel.rows.table_map cimport TableMap

# (columns, key, mariadb), of a map that is prepared (table_map_prepare); see table_description.py.
cdef tuple describe_table(const TableMap* map, bint mariadb)
