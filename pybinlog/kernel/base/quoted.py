# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Strings and bits between quotes, as the values of rows are written."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.base.quoted is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pybinlog.kernel.base.text import (
    LARGE_VALUE,
    OwnText,
    put_bytes,
    put_char,
    text_grow,
    text_relieve,
    text_take,
)

# For each byte: 0 where it stands for itself, else the character after the backslash ("x" for \xNN).
ESCAPES = cython.declare(cython.char[256])


@cython.cfunc
def fill_escapes() -> cython.void:
    i: cython.int
    for i in range(32):
        ESCAPES[i] = 120
    ESCAPES[8] = 98
    ESCAPES[9] = 116
    ESCAPES[10] = 110
    ESCAPES[12] = 102
    ESCAPES[13] = 114
    ESCAPES[39] = 39
    ESCAPES[92] = 92


fill_escapes()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def clean_run(data: cython.pointer(cython.const[uint8_t]), size: cython.size_t) -> cython.size_t:
    """How many of the first bytes need no escape: eight at a time, then one by one."""
    ones: uint64_t = 0x0101010101010101
    tops: uint64_t = 0x8080808080808080
    at: cython.size_t = 0
    word: uint64_t
    found: uint64_t
    while size - at >= 8:
        memcpy(cython.address(word), data + at, 8)
        # A byte below 32, a quote or a backslash sets the top bit of its place here. A place above a true hit may be
        # set falsely; the loop below looks again byte by byte.
        found = (word - ones * 32) & ~word
        found |= ((word ^ (ones * 39)) - ones) & ~(word ^ (ones * 39))
        found |= ((word ^ (ones * 92)) - ones) & ~(word ^ (ones * 92))
        if found & tops:
            break
        at += 8
    while at < size and ESCAPES[data[at]] == 0:
        at += 1
    return at


def put_quoted(text, data, size):
    """The string between single quotes, control characters as \\b \\t \\n \\f \\r or \\xNN."""
    put_char(text, 39)
    while size > LARGE_VALUE:
        put_escaped(text, data, LARGE_VALUE)
        text_relieve(text)
        data += LARGE_VALUE
        size -= LARGE_VALUE
    put_escaped(text, data, size)
    put_char(text, 39)


def put_escaped(text, data, size):
    """What stands between the quotes."""
    run: cython.size_t
    at: cython.p_char
    escape: cython.char
    if not text_grow(text, size + 1):
        return
    while True:
        run = clean_run(data, size)
        put_bytes(text, cython.cast(cython.p_const_char, data), run)
        data += run
        size -= run
        if size == 0:
            break
        if not text_grow(text, 4):
            return
        escape = ESCAPES[data[0]]
        at = text.data + text.length
        at[0] = 92
        at[1] = escape
        text.length += 2
        if escape == 120:
            at[2] = 48 + (data[0] >> 4)
            at[3] = 48 + (data[0] & 15) if data[0] & 15 < 10 else 87 + (data[0] & 15)
            text.length += 2
        data += 1
        size -= 1


def put_bits(text, data, bits):
    """b'0101': the last `bits` bits of the big-endian bytes."""
    skipped: cython.size_t = (8 - (bits & 7)) & 7
    i: cython.size_t
    at: cython.p_char
    if not text_grow(text, bits + 3):
        return
    at = text.data + text.length
    at[0] = 98
    at[1] = 39
    at += 2
    for i in range(skipped, skipped + bits):
        at[0] = 48 + ((data[i >> 3] >> (7 - (i & 7))) & 1)
        at += 1
    at[0] = 39
    text.length += bits + 3


def quoted(data: bytes) -> bytes:
    """The string as a row event's text has it.

    Example: quoted(b"it's\\n") == b"'it\\\\'s\\\\n'".
    """
    text: OwnText = OwnText()
    put_quoted(cython.address(text.text), data, len(data))
    return text_take(cython.address(text.text))
