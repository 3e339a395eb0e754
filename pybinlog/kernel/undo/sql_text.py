# distutils: extra_compile_args = -O2
"""SQL literals of strings, bytes and floating-point numbers, and JSON documents as SQL that gives the same again.

JSON text knows no dates, no DECIMAL and no bytes, and the server reads its whole numbers above 32 bits as unsigned.
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint8_t
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memcpy, until_look
from cython.cimports.pybinlog.kernel.base.utf8 import utf8_run
from cython.cimports.pybinlog.kernel.rows import json_value, table_map
from cython.cimports.pybinlog.kernel.rows.number_value import put_shortest_double


def is_plain(data: octets, size: cython.size_t, how: cython.int) -> cython.bint:
    at: octets = data
    end: octets = data + size
    ascii: cython.bint = True
    escapes: cython.bint = False
    if how == AS_HEXADECIMAL:
        return False
    while at != end:
        until: octets = until_look(at, end)
        while at != until:
            c: uint8_t = at[0]
            at += 1
            if c < 32:
                if c != b"\t" and c != b"\n" and c != b"\r":
                    return False
            elif c == 127:
                return False
            elif c == b"\\":
                escapes = True
            elif c > 127:
                ascii = False
        if at != end and is_interrupted():
            return False
    return ascii or (how == AS_UTF8 and not escapes and utf8_run(data, size) == size)


def goes_on(text: p_Text) -> cython.bint:
    """Return False if a signal has come: the text is not wanted any more then."""
    if is_interrupted():
        text.failed = True
    return not text.failed


def put_sql_string(text: p_Text, data: octets, size: cython.size_t):
    put_char(text, b"'")
    while size > LARGE_VALUE and goes_on(text):
        put_sql_characters(text, data, LARGE_VALUE)
        data += LARGE_VALUE
        size -= LARGE_VALUE
    put_sql_characters(text, data, size)
    put_char(text, b"'")


def put_sql_characters(text: p_Text, data: octets, size: cython.size_t) -> cython.void:
    i: cython.size_t
    if not text_grow(text, 2 * size):
        return
    at: cython.p_char = text.data + text.length
    for i in range(size):
        c: uint8_t = data[i]
        if c == b"'" or c == b"\\":
            at[0] = cython.cast(cython.char, c)
            at += 1
        elif c == b"\n" or c == b"\r":
            at[0] = b"\\"
            at += 1
            c = 110 if c == b"\n" else 114
        at[0] = cython.cast(cython.char, c)
        at += 1
    text.length = at - text.data


def put_sql_hex(text: p_Text, data: octets, size: cython.size_t, zeros: cython.size_t):
    i: cython.size_t
    put_char(text, b"X")
    put_char(text, b"'")
    while size > LARGE_VALUE and goes_on(text):
        put_upper_hex(text, data, LARGE_VALUE)
        data += LARGE_VALUE
        size -= LARGE_VALUE
    put_upper_hex(text, data, size)
    for i in range(zeros):
        put_bytes(text, b"00", 2)
    put_char(text, b"'")


def put_real(text: p_Text, value: cython.double):
    start: cython.size_t = text.length
    i: cython.size_t
    put_shortest_double(text, value)
    for i in range(start, text.length):
        if text.data[i] == b"e" or text.data[i] == b"E":
            return
    put_bytes(text, b"e0", 2)


LARGEST_SIGNED = cython.declare(int64_t, 0xFFFFFFFF)
"""The largest positive number that the server reads as a signed one."""


def json_form(data: octets, size: cython.size_t) -> cython.int:
    element: json_value.JsonElement
    steps: cython.size_t = 0
    if not size:
        return JSON_AS_TEXT
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    return form_of(cython.address(element), 0, cython.address(steps))


def form_of(element: p_const_JsonElement, depth: cython.int, steps: cython.pointer(cython.size_t)) -> cython.int:
    container: json_value.JsonContainer
    member: json_value.JsonElement
    form: cython.int = JSON_AS_TEXT
    i: cython.size_t
    if element.type > json_value.LARGE_ARRAY:
        return form_of_scalar(element)
    if depth > json_value.MOST_DEPTH or not json_value.container_begin(cython.address(container), element):
        return JSON_AS_TEXT  # it cannot be written in any form
    for i in range(container.count):
        if not json_value.container_element(cython.address(container), i, cython.address(member)):
            return JSON_AS_TEXT
        found: cython.int = form_of(cython.address(member), depth + 1, steps)
        if found > form:
            form = found
        steps[0] += 1
        if steps[0] % LOOK_AFTER == 0 and is_interrupted():
            break
    return form


def form_of_scalar(element: p_const_JsonElement) -> cython.int:
    if element.type == json_value.JSON_UINT16 or element.type == json_value.JSON_UINT32:
        return JSON_AS_EXPRESSION
    if element.type == json_value.JSON_INT64 and element.size >= 8:
        return JSON_AS_EXPRESSION if cython.cast(int64_t, read_u64(element.data)) > LARGEST_SIGNED else JSON_AS_TEXT
    if element.type == json_value.JSON_UINT64 and element.size >= 8:
        return JSON_AS_TEXT if read_u64(element.data) > LARGEST_SIGNED else JSON_AS_EXPRESSION
    if element.type != json_value.OPAQUE or not element.size:
        return JSON_AS_TEXT
    kind: uint8_t = element.data[0]
    if kind in (
        table_map.TYPE_NEWDECIMAL,
        table_map.TYPE_DATE,
        table_map.TYPE_TIME,
        table_map.TYPE_DATETIME,
        table_map.TYPE_VARCHAR,
    ):
        return JSON_AS_EXPRESSION
    return JSON_AS_NEITHER


def put_json_expression(text: p_Text, data: octets, size: cython.size_t):
    element: json_value.JsonElement
    look: cython.size_t = text.length + LOOK_AFTER
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    if element.type > json_value.LARGE_ARRAY:  # a function that gives JSON of a value of SQL
        put_text(text, b"JSON_EXTRACT(JSON_ARRAY(")
        put_value(text, cython.address(element), cython.address(look))
        put_text(text, b"), '$[0]')")
    else:
        put_value(text, cython.address(element), cython.address(look))


def put_value(text: p_Text, element: p_const_JsonElement, look: cython.pointer(cython.size_t)):
    """Append an argument of JSON_ARRAY or JSON_OBJECT. `look` is the text's length at the next look for signals."""
    container: json_value.JsonContainer
    member: json_value.JsonElement
    length: cython.size_t = 0
    i: cython.size_t
    if element.type > json_value.LARGE_ARRAY:
        put_scalar_value(text, element)
        return
    json_value.container_begin(cython.address(container), element)
    put_text(text, b"JSON_OBJECT(" if container.object else b"JSON_ARRAY(")
    for i in range(container.count):
        if i:
            put_bytes(text, b", ", 2)
        if container.object:
            key: octets = json_value.container_key(cython.address(container), i, cython.address(length))
            put_string(text, key, length)
            put_bytes(text, b", ", 2)
        json_value.container_element(cython.address(container), i, cython.address(member))
        put_value(text, cython.address(member), look)
        if text.length > look[0]:
            if not goes_on(text):
                return
            look[0] = text.length + LOOK_AFTER
    put_char(text, b")")


