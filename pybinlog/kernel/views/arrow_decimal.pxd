# Decimal numbers in Arrow's layout: integers of 128 or 256 bits, the lowest byte first, and a scale that is the column's.
# The C side of kernel/views/arrow_decimal.py.
from libc.stdint cimport uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, text_grow

cdef enum:
    MOST_LIMBS = 8                     # 256 bits; decimals of up to 38 digits have 4

cdef struct Limbs:
    uint32_t at[8]                     # the lowest first; negative ones as two's complement

# The number of a text with digits, a sign and a point, whose digits after the point are `scale` or fewer.
cdef void limbs_of_text(Limbs* limbs, const char* text, size_t size, int scale) noexcept nogil
cdef void limbs_of_integer(Limbs* limbs, uint64_t magnitude, bint negative, int scale) noexcept nogil
# Put the number that `count` limbs hold, with `scale` digits after the point.
cdef void put_limbs(p_Text text, octets data, int count, int scale) noexcept nogil

# Used in this module only.
cdef void push(Limbs* limbs, int digits, uint32_t value) noexcept nogil
cdef void negate(Limbs* limbs) noexcept nogil
cdef void push_zeros(Limbs* limbs, int count) noexcept nogil
