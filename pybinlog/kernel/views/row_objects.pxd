# Rows for Python: the C side of kernel/views/row_objects.py.
from pybinlog.kernel.rows.row_values cimport RowValues
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.row_view cimport RowSink, RowView

cdef class RowObjects(RowSink):
    cdef RowValues row_values
    cdef list columns
    cdef dict beside          # the row of an event that has no images yet
    cdef list seen            # of each cell: what its object was made of last, and the object
    cdef list rows
    cdef size_t bytes_read    # of the images in it

    cdef dict cells_of(self, RowView view)
    cdef int read_images(self, RowView view, TableMap* map) except -1