def put_string(text: p_Text, data: octets, size: cython.size_t):
    if is_plain(data, size, AS_UTF8):
        put_sql_string(text, data, size)
    else:
        put_text(text, b"_utf8mb4 ")
        put_sql_hex(text, data, size, 0)


def put_scalar_value(text: p_Text, element: p_const_JsonElement):
    at: octets = element.data
    length: cython.size_t = 0
    real: cython.double
    if element.type == json_value.STRING:
        json_value.json_length(cython.address(at), element.data + element.size, cython.address(length))
        put_string(text, at, length)
    elif element.type == json_value.JSON_DOUBLE:
        memcpy(cython.address(real), at, 8)
        put_real(text, real)
    elif (
        element.type == json_value.JSON_UINT16
        or element.type == json_value.JSON_UINT32
        or element.type == json_value.JSON_UINT64
    ):
        put_text(text, b"CAST(")
        json_value.put_json_scalar(text, element, False)
        put_text(text, b" AS UNSIGNED)")
    elif element.type != json_value.OPAQUE:
        json_value.put_json_scalar(text, element, False)
    else:
        kind: uint8_t = element.data[0]
        if kind == table_map.TYPE_NEWDECIMAL:
            json_value.put_json_scalar(text, element, False)
        elif kind == table_map.TYPE_VARCHAR:
            at += 1
            json_value.json_length(cython.address(at), element.data + element.size, cython.address(length))
            put_sql_hex(text, at, length, 0)
        else:
            put_text(text, b"CAST('")
            json_value.put_json_scalar(text, element, False)
            put_text(
                text,
                b"' AS DATE)"
                if kind == table_map.TYPE_DATE
                else b"' AS TIME(6))"
                if kind == table_map.TYPE_TIME
                else b"' AS DATETIME(6))",
            )
