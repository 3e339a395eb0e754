from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char


# Modes that change what quotes mean.
cdef enum:
    ANSI_QUOTES = 4
    NO_BACKSLASH_ESCAPES = 1048576

cdef inline bint is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline bint is_name(uint8_t c) noexcept nogil:
    return 97 <= c | 32 <= 122 or is_digit(c) or c == 95 or c == 36 or c >= 128


cdef inline bint is_space(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13 or c == 0


# The list of values that ends a shape, and the list of rows. Offsets are of the shape.
cdef struct Lists:
    int values                        # at the end of the shape, at most 2
    size_t values_start
    size_t values_end
    int rows
    int row_values                    # of each of those rows
    size_t rows_end

# Append the shape of a statement to an empty text. A signal ends this for a statement of more than LOOK_AFTER bytes: call
# `raise_interrupt`.
cdef void put_shape(p_Text shape, const char* statement, size_t length, uint64_t sql_mode) noexcept nogil
# The place after a string or quoted name, after the next */, after letters and digits; the end if it has none, and if a
# signal ends the search.
cdef octets after_quotes(octets at, octets end, bint escapes) noexcept nogil
cdef octets after_comment(octets at, octets end) noexcept nogil
cdef octets after_name(octets at, octets end) noexcept nogil

# Used in this module only.
cdef octets after_space(octets at, octets end) noexcept nogil
cdef bint ends_item(octets at, octets end) noexcept nogil
cdef octets after_number(octets at, octets end, const char** shape) noexcept nogil
cdef bint is_word(octets at, size_t length, const char* word, size_t size) noexcept nogil
cdef void put_value(p_Text shape, Lists* lists) noexcept nogil
cdef void close_row(p_Text shape, Lists* lists) noexcept nogil
cdef bint is_hex(uint8_t c) noexcept nogil
cdef bint ends_prefix(uint8_t c) noexcept nogil
cdef uint8_t last_of(p_Text shape) noexcept nogil
cdef bint begins_item(p_Text shape) noexcept nogil
