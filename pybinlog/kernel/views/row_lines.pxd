from libc.stdint cimport int64_t
from pybinlog.kernel.base.event cimport octets, p_const_Format
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, put_signed, put_text, Text, text_free
from pybinlog.kernel.rows.table_map cimport p_TableMap
from pybinlog.kernel.views.arrow_column cimport COLUMNS_OF_ROWS, ROW_OF_ROWS
from pybinlog.kernel.views.row_text cimport Stamp
from pybinlog.kernel.views.row_view cimport Cell, RowSink, RowView


# A value that is compared with that of the row before: a number, or bytes.
cdef struct Seen:
    int cell                  # of RowView.cells
    int form
    bint there                # it is not null
    int64_t number
    Text bytes

# A cell of the line in the making.
cdef struct LineCell:
    Seen seen
    size_t start              # where its text is in `line`, and how long that is
    size_t length
    bint fresh                # its text is not in the line, but made for each row: an image, or a large statement

# The output for the characters of a value in quotes.
cdef struct QuotedLines:
    int form
    p_Text text

cdef class Lines:
    cdef Text text

cdef class RowLines(RowSink):
    cdef int form
    cdef object spill         # takes the lines of large rows out of memory
    cdef Text text            # whole lines
    cdef Text line            # the line of the last row without what is fresh
    cdef size_t cell_count
    cdef LineCell cells[COLUMNS_OF_ROWS]      # in the order of the line
    cdef LineCell* row_cell   # the number of the row; NULL: not wanted
    cdef size_t key_count
    cdef Seen keys[COLUMNS_OF_ROWS]
    cdef list runs
    cdef QuotedLines quoted
    cdef Text scratch[2]
    cdef Stamp stamp

    cdef void write_cell(self, LineCell* cell, const Cell* now) noexcept nogil
    cdef void put(self, LineCell* cell, const char* text, size_t length) noexcept nogil
    cdef void put_large(self, const Cell* now) noexcept nogil
    cdef octets put_image(self, RowView view, p_TableMap map, octets at, octets before) noexcept nogil
    cdef octets put_row(self, RowView view, p_TableMap map) noexcept nogil
    cdef void note_run(self) noexcept nogil
    cdef void write_row_number(self, RowView view) noexcept nogil
    cdef void end_line(self, size_t done) noexcept nogil

# Used in this module only.
cdef void lines_to_file(void* owner, p_Text text) noexcept nogil
cdef void quoted_to_lines(void* owner, p_Text text) noexcept nogil
