# Strings and bits between quotes: the C side of kernel/quoted.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.text cimport Text

cdef void put_quoted(Text* text, const uint8_t* data, size_t size) noexcept nogil
cdef void put_escaped(Text* text, const uint8_t* data, size_t size) noexcept nogil
cdef void put_bits(Text* text, const uint8_t* data, size_t bits) noexcept nogil
