# Rows as columns, and for Python: the C side of kernel/views/row_sinks.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.rows.row_values cimport RowValues
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.arrow_column cimport ArrowColumn, ArrowColumns
from pybinlog.kernel.views.row_view cimport RowSink, RowView

# A column of what stands beside the images.
cdef struct BesideColumn:
    int cell
    ArrowColumn* column

cdef class RowColumns(RowSink):
    cdef ArrowColumns columns
    cdef BesideColumn* beside
    cdef size_t beside_count
    cdef ArrowColumn* before          # NULL: not wanted; so is `after`
    cdef ArrowColumn* after

    cdef const uint8_t* image(
        self, RowView view, ArrowColumn* column, TableMap* map, const uint8_t* at, const uint8_t* before
    ) noexcept nogil
    cdef void end_row(self, RowView view) noexcept nogil

cdef class RowObjects(RowSink):
    cdef RowValues row_values
    cdef list columns
    cdef dict beside          # the row of an event that has no images yet
    cdef list seen            # of each cell: what its object was made of last, and the object
    cdef list rows
    cdef size_t bytes_read    # of the images in it

    cdef dict cells_of(self, RowView view)
    cdef int read_images(self, RowView view, TableMap* map) except -1
