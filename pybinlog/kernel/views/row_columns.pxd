# The view `rows`: the C side of kernel/views/row_columns.py.
from libc.stdint cimport int64_t, uint8_t

from pybinlog.kernel.views.arrow_column cimport ArrowColumn
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.views.view_columns cimport ViewColumns
from pybinlog.kernel.views.view_filter cimport Name

# What stands beside the images of a row. A name without data is null, and so is a number that is INT64_MIN.
cdef struct RowHead:
    Name gtid
    int64_t position
    int64_t end_position
    int64_t transaction_position
    int64_t event_number
    int64_t row_number
    int64_t timestamp         # microseconds since 1970 UTC
    int64_t commit_time
    int64_t server_id
    int64_t thread_id
    Name xa_xid
    Name database
    Name table
    Name operation
    Name metadata
    Name query
    Name corrupt

cdef class RowColumns(ViewColumns):
    cdef RowHead head                 # of the current row
    cdef RowsFields fields            # of the event whose rows are under way
    cdef const uint8_t* at            # the next of them; NULL where none is
    cdef bint ddl                     # statements that are DDL are rows, too
    cdef bint numbered                # the column `row` is wanted
    cdef Text statement               # the Rows_query or Annotate_rows of the current statement
    cdef bint has_statement
    cdef bint statement_over          # the current event is its last
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
    cdef ArrowColumn* metadata
    cdef ArrowColumn* before
    cdef ArrowColumn* after
    cdef ArrowColumn* query_column
    cdef ArrowColumn* corrupt

    cdef int begin_rows(self, const Event* e, const Format* format, const char* data, size_t length) except -1 nogil
    cdef const uint8_t* image(
        self, ArrowColumn* column, TableMap* map, const uint8_t* at, const uint8_t* end, const uint8_t* before
    ) noexcept nogil
    cdef const uint8_t* images(self, TableMap* map) noexcept nogil
    cdef void no_images(self, bint logged) noexcept nogil
    cdef int row(self, const Event* e, TableMap* map) noexcept nogil
    cdef bint left_out(self) noexcept nogil
    cdef bint needs_statement(self, const Event* e) noexcept nogil
    cdef void note_statement(self, const Event* e, const Format* format) noexcept nogil
    cdef void end_statement(self) noexcept nogil
    cdef void note_place(self, const Event* e) noexcept nogil
    cdef void put_row_head(self, const Event* e, const TableMap* map) noexcept nogil
    cdef void put_ddl(self, const Event* e) noexcept nogil
    cdef void put_head(self) noexcept nogil
