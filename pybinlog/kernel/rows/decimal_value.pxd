# DECIMAL in its binary form: the C side of kernel/rows/decimal_value.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

# Bytes of a DECIMAL(precision, scale); -1 where no server makes such a one.
cdef int decimal_size(int precision, int scale) noexcept nogil
# Put the number that decimal_size(precision, scale) bytes hold; False, and nothing put, where they hold no number.
cdef bint put_decimal(Text* text, const uint8_t* data, int precision, int scale) noexcept nogil
