# Rows as columns: the C side of kernel/views/row_columns.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.views.arrow_columns cimport ArrowColumns
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
