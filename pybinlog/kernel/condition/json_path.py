# distutils: extra_compile_args = -O2
"""A value in a JSON document of MySQL's binary form, by its path, and its text.

Source: the manual, "JSON Path Syntax": a value outside an array is its own cell 0.
"""

import cython

from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memmove
from cython.cimports.pybinlog.kernel.base.text import put_memory
from cython.cimports.pybinlog.kernel.rows.json_value import (
    JSON_WRITTEN,
    LARGE_OBJECT,
    MOST_TEXT_OF_A_BYTE,
    SMALL_ARRAY,
    STRING,
    JsonContainer,
    container_begin,
    container_element,
    container_key,
    json_length,
    most_of,
    put_json_element,
)


def json_at(element, data, size, path, path_size):
    container: JsonContainer
    at: octets = path
    end: octets = path + path_size
    i: cython.size_t
    number: cython.size_t
    length: cython.size_t = 0
    key: octets
    kind: uint8_t
    if size == 0:
        return False
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    while at != end:
        kind = at[0]
        number = read_u32(at + 1)
        at += 5
        if kind == LEG_CELL:
            if element.type < SMALL_ARRAY or element.type > SMALL_ARRAY + 1:
                if number:
                    return False
                continue
            if not container_begin(cython.address(container), element) or number >= container.count:
                return False
            if not container_element(cython.address(container), number, element):
                return False
            continue
        if element.type > LARGE_OBJECT or not container_begin(cython.address(container), element):
            return False
        for i in range(container.count):
            key = container_key(cython.address(container), i, cython.address(length))
            if length == number and memcmp(key, at, number) == 0:
                if not container_element(cython.address(container), i, element):
                    return False
                break
        else:
            return False
        at += number
    return True


def put_unquoted(text, element):
    at: octets = element.data
    length: cython.size_t = 0
    if element.type == STRING:
        if not json_length(cython.address(at), element.data + element.size, cython.address(length)):
            return False
        put_memory(text, at, length)
        return True
    limit: cython.size_t = text.drained + text.length + most_of(element.size, MOST_TEXT_OF_A_BYTE)
    if put_json_element(text, element, 0, limit) != JSON_WRITTEN:
        return False
    if text.length > 1 and text.data[0] == 34:  # dates, times and decimals have no escapes
        text.length -= 2
        memmove(text.data, text.data + 1, text.length)
    return True


def read_number(data, size, number):
    copy: cython.char[65]
    i: cython.size_t
    c: cython.uchar
    end: cython.p_char = cython.NULL
    if size == 0 or size > 64:
        return False
    for i in range(size):
        c = data[i]
        if not (48 <= c <= 57 or c == 43 or c == 45 or c == 46 or c == 69 or c == 101):
            return False
    memcpy(copy, data, size)
    copy[size] = 0
    number[0] = strtod(copy, cython.address(end))
    return end == copy + size
