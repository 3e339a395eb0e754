from libc.stdint cimport uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_text, text_grow, text_take

# Put the number that decimal_size(precision, scale) bytes hold (decimal.pxd); False, and nothing put, if they hold no
# number.

cdef bint put_decimal(p_Text text, octets data, int precision, int scale) noexcept nogil

cdef void put_float(p_Text text, double value) noexcept nogil                 # C's %-20g
cdef void put_double(p_Text text, double value) noexcept nogil                # C's %.20g
cdef void put_short_float(p_Text text, octets data) noexcept nogil  # C's %.5e
# The shortest digits that read back as the same DOUBLE, or FLOAT, for JSON; if it is not a number, JSON's string "NaN",
# "Infinity" or "-Infinity". The value of a FLOAT is `value` to the last bit.
cdef void put_shortest_double(p_Text text, double value) noexcept nogil
cdef void put_shortest_float(p_Text text, double value) noexcept nogil
# The shortest digits that read back as the same number, in the server's own form, always with a point or exponent.
cdef void put_json_double(p_Text text, octets data) noexcept nogil

# Used in this module only.
cdef bint put_general(p_Text text, double value, int precision) noexcept nogil
cdef int shortest_exact(double value, char* digits, bint single) noexcept nogil
cdef bint next_decimal(char* digits, int precision) noexcept nogil
cdef int shortest(double value, char* digits, bint single) noexcept nogil
cdef void put_shortest(p_Text text, double value, bint single) noexcept nogil
cdef uint32_t group(octets data, int size, bint first, uint32_t mask) noexcept nogil
cdef void put_formatted(p_Text text, const char* form, double value) noexcept nogil
cdef uint64_t split_product(uint64_t a, uint64_t b, int shift, uint64_t* rest) noexcept nogil
cdef bint reads_as(const char* digits, double value, bint single) noexcept nogil
cdef void put_real(p_Text text, double value, bint single) noexcept nogil
