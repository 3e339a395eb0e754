# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Text: the growable byte buffer that the kernel's loops write to, without the GIL."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import uint64_t
from cython.cimports.libc.stdlib import free, realloc

HEX_DIGITS = cython.declare(cython.p_const_char, b"0123456789abcdef")


def text_init(text):
    text.data = cython.NULL
    text.length = 0
    text.capacity = 0
    text.failed = False


def text_free(text):
    free(text.data)
    text_init(text)


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
    data: cython.p_char = cython.cast(cython.p_char, realloc(text.data, capacity))
    if data == cython.NULL:
        text.failed = True
        return False
    text.data = data
    text.capacity = capacity
    return True


def put_unsigned(text, value):
    digits: cython.char[20]
    at: cython.int = 20
    while True:
        at -= 1
        digits[at] = 48 + value % 10
        value //= 10
        if value == 0:
            break
    put_bytes(text, cython.address(digits[at]), 20 - at)


def put_signed(text, value):
    if value < 0:
        put_char(text, 45)
        put_unsigned(text, cython.cast(uint64_t, 0) - cython.cast(uint64_t, value))
    else:
        put_unsigned(text, cython.cast(uint64_t, value))


def put_padded(text, value, width, pad):
    """The decimal number, filled on the left to `width` characters."""
    digits: cython.char[20]
    at: cython.int = 20
    while True:
        at -= 1
        digits[at] = 48 + value % 10
        value //= 10
        if value == 0:
            break
    width -= 20 - at
    while width > 0:
        put_char(text, pad)
        width -= 1
    put_bytes(text, cython.address(digits[at]), 20 - at)


def put_hex(text, value, digits):
    """The last `digits` hexadecimal digits of the value, lower case."""
    if not text_grow(text, digits):
        return
    at: cython.int = digits
    while at > 0:
        at -= 1
        text.data[text.length + at] = HEX_DIGITS[value & 15]
        value >>= 4
    text.length += digits


def text_take(text):
    """The bytes put so far, and an empty buffer left behind (its memory is kept)."""
    if text.failed:
        text.failed = False
        text.length = 0
        raise MemoryError("no memory for the text of an event")
    taken: bytes = PyBytes_FromStringAndSize(text.data, text.length)
    text.length = 0
    return taken
