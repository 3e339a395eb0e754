# Unsigned numbers, put to a text. Inline functions only: there is no unsigned.py.
from libc.stdint cimport uint64_t
from pybinlog.kernel.base.digits cimport write_unsigned
from pybinlog.kernel.base.memory cimport memcpy
from pybinlog.kernel.base.text cimport Digits, Text, text_grow


cdef inline void put_unsigned(Text* text, uint64_t value) noexcept nogil:
    if text_grow(text, 24):
        text.length = write_unsigned(text.data + text.length, value) - text.data


cdef inline void put_again(Text* text, Digits* last, uint64_t value) noexcept nogil:
    """The decimal number, which is often the one that `last` was used for before."""
    if last.length == 0 or last.value != value:
        last.value = value
        last.length = write_unsigned(last.digits, value) - last.digits
    if text_grow(text, 24):
        memcpy(text.data + text.length, last.digits, 24)
        text.length += last.length
