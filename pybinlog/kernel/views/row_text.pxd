# Rows of a view as lines of text: the C side of kernel/views/row_text.py.
from libc.stdint cimport int32_t, int64_t, uint8_t
from pybinlog.kernel.base.text cimport Text

cpdef enum:
    TEXT_OF_LONG = 0
    TEXT_OF_INTEGER = 1
    TEXT_OF_BOOLEAN = 2
    TEXT_OF_TIME = 3          # microseconds since 1970 in UTC
    TEXT_OF_STRING = 4
    TEXT_OF_LIST = 5          # of strings
    TEXT_OF_JSON = 6          # strings that are JSON

cpdef enum:
    JSON_TEXT = 0
    CSV_TEXT = 1
    SAFE_CSV_TEXT = 2         # with an apostrophe before what a spreadsheet would run

# Strings in Arrow's layout.
cdef struct StringCells:
    const uint8_t* valid      # NULL: all are there
    const int32_t* offsets
    const uint8_t* data

# A column: its own values, or offsets in its elements.
cdef struct CellColumn:
    int kind
    const uint8_t* valid
    const uint8_t* values
    StringCells strings       # of strings, and the elements of lists
    const uint8_t* before     # what is written before each of its cells
    size_t before_length

cdef class RowText:
    cdef CellColumn* columns
    cdef size_t count
    cdef int form
    cdef bytes after
    cdef list kept            # what the pointers point into
    cdef Text text
    cdef Text scratch
    cdef int64_t last_second  # whose text is in `stamp`
    cdef Text stamp

    cdef void put_cell(self, CellColumn* column, size_t row) noexcept nogil
    cdef void put_list(self, Text* text, CellColumn* column, size_t row) noexcept nogil
    cdef void put_instant(self, Text* text, int64_t time) noexcept nogil
    cdef void put_field(self, const uint8_t* data, size_t size) noexcept nogil
