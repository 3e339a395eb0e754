# The view `rows`: the C side of kernel/views/row_columns.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.column_value cimport ColumnValue
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.view_columns cimport ViewColumns

# A map column: its offsets, its keys and its values.
cdef struct MapColumn:
    ArrowColumn* maps
    ArrowColumn* keys
    ArrowColumn* values

cdef class RowColumns(ViewColumns):
    cdef RowsFields fields            # of the event whose rows are under way
    cdef const uint8_t* at            # the next of them; NULL where none is
    cdef Text scratch
    cdef Text wide                    # the text of a large value, which moves on into the column piece by piece
    cdef Text* wide_target
    cdef bint joins                   # the text of it is made one line
    cdef bint joining                 # the last piece ended where a line is joined
    cdef Text keys                    # the names of the columns, one after the other
    cdef Text key_ends                # where each of them ends, a size_t
    cdef ArrowColumn* gtid
    cdef ArrowColumn* file_column
    cdef ArrowColumn* position
    cdef ArrowColumn* transaction_start
    cdef ArrowColumn* timestamp
    cdef ArrowColumn* database_column
    cdef ArrowColumn* table_column
    cdef ArrowColumn* operation
    cdef MapColumn before
    cdef MapColumn after
    cdef ArrowColumn* corrupt

    cdef int begin_rows(self, const Event* e, const Format* format, const char* data, size_t length) noexcept nogil
    cdef void make_keys(self, TableMap* map) noexcept nogil
    cdef const uint8_t* image(
        self, MapColumn* column, TableMap* map, const uint8_t* at, const uint8_t* end, bint after
    ) noexcept nogil
    cdef bint put_wide(self, ArrowColumn* values, const ColumnValue* value) noexcept nogil
    cdef void pass_on_wide(self, size_t size) noexcept nogil
    cdef int row(self, const Event* e, TableMap* map) noexcept nogil
    cdef void put_row_head(self, const Event* e) noexcept nogil

cdef void pass_on(void* owner, Text* text) noexcept nogil
