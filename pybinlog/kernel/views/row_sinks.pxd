from pybinlog.kernel.base.event cimport octets, p_const_Format
from pybinlog.kernel.rows.row_values cimport RowValues
from pybinlog.kernel.rows.table_map cimport p_TableMap
from pybinlog.kernel.views.arrow_column cimport ArrowColumns, p_ArrowColumn, ROW_OF_ROWS
from pybinlog.kernel.views.row_view cimport Cell, RowSink, RowView


# A column of what stands beside the images.
cdef struct BesideColumn:
    int cell
    p_ArrowColumn column

cdef class RowColumns(RowSink):
    cdef ArrowColumns columns
    cdef BesideColumn* beside
    cdef size_t beside_count
    cdef p_ArrowColumn before         # NULL: not wanted; so is `after`
    cdef p_ArrowColumn after

    cdef octets image(self, RowView view, p_ArrowColumn column, p_TableMap map, octets at, octets before) noexcept nogil
    cdef void end_row(self, RowView view) noexcept nogil

cdef class RowObjects(RowSink):
    cdef RowValues row_values
    cdef list columns
    cdef dict event_cells     # the row of an event that has no images yet
    cdef list seen            # of each cell: what its object was made of last, and the object
    cdef list rows
    cdef size_t bytes_read    # of the images in it

    cdef dict cells_of(self, RowView view)
    cdef int read_images(self, RowView view, p_TableMap map) except -1
