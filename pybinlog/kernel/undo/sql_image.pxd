from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport p_const_TableMap
from pybinlog.kernel.undo.sql_text cimport put_string

cdef class SqlImage:
    cdef OwnText text
    cdef OwnText scratch
    cdef octets at             # the place after the image that was read last
    cdef size_t unwritable     # the number of a column of that image with a JSON value that SQL cannot write; 0: none

    # The literals of the columns, in the table's order; None for a column that the image lacks, NO_LITERAL for a
    # partial update of JSON. None if the image cannot be read. `forms`: see SqlImage.
    cdef list image(self, p_const_RowsFields fields, p_const_TableMap map, list forms, octets at, octets end, bint after)
    cdef int put(self, p_Text text, p_const_ColumnValue value, tuple form) except -1
    cdef int put_moment(self, p_Text text, p_const_ColumnValue value) except -1
    cdef int put_string(self, p_Text text, p_const_ColumnValue value, tuple form) except -1
    cdef int put_document(self, p_Text text, p_const_ColumnValue value) except -1
