# Text that must be UTF-8, of bytes that may be anything: the C side of kernel/base/utf8.py.
from libc.stdint cimport uint8_t

from pybinlog.kernel.base.text cimport Text

# How many of the first bytes are whole, valid UTF-8 characters.
cdef size_t utf8_run(const uint8_t* data, size_t size) noexcept nogil
# Append the bytes, with U+FFFD for each byte outside a valid character.
cdef void put_utf8(Text* text, const uint8_t* data, size_t size) noexcept nogil
# The same in pieces, between which the text may be drained.
cdef void put_large_utf8(Text* text, const uint8_t* data, size_t size) noexcept nogil
# How many of the first bytes do not end inside a character.
cdef size_t utf8_whole(const uint8_t* data, size_t size) noexcept nogil
# Escape each byte outside a valid character as \xNN, in the text from `start` on.
cdef void escape_utf8(Text* text, size_t start, Text* scratch) noexcept nogil
