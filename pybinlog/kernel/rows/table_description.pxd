from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.column_lists cimport p_Cursor
from pybinlog.kernel.rows.table_map cimport p_const_Column, p_const_TableMap

# (columns, key, mariadb), of a map that is prepared (table_map_prepare); see table_description.py.
cdef tuple describe_table(p_const_TableMap map, bint mariadb)
cdef bytes next_bytes(p_Cursor cursor)
cdef tuple next_members(p_Cursor cursor, bint whole)
