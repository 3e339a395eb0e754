# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""DECIMAL in its binary form: groups of nine digits in four bytes, fewer digits in fewer bytes, sign in the top bit.

Source of the form: the comment of decimal2bin in the server's strings library and the manual, "DECIMAL Data Type
Characteristics".
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.decimal_value is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint32_t
from cython.cimports.pybinlog.kernel.base.digits import write_digits, write_unsigned
from cython.cimports.pybinlog.kernel.base.lenenc import MOST_GROUPS
from cython.cimports.pybinlog.kernel.base.text import text_grow

POWERS = cython.declare(uint32_t[10], [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000])
SIZES = cython.declare(cython.int[10], [0, 1, 1, 2, 2, 3, 3, 4, 4, 4])
MASKS = cython.declare(uint32_t[5], [0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def group(
    data: cython.pointer(cython.const[uint8_t]), size: cython.int, first: cython.bint, mask: uint32_t
) -> uint32_t:
    """The digits in 1 to 4 big-endian bytes, complemented where the number is negative."""
    value: uint32_t = data[0] ^ 0x80 if first else data[0]
    i: cython.int
    for i in range(1, size):
        value = (value << 8) | data[i]
    if mask:
        value ^= MASKS[size]
    return value


def put_decimal(text, data, precision, scale):
    negative: uint32_t = (data[0] & 0x80) == 0
    first: cython.bint = True
    started: cython.bint = False
    zero: cython.bint = True
    digits: cython.int = (precision - scale) % 9
    groups: cython.int = (precision - scale) // 9
    value: uint32_t
    at: cython.p_char
    if not text_grow(text, 9 * MOST_GROUPS + 24):
        return True
    at = text.data + text.length
    if negative:
        at[0] = 45
        at += 1
    if digits:
        value = group(data, SIZES[digits], first, negative)
        # One digit too many passes in the reference.
        if value >= POWERS[digits + 1]:
            return False
        data += SIZES[digits]
        first = False
        if value:
            started = True
            at = write_unsigned(at, value)
    while groups:
        value = group(data, 4, first, negative)
        if value >= POWERS[9]:
            return False
        data += 4
        first = False
        if started:
            at = write_digits(at, value, 9)
        elif value:
            started = True
            at = write_unsigned(at, value)
        groups -= 1
    if not started:
        at[0] = 48
        at += 1
    else:
        zero = False
    if scale:
        zero = False
        at[0] = 46
        at += 1
        groups = scale // 9
        digits = scale % 9
        while groups:
            value = group(data, 4, first, negative)
            if value >= POWERS[9]:
                return False
            data += 4
            first = False
            at = write_digits(at, value, 9)
            groups -= 1
        if digits:
            value = group(data, SIZES[digits], first, negative)
            if value >= POWERS[digits]:
                return False
            at = write_digits(at, value, digits)
    if zero:
        at = text.data + text.length
        at[0] = 48
        at += 1
    text.length = at - text.data
    return True
