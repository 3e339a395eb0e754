# Row images as SQL literals: the C side of kernel/undo/sql_image.py.
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, Text
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

cdef class SqlImage:
    cdef OwnText text
    cdef OwnText scratch
    cdef octets at             # the place after the image that was read last
    cdef size_t unwritable     # the number of a column of that image with a JSON value that SQL cannot write; 0: none

    # The literals of the columns, in the table's order; None for a column that the image lacks, NO_LITERAL for a
    # partial update of JSON. None if the image cannot be read. `forms`: see SqlImage.
    cdef list image(self, const RowsFields* fields, const TableMap* map, list forms, octets at, octets end, bint after)
    cdef int put(self, Text* text, const ColumnValue* value, tuple form) except -1
    cdef int put_moment(self, Text* text, const ColumnValue* value) except -1
    cdef int put_string(self, Text* text, const ColumnValue* value, tuple form) except -1
    cdef int put_document(self, Text* text, const ColumnValue* value) except -1
