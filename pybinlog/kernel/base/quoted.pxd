# Strings and bits between quotes: the C side of kernel/base/quoted.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport Text

cdef void put_quoted(Text* text, const uint8_t* data, size_t size) noexcept nogil
cdef void put_escaped(Text* text, const uint8_t* data, size_t size) noexcept nogil
cdef void put_bits(Text* text, const uint8_t* data, size_t bits) noexcept nogil
