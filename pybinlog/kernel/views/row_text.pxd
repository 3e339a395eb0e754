from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_signed, put_unsigned, Text, text_free, text_grow, text_take

cpdef enum:
    JSON_TEXT = 0
    CSV_TEXT = 1
    SAFE_CSV_TEXT = 2         # with an apostrophe before what a spreadsheet would run
    TSV_TEXT = 3              # as `mysql --batch` has it

# Strings in Arrow's layout.
cdef struct StringCells:
    octets valid              # NULL: all are there
    const int32_t* offsets
    octets data

# A column: its own values, or offsets in its elements.
cdef struct CellColumn:
    int form
    octets valid
    octets values
    StringCells strings       # of strings, and the elements of lists; a dictionary
    int width                 # bytes of a value, of which not all layouts have a fixed number
    int scale                 # digits after the point of a decimal, of a second; -1: as many as there are
    octets elements           # values of the elements of a list of floats
    octets before             # what is written before each of its cells
    size_t before_length
    size_t start              # of its cell in the line written last, with what is before it

# The text of a second, which the next time often has, too.
cdef struct Stamp:
    int64_t second
    Text text

cdef void put_instant(p_Text text, Stamp* stamp, int64_t time) noexcept nogil
# Text as that form has it: in JSON and CSV in quotes, with escapes or quotes doubled; in TSV without quotes, with escapes.
cdef void put_field(p_Text text, int form, octets data, size_t size) noexcept nogil
# A piece of it, without the quotes around it.
cdef void put_piece(p_Text text, int form, octets data, size_t size) noexcept nogil
# A quote around a field, if the form has them.
cdef void put_quote(p_Text text, int form) noexcept nogil
# Append a null: `null` in JSON, `NULL` in TSV, nothing in CSV.
cdef void put_null(p_Text text, int form) noexcept nogil
# True if a spreadsheet may run a text that begins so: = + - @, their wide forms, a tab or a line's end.
cdef bint is_formula(octets data, size_t size) noexcept nogil

cdef class RowText:
    cdef CellColumn* columns
    cdef size_t count
    cdef int form
    cdef bytes after
    cdef list kept            # what the pointers point into
    cdef Text text
    cdef Text scratch
    cdef Stamp stamp

    cdef void put_row(self, size_t row, bint repeated) noexcept nogil
    cdef void put_cell(self, CellColumn* column, size_t row) noexcept nogil
    cdef void put_number(self, CellColumn* column, size_t row) noexcept nogil
    cdef bint put_other(self, p_Text text, CellColumn* column, size_t row) noexcept nogil
    cdef void put_element(self, p_Text text, CellColumn* column, size_t index) noexcept nogil
    cdef void put_list(self, p_Text text, CellColumn* column, size_t row) noexcept nogil

# Used in this module only.
cdef void put_json(p_Text text, StringCells* cells, size_t index) noexcept nogil
cdef void put_integer(p_Text text, octets data, int width, bint signed) noexcept nogil
cdef void put_moment(p_Text text, int form, octets data, int digits) noexcept nogil
cdef bint bit(octets bits, size_t index) noexcept nogil
cdef int64_t seconds_of(int64_t time) noexcept nogil
cdef bint repeats(const CellColumn* column, size_t row) noexcept nogil
