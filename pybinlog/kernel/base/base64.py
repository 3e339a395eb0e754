# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Base64 in lines of 76 characters, compiled because a default dump writes every row event so."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.base.base64 is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_grow, text_take

ALPHABET = cython.declare(cython.p_const_char, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
# Twelve bits at once: two characters for each of 4096 values.
PAIRS = cython.declare(uint8_t[2][4096])


@cython.cfunc
def fill_pairs() -> cython.void:
    i: cython.int
    for i in range(4096):
        PAIRS[i][0] = ALPHABET[i >> 6]
        PAIRS[i][1] = ALPHABET[i & 63]


fill_pairs()


def put_base64(text, data, size):
    """The encoded bytes, a line feed between lines and none at the end."""
    full: cython.size_t = size // 3
    rest: cython.size_t = size - full * 3
    characters: cython.size_t = (full + (1 if rest else 0)) * 4
    if not text_grow(text, characters + characters // 76 + 1):
        return
    at: cython.p_char = text.data + text.length
    group: uint32_t
    in_line: cython.size_t
    while full:
        in_line = 19 if full > 19 else full
        full -= in_line
        while in_line:
            group = (cython.cast(uint32_t, data[0]) << 16) | (cython.cast(uint32_t, data[1]) << 8) | data[2]
            memcpy(at, cython.address(PAIRS[group >> 12]), 2)
            memcpy(at + 2, cython.address(PAIRS[group & 4095]), 2)
            data += 3
            at += 4
            in_line -= 1
        if full:
            at[0] = 10
            at += 1
    if rest:
        if size > 3 and (size // 3) % 19 == 0:
            at[0] = 10
            at += 1
        group = cython.cast(uint32_t, data[0]) << 16
        if rest == 2:
            group |= cython.cast(uint32_t, data[1]) << 8
        at[0] = ALPHABET[group >> 18]
        at[1] = ALPHABET[(group >> 12) & 63]
        at[2] = ALPHABET[(group >> 6) & 63] if rest == 2 else 61
        at[3] = 61
        at += 4
    text.length = at - text.data


def base64_lines(data: bytes) -> bytes:
    """The same for a Python bytes object, for tests and tools."""
    text: OwnText = OwnText()
    source: cython.p_const_char = data
    put_base64(cython.address(text.text), cython.cast(cython.pointer(cython.const[uint8_t]), source), len(data))
    return text_take(cython.address(text.text))
