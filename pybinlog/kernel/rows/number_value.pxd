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
