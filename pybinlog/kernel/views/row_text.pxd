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

# The types of a table's own columns.
cpdef enum:
    TEXT_OF_SIGNED = 16       # integers of column.width bytes
    TEXT_OF_UNSIGNED = 17
    TEXT_OF_FLOAT = 18
    TEXT_OF_DOUBLE = 19
    TEXT_OF_DECIMAL = 20      # of column.width bytes
    TEXT_OF_DATETIME = 21     # microseconds since 1970, in no zone
    TEXT_OF_TIMESTAMP = 22    # microseconds since 1970 in UTC
    TEXT_OF_DATE = 23         # days since 1970
    TEXT_OF_DURATION = 24     # microseconds
    TEXT_OF_BYTES = 25        # base64
    TEXT_OF_MEMBER = 26       # 32-bit places in a dictionary of strings
    TEXT_OF_FLOATS = 27       # lists of them

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
    StringCells strings       # of strings, and the elements of lists; a dictionary
    int width                 # bytes of a value
    int scale                 # digits after the point of a decimal, of a second
    const uint8_t* elements   # values of the elements of a list of floats
    const uint8_t* before     # what is written before each of its cells
    size_t before_length
    size_t start              # of its cell in the line written last, with what is before it

# The text of a second, which the next time often has, too.
cdef struct Stamp:
    int64_t second
    Text text

# A time in microseconds since 1970 as ISO 8601 in UTC.
cdef void put_instant(Text* text, Stamp* stamp, int64_t time) noexcept nogil
# Text as CSV has it, in that form: in quotes, those in it doubled.
cdef void put_field(Text* text, int form, const uint8_t* data, size_t size) noexcept nogil

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
    cdef void put_typed(self, CellColumn* column, size_t row) noexcept nogil
    cdef void put_list(self, Text* text, CellColumn* column, size_t row) noexcept nogil
