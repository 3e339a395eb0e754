# DECIMAL in its binary form: the C side of kernel/rows/decimal_value.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

# Put the number that decimal_size(precision, scale) bytes hold (lenenc.pxd); False, and nothing put, where they hold no number.
cdef bint put_decimal(Text* text, const uint8_t* data, int precision, int scale) noexcept nogil
