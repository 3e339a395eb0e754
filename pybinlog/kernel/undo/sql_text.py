# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""SQL literals of strings, bytes and floating-point numbers."""

import cython

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_char, put_upper_hex, text_grow
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from cython.cimports.pybinlog.kernel.rows.number_value import put_shortest_double


def is_plain(data, size, how):
    i: cython.size_t
    c: uint8_t
    ascii: cython.bint = True
    if how == AS_HEXADECIMAL:
        return False
    for i in range(size):
        c = data[i]
        if c < 32:
            if c != 9 and c != 10 and c != 13:
                return False
        elif c == 127:
            return False
        elif c > 127:
            ascii = False
    return ascii or (how == AS_UTF8 and utf8_run(data, size) == size)


def put_sql_string(text, data, size):
    i: cython.size_t
    c: uint8_t
    at: cython.p_char
    if not text_grow(text, 2 * size + 2):
        return
    at = text.data + text.length
    at[0] = 39
    at += 1
    for i in range(size):
        c = data[i]
        if c == 39 or c == 92:
            at[0] = 92
            at += 1
        elif c == 10 or c == 13:
            at[0] = 92
            at += 1
            c = 110 if c == 10 else 114
        at[0] = cython.cast(cython.char, c)
        at += 1
    at[0] = 39
    text.length = at + 1 - text.data


def put_sql_hex(text, data, size, zeros):
    i: cython.size_t
    put_char(text, 88)
    put_char(text, 39)
    put_upper_hex(text, data, size)
    for i in range(zeros):
        put_bytes(text, b"00", 2)
    put_char(text, 39)


def put_real(text, value):
    start: cython.size_t = text.length
    i: cython.size_t
    put_shortest_double(text, value)
    for i in range(start, text.length):
        if text.data[i] == 101 or text.data[i] == 69:
            return
    put_bytes(text, b"e0", 2)
