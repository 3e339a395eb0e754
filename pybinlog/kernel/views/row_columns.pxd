# The view `rows`: the C side of kernel/views/row_columns.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.views.view_columns cimport ViewColumns

cdef class RowColumns(ViewColumns):
    cdef RowsFields fields            # of the event whose rows are under way
    cdef const uint8_t* at            # the next of them; NULL where none is
    cdef ArrowColumn* gtid
    cdef ArrowColumn* file_column
    cdef ArrowColumn* position
    cdef ArrowColumn* transaction_start
    cdef ArrowColumn* timestamp
    cdef ArrowColumn* database_column
    cdef ArrowColumn* table_column
    cdef ArrowColumn* operation
    cdef ArrowColumn* metadata
    cdef ArrowColumn* before
    cdef ArrowColumn* after
    cdef ArrowColumn* corrupt

    cdef int begin_rows(self, const Event* e, const Format* format, const char* data, size_t length) noexcept nogil
    cdef const uint8_t* image(
        self, ArrowColumn* column, TableMap* map, const uint8_t* at, const uint8_t* end, const uint8_t* before
    ) noexcept nogil
    cdef int row(self, const Event* e, TableMap* map) noexcept nogil
    cdef void put_row_head(self, const Event* e, const TableMap* map) noexcept nogil
