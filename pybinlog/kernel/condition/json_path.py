# distutils: extra_compile_args = -O2
"""A value in a JSON document of MySQL's binary form, by its path, and its text.

Source: the manual, "JSON Path Syntax": a value outside an array is its own cell 0.
"""

import cython
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memcmp, memcpy, memmove
from cython.cimports.pybinlog.kernel.condition.text_order import steps_end
from cython.cimports.pybinlog.kernel.rows import json_value


def json_at(
    element: cython.pointer(json_value.JsonElement),
    data: octets,
    size: cython.size_t,
    path: octets,
    path_size: cython.size_t,
    steps: cython.pointer(cython.size_t),
) -> cython.bint:
    container: json_value.JsonContainer
    at: octets = path
    end: octets = path + path_size
    i: cython.size_t
    length: cython.size_t = 0
    if size == 0:
        return False
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    while at != end:
        kind: uint8_t = at[0]
        number: cython.size_t = read_u32(at + 1)
        at += 5
        if kind == LEG_CELL:
            if element.type < json_value.SMALL_ARRAY or element.type > json_value.SMALL_ARRAY + 1:
                if number:
                    return False
                continue
            if not json_value.container_begin(cython.address(container), element) or number >= container.count:
                return False
            if not json_value.container_element(cython.address(container), number, element):
                return False
            continue
        if element.type > json_value.LARGE_OBJECT or not json_value.container_begin(cython.address(container), element):
            return False
        for i in range(container.count):
            if steps_end(steps):
                return False
            key: octets = json_value.container_key(cython.address(container), i, cython.address(length))
            if length == number and memcmp(key, at, number) == 0:
                if not json_value.container_element(cython.address(container), i, element):
                    return False
                break
        else:
            return False
        at += number
    return True


Look = cython.struct(at=cython.size_t, steps=cython.pointer(cython.size_t))
"""The length of a text at the next look for signals, and the steps that tell that one has come."""


def look_between(owner: cython.p_void, text: p_Text) -> cython.void:
    """Look for signals once a text has grown by LOOK_AFTER; leave it as it is."""
    look = cython.cast(cython.pointer(Look), owner)
    if text.length >= look.at:
        look.at = text.length + LOOK_AFTER
        if is_interrupted():
            look.steps[0] = LOOK_AFTER + 1
            text.failed = True


def put_unquoted(text: p_Text, element: p_const_JsonElement, steps: cython.pointer(cython.size_t)) -> cython.bint:
    at: octets = element.data
    length: cython.size_t = 0
    look: Look
    if element.type == json_value.STRING:
        if not json_value.json_length(cython.address(at), element.data + element.size, cython.address(length)):
            return False
        put_memory(text, at, length)
        return True
    limit: cython.size_t = text.drained + text.length + json_value.most_of(element.size, json_value.MOST_TEXT_OF_A_BYTE)
    look.at = 0
    look.steps = steps
    text.owner = cython.address(look)
    text.drain = look_between
    result: cython.int = json_value.put_json_element(text, element, 0, limit)
    text.drain = cython.NULL
    if steps[0] > LOOK_AFTER:
        text.failed = False
        return False
    if result != json_value.JSON_WRITTEN:
        return False
    if text.length > 1 and text.data[0] == b'"':  # dates, times and decimals have no escapes
        text.length -= 2
        memmove(text.data, text.data + 1, text.length)
    return True


def read_number(data: octets, size: cython.size_t, number: cython.pointer(cython.double)) -> cython.bint:
    copy: cython.char[65]
    i: cython.size_t
    end: cython.p_char = cython.NULL
    if size == 0 or size > 64:
        return False
    for i in range(size):
        c: cython.uchar = data[i]
        if not (b"0" <= c <= b"9" or c == b"+" or c == b"-" or c == b"." or c == b"E" or c == b"e"):
            return False
    memcpy(copy, data, size)
    copy[size] = 0
    number[0] = strtod(copy, cython.address(end))
    return end == copy + size
