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
    cdef bint ddl                     # statements that are DDL are rows, too
    cdef bint numbered                # the column `row` is wanted
    cdef public object rolled_back    # see Span.rolled_back; None: no transaction is left out
    cdef Text statement               # the Rows_query or Annotate_rows of the current statement
    cdef bint has_statement
    cdef bint statement_over          # the current event is its last
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
    cdef ArrowColumn* end_position
    cdef ArrowColumn* transaction_position
    cdef ArrowColumn* event_number
    cdef ArrowColumn* row_number
    cdef ArrowColumn* timestamp
    cdef ArrowColumn* commit_time
    cdef ArrowColumn* server_id
    cdef ArrowColumn* thread_id
    cdef ArrowColumn* xa_xid
    cdef ArrowColumn* database_column
    cdef ArrowColumn* table_column
    cdef ArrowColumn* operation
    cdef MapColumn before
    cdef MapColumn after
    cdef ArrowColumn* query_column
    cdef ArrowColumn* corrupt

    cdef int begin_rows(self, const Event* e, const Format* format, const char* data, size_t length) noexcept nogil
    cdef void make_keys(self, TableMap* map) noexcept nogil
    cdef const uint8_t* image(
        self, MapColumn* column, TableMap* map, const uint8_t* at, const uint8_t* end, bint after
    ) noexcept nogil
    cdef bint put_wide(self, ArrowColumn* values, const ColumnValue* value) noexcept nogil
    cdef void pass_on_wide(self, size_t size) noexcept nogil
    cdef int row(self, const Event* e, TableMap* map) noexcept nogil
    cdef bint left_out(self) noexcept nogil
    cdef bint needs_statement(self, const Event* e) noexcept nogil
    cdef void note_statement(self, const Event* e, const Format* format) noexcept nogil
    cdef void end_statement(self) noexcept nogil
    cdef void put_place(self, const Event* e) noexcept nogil
    cdef void put_row_head(self, const Event* e) noexcept nogil
    cdef void put_ddl(self, const Event* e) noexcept nogil

cdef void pass_on(void* owner, Text* text) noexcept nogil
