# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Text: the growable byte buffer that the kernel's loops write to, without the GIL."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.base.text is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.cpython.mem import PyMem_RawFree, PyMem_RawRealloc
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned

HEX_PAIRS = cython.declare(cython.char[2][256])


@cython.cfunc
def fill_pairs() -> cython.void:
    digits: bytes = b"0123456789abcdef"
    i: cython.int
    for i in range(256):
        HEX_PAIRS[i][0] = digits[i >> 4]
        HEX_PAIRS[i][1] = digits[i & 15]


fill_pairs()


def text_init(text):
    text.data = cython.NULL
    text.length = 0
    text.capacity = 0
    text.failed = False
    text.wanted = 0
    text.drain = cython.NULL
    text.owner = cython.NULL
    text.drained = 0


def text_free(text):
    PyMem_RawFree(text.data)
    text_init(text)


@cython.final
@cython.cclass
class OwnText:
    """A Text of its own, for a function that Python calls."""

    def __cinit__(self):
        text_init(cython.address(self.text))

    def __dealloc__(self):
        text_free(cython.address(self.text))


def text_expand(text, extra):
    """Make room for `extra` more bytes; False, and `failed` set, where there is no memory."""
    capacity: cython.size_t = text.capacity
    needed: cython.size_t = text.length + extra
    if needed <= capacity:
        return True
    if capacity < 4096:
        capacity = 4096
    while capacity < needed:
        capacity += capacity >> 1
    data: cython.p_char = cython.cast(cython.p_char, PyMem_RawRealloc(text.data, capacity))
    if data == cython.NULL:
        text.failed = True
        text.wanted = capacity
        return False
    text.data = data
    text.capacity = capacity
    return True


def put_signed(text, value):
    if text_grow(text, 25):
        if value < 0:
            text.data[text.length] = 45
            text.length += 1
            put_unsigned(text, cython.cast(uint64_t, 0) - cython.cast(uint64_t, value))
        else:
            put_unsigned(text, cython.cast(uint64_t, value))


def put_padded(text, value, width, pad):
    """The decimal number, filled on the left to `width` characters."""
    digits: cython.char[24]
    length: cython.int = cython.cast(cython.int, write_unsigned(digits, value) - digits)
    while width > length:
        put_char(text, pad)
        width -= 1
    put_bytes(text, digits, length)


def put_hex(text, value, digits):
    """The last `digits` hexadecimal digits of the value, lower case."""
    if not text_grow(text, digits):
        return
    at: cython.p_char = text.data + text.length + digits
    text.length += digits
    while digits >= 2:
        at -= 2
        memcpy(at, cython.address(HEX_PAIRS[value & 255]), 2)
        value >>= 8
        digits -= 2
    if digits:
        at[-1] = HEX_PAIRS[value & 15][1]


def text_take(text):
    """The bytes put so far, and an empty buffer in their place (its memory is kept)."""
    if text.failed:
        text.failed = False
        text.length = 0
        raise MemoryError("no memory for the text of an event")
    taken: bytes = PyBytes_FromStringAndSize(text.data, text.length)
    text.length = 0
    return taken


def put_commented(text, mark, at, left):
    """Each line a comment; what could upset a terminal or end the comment is written as an escape."""
    run: cython.size_t
    escape: cython.char
    put_text(text, mark)
    while True:
        run = 0
        escape = 0
        while run < left and escape == 0:
            if at[run] == 10:
                break
            elif at[run] == 92:
                escape = 92
            elif at[run] == 9:
                escape = 116
            elif at[run] == 13:
                escape = 114
            elif at[run] == 8:
                escape = 98
            elif at[run] == 0:
                escape = 48
            else:
                run += 1
        put_bytes(text, at, run)
        if run == left:
            break
        if escape:
            put_char(text, 92)
            put_char(text, escape)
        else:
            put_char(text, 10)
            put_text(text, mark)
        at += run + 1
        left -= run + 1
    put_char(text, 10)
