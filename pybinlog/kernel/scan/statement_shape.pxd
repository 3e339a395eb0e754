# The shape of a statement: the C side of kernel/scan/statement_shape.py.
from libc.stdint cimport uint8_t, uint64_t

from pybinlog.kernel.base.text cimport Text

# Modes that change what quotes mean.
cdef enum:
    ANSI_QUOTES = 4
    NO_BACKSLASH_ESCAPES = 1048576

# The list of values that ends a shape, and the list of rows. Offsets are of the shape.
cdef struct Lists:
    int values                        # at the end of the shape, at most 2
    size_t values_start
    size_t values_end
    int rows
    int row_values                    # of each of those rows
    size_t rows_end

# Append the shape of a statement to an empty text.
cdef void put_shape(Text* shape, const char* statement, size_t length, uint64_t sql_mode) noexcept nogil

# Used in this module only.
cdef const uint8_t* after_quotes(const uint8_t* at, const uint8_t* end, bint escapes) noexcept nogil
cdef const uint8_t* after_comment(const uint8_t* at, const uint8_t* end) noexcept nogil
cdef const uint8_t* after_space(const uint8_t* at, const uint8_t* end) noexcept nogil
cdef bint ends_item(const uint8_t* at, const uint8_t* end) noexcept nogil
cdef const uint8_t* after_number(const uint8_t* at, const uint8_t* end, const char** shape) noexcept nogil
cdef bint is_word(const uint8_t* at, size_t length, const char* word, size_t size) noexcept nogil
cdef void put_value(Text* shape, Lists* lists) noexcept nogil
cdef void close_row(Text* shape, Lists* lists) noexcept nogil
