# The growable byte buffer that every kernel loop writes its text to.
# The functions with a body stand here, not in text.py, so that the C compiler can inline them into the
# loops of other modules: they run for nearly every byte that is printed.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.digits cimport write_unsigned
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.memory cimport memcpy, PyBytes_FromStringAndSize, PyMem_RawFree, PyMem_RawRealloc, strlen


cdef struct Text:
    char* data
    size_t length
    size_t capacity
    bint failed          # memory ran out: what was put since is lost, and text_take raises MemoryError
    size_t wanted        # the bytes for which there was no memory
    # If one value gives very much text, text_relieve calls `drain`, which takes the text away; NULL: it stays.
    void (*drain)(void* owner, Text* text) noexcept nogil
    void* owner
    size_t drained       # bytes taken away so far
ctypedef Text* p_Text

cdef enum:
    RELIEVED_AT = 8388608
    LARGE_VALUE = 1048576          # bytes of a value from which on its text is made in pieces of this size

# A Text that is freed with its owner.
cdef class OwnText:
    cdef Text text

# A Text of zeros is empty: one in a new object, or in a struct that was cleared, needs no text_init.
cdef void text_init(p_Text text) noexcept nogil
cdef void text_free(p_Text text) noexcept nogil
cdef bint text_expand(p_Text text, size_t extra) noexcept nogil
cdef bytes text_take(p_Text text)


cdef inline bint text_grow(p_Text text, size_t extra) noexcept nogil:
    if extra <= text.capacity - text.length:
        return True
    return text_expand(text, extra)


# Call it between two pieces of text, when nothing refers to places in it.
cdef inline void text_relieve(p_Text text) noexcept nogil:
    if text.length >= RELIEVED_AT and text.drain != NULL:
        text.drain(text.owner, text)


cdef inline void put_bytes(p_Text text, const char* source, size_t length) noexcept nogil:
    if length and text_grow(text, length):
        memcpy(text.data + text.length, source, length)
        text.length += length


cdef inline void put_memory(p_Text text, const void* source, size_t length) noexcept nogil:
    put_bytes(text, <const char*> source, length)


# At most 16 bytes; as many can be read at `source`. They are copied without a look at how many are wanted.
cdef inline void put_short(p_Text text, const char* source, size_t length) noexcept nogil:
    if text_grow(text, 16):
        memcpy(text.data + text.length, source, 16)
        text.length += length


cdef inline void put_text(p_Text text, const char* source) noexcept nogil:
    put_bytes(text, source, strlen(source))


cdef inline void put_char(p_Text text, char c) noexcept nogil:
    if text_grow(text, 1):
        text.data[text.length] = c
        text.length += 1


# A number and its decimal digits: one that comes again and again is copied, not divided.
cdef struct Digits:
    uint64_t value
    size_t length                    # 0: nothing is known yet
    char digits[24]


cdef void fill_escapes(char* escapes, bytes pairs, char control)
cdef void put_signed(p_Text text, int64_t value) noexcept nogil
cdef void put_padded(p_Text text, uint64_t value, int width, char pad) noexcept nogil
# Write bytes as hexadecimal digits in lower case, and the 36 characters of a UUID; return the place after them.
cdef char* write_lower_hex(char* to, octets data, size_t size) noexcept nogil
cdef char* write_uuid(char* to, octets uuid) noexcept nogil
cdef void put_lower_hex(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_uuid(p_Text text, octets uuid) noexcept nogil
# Bytes as hexadecimal digits, in capitals.
cdef void put_upper_hex(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_hex(p_Text text, uint64_t value, int digits) noexcept nogil
# Count the leading ASCII bytes that are neither control characters nor backslashes. It may stop up to seven early.
cdef inline size_t plain_run(const char* at, size_t left) noexcept nogil:
    cdef size_t run = 0
    cdef uint64_t word, other, ones = 0x0101010101010101
    while left - run >= 8:
        memcpy(&word, at + run, 8)
        other = word ^ ones * 92
        # A byte above 127 or below 32, or a backslash, sets the top bit of its place.
        if (word | (word - ones * 32) | ((other - ones) & ~other)) & (ones * 128):
            break
        run += 8
    return run

# Lines of text from a log as comments: each begins with `mark`. `exact`: as the reference writes them.
cdef void put_commented(p_Text text, const char* mark, const char* at, size_t left, bint exact) noexcept nogil
# If a control of the order of a line begins here (pybinlog.visible.BIDIRECTIONAL), append its escape, for example \u202e,
# and return its bytes; otherwise 0.
cdef size_t put_bidirectional(p_Text text, const char* at, size_t left) noexcept nogil
# The text with such escapes.
cdef void put_in_order(p_Text text, const char* at, size_t left) noexcept nogil

cdef void put_base64(p_Text text, octets data, size_t size) noexcept nogil
# The same without line feeds, and in pieces, between which the text may be drained.
cdef void put_plain_base64(p_Text text, octets data, size_t size) noexcept nogil

cdef void put_quoted(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_escaped(p_Text text, octets data, size_t size) noexcept nogil
cdef void put_bits(p_Text text, octets data, size_t bits) noexcept nogil

cdef inline void put_unsigned(p_Text text, uint64_t value) noexcept nogil:
    if text_grow(text, 24):
        text.length = write_unsigned(text.data + text.length, value) - text.data

cdef inline void put_again(p_Text text, Digits* last, uint64_t value) noexcept nogil:
    """The decimal number, which is often the one that `last` was used for before."""
    if last.length == 0 or last.value != value:
        last.value = value
        last.length = write_unsigned(last.digits, value) - last.digits
    if text_grow(text, 24):
        memcpy(text.data + text.length, last.digits, 24)
        text.length += last.length

# Used in this module only.
cdef bint may_be_bidirectional(char first) noexcept nogil
cdef char* write_groups(char* at, octets data, size_t groups) noexcept nogil
cdef char* write_rest(char* at, octets data, size_t rest) noexcept nogil
