# distutils: extra_compile_args = -O2
"""SQL literals of strings, bytes and floating-point numbers, and JSON documents as SQL that gives the same again.

JSON text knows no dates, no DECIMAL and no bytes, and the server reads its whole numbers above 32 bits as unsigned.
"""

import cython

from cython.cimports.libc.stdint import int64_t
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.text import put_bytes, put_char, put_text, put_upper_hex, text_grow
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from cython.cimports.pybinlog.kernel.rows.json_value import (
    JSON_DOUBLE,
    JSON_INT64,
    JSON_UINT16,
    JSON_UINT32,
    JSON_UINT64,
    LARGE_ARRAY,
    MOST_DEPTH,
    OPAQUE,
    STRING,
    JsonContainer,
    container_begin,
    container_element,
    container_key,
    json_length,
    put_json_scalar,
)
from cython.cimports.pybinlog.kernel.rows.number_value import put_shortest_double
from cython.cimports.pybinlog.kernel.rows.table_map import (
    TYPE_DATE,
    TYPE_DATETIME,
    TYPE_NEWDECIMAL,
    TYPE_TIME,
    TYPE_VARCHAR,
)


def is_plain(data, size, how):
    i: cython.size_t
    c: uint8_t
    ascii: cython.bint = True
    escapes: cython.bint = False
    if how == AS_HEXADECIMAL:
        return False
    for i in range(size):
        c = data[i]
        if c < 32:
            if c != 9 and c != 10 and c != 13:
                return False
        elif c == 127:
            return False
        elif c == 92:
            escapes = True
        elif c > 127:
            ascii = False
    return ascii or (how == AS_UTF8 and not escapes and utf8_run(data, size) == size)


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
            at[0] = cython.cast(cython.char, c)
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


LARGEST_SIGNED = cython.declare(int64_t, 0xFFFFFFFF)
"""The largest positive number that the server reads as a signed one."""


def json_form(data, size):
    element: JsonElement
    if not size:
        return JSON_AS_TEXT
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    return form_of(cython.address(element), 0)


def form_of(element, depth):
    container: JsonContainer
    member: JsonElement
    form: cython.int = JSON_AS_TEXT
    found: cython.int
    i: cython.size_t
    if element.type > LARGE_ARRAY:
        return form_of_scalar(element)
    if depth > MOST_DEPTH or not container_begin(cython.address(container), element):
        return JSON_AS_TEXT  # it cannot be written in any form
    for i in range(container.count):
        if not container_element(cython.address(container), i, cython.address(member)):
            return JSON_AS_TEXT
        found = form_of(cython.address(member), depth + 1)
        if found > form:
            form = found
    return form


def form_of_scalar(element):
    kind: uint8_t
    if element.type == JSON_UINT16 or element.type == JSON_UINT32:
        return JSON_AS_EXPRESSION
    if element.type == JSON_INT64 and element.size >= 8:
        return JSON_AS_EXPRESSION if cython.cast(int64_t, read_u64(element.data)) > LARGEST_SIGNED else JSON_AS_TEXT
    if element.type == JSON_UINT64 and element.size >= 8:
        return JSON_AS_TEXT if read_u64(element.data) > LARGEST_SIGNED else JSON_AS_EXPRESSION
    if element.type != OPAQUE or not element.size:
        return JSON_AS_TEXT
    kind = element.data[0]
    if kind in (TYPE_NEWDECIMAL, TYPE_DATE, TYPE_TIME, TYPE_DATETIME, TYPE_VARCHAR):
        return JSON_AS_EXPRESSION
    return JSON_AS_NEITHER


def put_json_expression(text, data, size):
    element: JsonElement
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    if element.type > LARGE_ARRAY:  # a function that gives JSON of a value of SQL
        put_text(text, b"JSON_EXTRACT(JSON_ARRAY(")
        put_value(text, cython.address(element))
        put_text(text, b"), '$[0]')")
    else:
        put_value(text, cython.address(element))


def put_value(text, element):
    """Append an argument of JSON_ARRAY or JSON_OBJECT."""
    container: JsonContainer
    member: JsonElement
    length: cython.size_t = 0
    key: octets
    i: cython.size_t
    if element.type > LARGE_ARRAY:
        put_scalar_value(text, element)
        return
    container_begin(cython.address(container), element)
    put_text(text, b"JSON_OBJECT(" if container.object else b"JSON_ARRAY(")
    for i in range(container.count):
        if i:
            put_bytes(text, b", ", 2)
        if container.object:
            key = container_key(cython.address(container), i, cython.address(length))
            put_string(text, key, length)
            put_bytes(text, b", ", 2)
        container_element(cython.address(container), i, cython.address(member))
        put_value(text, cython.address(member))
    put_char(text, 41)


def put_string(text, data, size):
    if is_plain(data, size, AS_UTF8):
        put_sql_string(text, data, size)
    else:
        put_text(text, b"_utf8mb4 ")
        put_sql_hex(text, data, size, 0)


def put_scalar_value(text, element):
    at: octets = element.data
    length: cython.size_t = 0
    kind: uint8_t
    real: cython.double
    if element.type == STRING:
        json_length(cython.address(at), element.data + element.size, cython.address(length))
        put_string(text, at, length)
    elif element.type == JSON_DOUBLE:
        memcpy(cython.address(real), at, 8)
        put_real(text, real)
    elif element.type == JSON_UINT16 or element.type == JSON_UINT32 or element.type == JSON_UINT64:
        put_text(text, b"CAST(")
        put_json_scalar(text, element, False)
        put_text(text, b" AS UNSIGNED)")
    elif element.type != OPAQUE:
        put_json_scalar(text, element, False)
    else:
        kind = element.data[0]
        if kind == TYPE_NEWDECIMAL:
            put_json_scalar(text, element, False)
        elif kind == TYPE_VARCHAR:
            at += 1
            json_length(cython.address(at), element.data + element.size, cython.address(length))
            put_sql_hex(text, at, length, 0)
        else:
            put_text(text, b"CAST('")
            put_json_scalar(text, element, False)
            put_text(
                text,
                b"' AS DATE)" if kind == TYPE_DATE else b"' AS TIME(6))" if kind == TYPE_TIME else b"' AS DATETIME(6))",
            )
