# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""FLOAT, DOUBLE and the doubles of JSON, each in the form that the reference gives it."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.float_value is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.math import isfinite
from cython.cimports.libc.stdio import snprintf
from cython.cimports.libc.stdlib import strtod
from cython.cimports.libc.string import memcpy, strlen
from cython.cimports.pybinlog.kernel.digits import write_unsigned
from cython.cimports.pybinlog.kernel.packed import octets
from cython.cimports.pybinlog.kernel.text import Text, put_text, text_free, text_grow, text_init, text_take


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_formatted(text: cython.pointer(Text), form: cython.p_const_char, value: cython.double) -> cython.void:
    if text_grow(text, 64):
        text.length += snprintf(text.data + text.length, 64, form, value)


def put_float(text, data):
    value: cython.float
    memcpy(cython.address(value), data, 4)
    put_formatted(text, b"%-20g", value)


def put_double(text, data):
    value: cython.double
    memcpy(cython.address(value), data, 8)
    put_formatted(text, b"%.20g", value)


def put_vector_element(text, data):
    value: cython.float
    memcpy(cython.address(value), data, 4)
    put_formatted(text, b"%.5e", value)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shortest(value: cython.double, digits: cython.p_char) -> cython.int:
    """Write the 1 to 17 digits, without zeros at their end; the return is the place of the point behind the first.

    `value` is above 0 and finite, `digits` has room for 32.
    """
    precision: cython.int
    i: cython.int
    for precision in range(0, 17):
        snprintf(digits, 32, b"%.*e", precision, value)
        if strtod(digits, cython.NULL) == value:
            break
    place: cython.int = 0
    negative: cython.bint
    at: cython.p_char = digits + (precision + 2 if precision else 1) + 1  # behind the "e"
    negative = at[0] == 45
    at += 1
    while at[0]:
        place = place * 10 + (at[0] - 48)
        at += 1
    for i in range(1, precision + 1):
        digits[i] = digits[i + 1]
    digits[precision + 1] = 0
    return -place if negative else place


def put_json_double(text, data):
    value: cython.double
    digits: cython.char[40]
    at: cython.p_char
    i: cython.int
    memcpy(cython.address(value), data, 8)
    if not isfinite(value):
        put_text(text, b"0.0")
        return
    if not text_grow(text, 64):
        return
    at = text.data + text.length
    if data[7] & 0x80:
        at[0] = 45
        at += 1
        value = -value
    if value == 0:
        memcpy(at, cython.cast(cython.p_const_char, b"0.0"), 3)
        text.length = at + 3 - text.data
        return
    point: cython.int = shortest(value, cython.cast(cython.p_char, digits)) + 1  # digits in front of the point
    count: cython.int = cython.cast(cython.int, strlen(cython.cast(cython.p_const_char, digits)))
    # The exponent form begins where the server's my_gcvt lets it, with a width that holds every double.
    if -14 <= point <= 15 or (point > 0 and count > point):
        if point <= 0:
            at[0] = 48
            at[1] = 46
            at += 2
            for i in range(-point):
                at[i] = 48
            at += -point
            memcpy(at, cython.cast(cython.p_const_char, digits), count)
            at += count
        elif count > point:
            memcpy(at, cython.cast(cython.p_const_char, digits), point)
            at[point] = 46
            memcpy(at + point + 1, cython.cast(cython.p_const_char, digits) + point, count - point)
            at += count + 1
        else:
            memcpy(at, cython.cast(cython.p_const_char, digits), count)
            at += count
            for i in range(point - count):
                at[i] = 48
            at += point - count
            at[0] = 46
            at[1] = 48
            at += 2
    else:
        at[0] = digits[0]
        at += 1
        if count > 1:
            at[0] = 46
            memcpy(at + 1, cython.cast(cython.p_const_char, digits) + 1, count - 1)
            at += count
        at[0] = 101
        at += 1
        point -= 1
        if point < 0:
            at[0] = 45
            at += 1
            point = -point
        at = write_unsigned(at, point)
    text.length = at - text.data


def float_text(form: str, value: cython.double) -> bytes:
    """The number as a FLOAT ("float"), a DOUBLE ("double"), in a VECTOR ("vector") or in JSON ("json")."""
    text: Text
    single: cython.float = value
    bytes_of_double: cython.p_const_char = cython.cast(cython.p_const_char, cython.address(value))
    bytes_of_float: cython.p_const_char = cython.cast(cython.p_const_char, cython.address(single))
    text_init(cython.address(text))
    try:
        if form == "float":
            put_float(cython.address(text), cython.cast(octets, bytes_of_float))
        elif form == "double":
            put_double(cython.address(text), cython.cast(octets, bytes_of_double))
        elif form == "vector":
            put_vector_element(cython.address(text), cython.cast(octets, bytes_of_float))
        elif form == "json":
            put_json_double(cython.address(text), cython.cast(octets, bytes_of_double))
        else:
            raise ValueError(f"no such form: {form!r}")
        return text_take(cython.address(text))
    finally:
        text_free(cython.address(text))
