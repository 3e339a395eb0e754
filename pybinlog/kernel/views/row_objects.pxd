# The view `rows` for Python: the C side of kernel/views/row_objects.py.
from libc.stdint cimport int64_t

from pybinlog.kernel.rows.row_values cimport RowValues
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.row_columns cimport RowColumns
from pybinlog.kernel.views.view_filter cimport Name

# A text of rows as an object, made anew only when it changes: most rows have the text of the row before.
cdef class SeenText:
    cdef bytes data
    cdef str text

    cdef object of(self, const Name* name)

cdef class SeenTime:
    cdef int64_t microseconds
    cdef object time

    cdef object of(self, int64_t microseconds)

cdef class RowObjects(RowColumns):
    cdef RowValues row_values
    cdef dict before          # the images of the current row
    cdef dict after
    cdef list rows
    cdef size_t bytes_read    # of the images and statements in it
    cdef SeenText gtid_text
    cdef SeenText file_text
    cdef SeenText xid_text
    cdef SeenText database_text
    cdef SeenText table_text
    cdef SeenText operation_text
    cdef SeenText metadata_text
    cdef SeenText query_text
    cdef SeenTime row_time
    cdef SeenTime committed

    cdef const unsigned char* read_images(self, TableMap* map) except? NULL
    cdef dict whole_row(self)
