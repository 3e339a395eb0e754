# Names out of a log, where text continues after them: the C side of kernel/base/name.py.
#
# `exact` is --no-tbm: the reference's bytes, which let a name end its comment or its string.
from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.memory cimport memchr, memcpy
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_memory, text_take


cdef size_t length_until_null(octets data, size_t size) noexcept nogil
cdef void put_odd_name(p_Text text, octets name, size_t size, bint until_null, bint exact) noexcept nogil
# Between backticks, the ones in it doubled; up to its first null byte. For statements; and for comments.
cdef void put_identifier(p_Text text, octets name, size_t size, bint exact) noexcept nogil
cdef void put_commented_identifier(p_Text text, octets name, size_t size, bint exact) noexcept nogil
# Append the text between the single quotes of a statement's string.
cdef void put_inside_quotes(p_Text text, octets data, size_t size, bint until_null, bint exact) noexcept nogil
# The same with every byte in MySQL's escapes, a quote with a backslash: for the sql_mode of 0.
cdef void put_escaped_string(p_Text text, octets data, size_t size) noexcept nogil


cdef inline bint has_control(octets data, size_t size) noexcept nogil:
    """Whether a byte is below 32 or is 127: eight at a time, then one by one."""
    cdef uint64_t ones = 0x0101010101010101
    cdef uint64_t tops = 0x8080808080808080
    cdef uint64_t word
    cdef uint64_t found
    while size >= 8:
        memcpy(&word, data, 8)
        found = (word - ones * 32) & ~word
        found |= ((word ^ (ones * 127)) - ones) & ~(word ^ (ones * 127))
        if found & tops:
            return True
        data += 8
        size -= 8
    while size:
        if data[0] < 32 or data[0] == 127:
            return True
        data += 1
        size -= 1
    return False


cdef inline bint is_printable_ascii(octets data, size_t size) noexcept nogil:
    """Whether no byte has to be looked at before the name is printed."""
    cdef uint64_t ones = 0x0101010101010101
    cdef uint64_t tops = 0x8080808080808080
    cdef uint64_t word
    while size >= 8:
        memcpy(&word, data, 8)
        if (word | (word - ones * 32) | ((word ^ (ones * 127)) - ones)) & tops:
            return False
        data += 8
        size -= 8
    while size:
        if <uint8_t> (data[0] - 32) >= 95:
            return False
        data += 1
        size -= 1
    return True


# In a comment or header line, up to its first null byte.
cdef inline void put_name(p_Text text, octets name, size_t size, bint exact) noexcept nogil:
    if is_printable_ascii(name, size):
        put_bytes(text, <const char*>name, size)
    else:
        put_odd_name(text, name, size, True, exact)


# The same, for names that the reference prints beyond a null byte.
cdef inline void put_whole_name(p_Text text, octets name, size_t size, bint exact) noexcept nogil:
    if is_printable_ascii(name, size):
        put_bytes(text, <const char*>name, size)
    else:
        put_odd_name(text, name, size, False, exact)

# Used in this module only.
cdef void put_visible(p_Text text, uint8_t c) noexcept nogil
cdef void put_comment(p_Text text, octets name, size_t size) noexcept nogil
cdef void put_escaped_byte(p_Text text, uint8_t c, int before_quote) noexcept nogil
