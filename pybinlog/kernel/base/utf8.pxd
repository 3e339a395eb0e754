from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text, text_take


# How many of the first bytes are whole, valid UTF-8 characters.
cdef size_t utf8_run(octets data, size_t size) noexcept nogil
# Append the bytes, with U+FFFD for each byte outside a valid character.
cdef void put_utf8(p_Text text, octets data, size_t size) noexcept nogil
# The same in pieces, between which the text may be drained.
cdef void put_large_utf8(p_Text text, octets data, size_t size) noexcept nogil
# How many of the first bytes do not end inside a character.
cdef size_t utf8_whole(octets data, size_t size) noexcept nogil
# Escape each byte outside a valid character as \xNN, in the text from `start` on.
cdef void escape_utf8(p_Text text, size_t start, p_Text scratch) noexcept nogil
