"""Decimal numbers in Arrow's layout: from digits, and to digits (arrow.apache.org, "Decimal")."""

import cython
from cython.cimports.pybinlog.kernel.base.digits import write_digits
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset

BILLION = cython.declare(uint32_t, 1000000000)
TENS = cython.declare(uint32_t[10], [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000])


def push(limbs: cython.pointer(Limbs), digits: cython.int, value: uint32_t) -> cython.void:
    """Append up to nine digits to the number."""
    i: cython.int
    carry: uint64_t = value
    for i in range(MOST_LIMBS):
        carry += cython.cast(uint64_t, limbs.at[i]) * TENS[digits]
        limbs.at[i] = cython.cast(uint32_t, carry)
        carry >>= 32


def negate(limbs: cython.pointer(Limbs)) -> cython.void:
    i: cython.int
    carry: uint64_t = 1
    for i in range(MOST_LIMBS):
        carry += cython.cast(uint32_t, ~limbs.at[i])
        limbs.at[i] = cython.cast(uint32_t, carry)
        carry >>= 32


def push_zeros(limbs: cython.pointer(Limbs), count: cython.int) -> cython.void:
    while count > 0:
        push(limbs, 9 if count > 9 else count, 0)
        count -= 9


def limbs_of_text(limbs: cython.pointer(Limbs), text: cython.p_const_char, size: cython.size_t, scale: cython.int):
    i: cython.size_t
    digits: cython.int = 0
    value: uint32_t = 0
    negative: cython.bint = size > 0 and text[0] == b"-"
    point: cython.bint = False
    memset(limbs, 0, cython.sizeof(Limbs))
    for i in range(1 if negative else 0, size):
        if text[i] == b".":
            point = True
            continue
        value = value * 10 + cython.cast(uint32_t, text[i] - 48)
        digits += 1
        if point:
            scale -= 1
        if digits == 9:
            push(limbs, digits, value)
            digits = 0
            value = 0
    push(limbs, digits, value)
    push_zeros(limbs, scale)
    if negative:
        negate(limbs)


def limbs_of_integer(limbs: cython.pointer(Limbs), magnitude: uint64_t, negative: cython.bint, scale: cython.int):
    memset(limbs, 0, cython.sizeof(Limbs))
    limbs.at[0] = cython.cast(uint32_t, magnitude)
    limbs.at[1] = cython.cast(uint32_t, magnitude >> 32)
    push_zeros(limbs, scale)
    if negative:
        negate(limbs)


def put_limbs(text: p_Text, data: octets, count: cython.int, scale: cython.int):
    limbs: Limbs
    digits: cython.char[90]
    to: cython.p_char = cython.cast(cython.p_char, digits) + 81
    end: cython.p_char = to
    i: cython.int
    negative: cython.bint = data[4 * count - 1] & 0x80
    memset(cython.address(limbs), 0xFF if negative else 0, cython.sizeof(Limbs))
    memcpy(cython.address(limbs), data, 4 * count)
    if negative:
        negate(cython.address(limbs))
    while end - to < 81:  # nine groups of nine digits are more than 256 bits have
        rest: uint64_t = 0
        for i in range(MOST_LIMBS - 1, -1, -1):
            rest = (rest << 32) | limbs.at[i]
            limbs.at[i] = cython.cast(uint32_t, rest // BILLION)
            rest %= BILLION
        to -= 9
        write_digits(to, rest, 9)
    while end - to > scale + 1 and to[0] == b"0":
        to += 1
    if not text_grow(text, 96):
        return
    at: cython.p_char = text.data + text.length
    if negative:
        at[0] = b"-"
        at += 1
    memcpy(at, to, end - to - scale)
    at += end - to - scale
    if scale:
        at[0] = b"."
        memcpy(at + 1, end - scale, scale)
        at += 1 + scale
    text.length = at - text.data
