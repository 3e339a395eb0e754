from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.text cimport LARGE_VALUE, put_bytes, Text, text_free
from pybinlog.kernel.condition.row_condition cimport BINDING_FAILED, NOT_BOUND, RowCondition
from pybinlog.kernel.rows.rows cimport ROWS_DELETE, rows_parse, ROWS_UPDATE, ROWS_WRITE, RowsFields
from pybinlog.kernel.rows.table_map cimport p_TableMap, p_const_TableMap
from pybinlog.kernel.views.arrow_column cimport COLUMNS_OF_ROWS
from pybinlog.kernel.views.view cimport View


# A value beside the images of a row: a text or a number, as its column's kind says.
cdef struct Cell:
    bint there                # it is not null
    const char* data
    size_t length
    int64_t number

# Receives rows. A subclass says it; the statuses are those of View.event.
cdef class RowSink:
    cdef readonly size_t count        # rows so far
    cdef bint needs_drops             # `drop` says something of them

    # The cells are those of another event, whose table is `map`; NULL: of rows without images.
    cdef int begin(self, RowView view, p_const_Format format, p_TableMap map) except -1 nogil
    # Add the row whose images begin at view.at, the whole of it or nothing, and move on to the next.
    cdef int add(self, RowView view, p_TableMap map) except -1 nogil
    # Add a row without images or, if it was `logged`, with one without any column.
    cdef int add_without_images(self, RowView view, bint logged) except -1 nogil
    # The condition drops the row whose images are from view.at to `after`.
    cdef void drop(self, RowView view, p_TableMap map, octets after) noexcept nogil
    cdef size_t bytes_held(self) noexcept nogil
    cdef int trouble(self) noexcept nogil

cdef class RowView(View):
    cdef RowSink sink
    cdef Cell cells[COLUMNS_OF_ROWS]     # of the current row, by their numbers
    cdef RowsFields fields            # of the event whose rows are under way
    cdef readonly RowCondition condition  # None: all rows
    cdef bint ddl                     # statements that are DDL are rows, too
    cdef bint numbered                # the number of a row is wanted
    cdef bint statement_wanted
    cdef Text statement               # the Rows_query or Annotate_rows of the current statement
    cdef bint has_statement
    cdef bint has_digest              # the digests' last one is of that statement
    cdef bint statement_over          # the current event is its last

    cdef octets end(self) noexcept nogil
    cdef int begin_rows(self, p_const_Event e, p_const_Format format, const char* data, size_t length) except -1 nogil
    cdef void skip_misses(self) noexcept nogil
    cdef int add_without_images(self, bint logged) except -1 nogil
    cdef bint needs_statement(self, p_const_Event e) noexcept nogil
    cdef int note_statement(self, p_const_Event e, p_const_Format format) except -1 nogil
    cdef void end_statement(self) noexcept nogil
    cdef int note_digest(self, const char* statement, size_t length) except -1 nogil
    cdef void set_digest(self) noexcept nogil
    cdef void note_place(self, p_const_Event e) noexcept nogil
    cdef void note_table(self, p_const_TableMap map) noexcept nogil
    cdef void note_row(self) noexcept nogil
    cdef void set_number(self, int cell, int64_t number) noexcept nogil
    cdef void set_text(self, int cell, const char* data, size_t length) noexcept nogil
