"""Partial updates of JSON columns (WL#2955): a list of operations, each with a path and mostly a value.

The text nests them: the operations are applied from the first to the last, so the name of the last one's function
comes first, and neighbours of one function share a call.
"""

import cython
from cython.cimports.pybinlog.kernel.base.little_endian import read_lenenc
from cython.cimports.pybinlog.kernel.rows import json_value

ARRAY_INSERT = cython.declare(uint8_t, 3)  # not in the log: an INSERT whose path ends with an array's place
FUNCTIONS = cython.declare(
    cython.p_const_char[4], [b"JSON_REPLACE(", b"JSON_INSERT(", b"JSON_REMOVE(", b"JSON_ARRAY_INSERT("]
)


def read_operation(diff: cython.pointer(JsonDiff), at: cython.pointer(octets), end: octets) -> cython.p_const_char:
    length: uint64_t = 0
    diff.operation = at[0][0]
    diff.value_size = 0
    if diff.operation > REMOVE:
        return b"reading operation type (invalid operation code)"
    at[0] += 1
    if not read_lenenc(at, end, cython.address(length)):
        return b"reading path length to skip"
    if length > cython.cast(uint64_t, end - at[0]):
        return b"skipping path"
    diff.path = at[0]
    diff.path_size = length
    at[0] += length
    if diff.operation != REMOVE:
        if not read_lenenc(at, end, cython.address(length)):
            return b"reading value length to skip"
        if length > cython.cast(uint64_t, end - at[0]):
            return b"skipping value"
        diff.value = at[0]
        diff.value_size = length
        at[0] += length
    return cython.NULL


def read_operations(operations: p_Text, at: octets, end: octets) -> cython.p_const_char:
    """Put a byte for each operation; NULL where all can be read, else what was being read."""
    diff: JsonDiff
    while at != end:
        error: cython.p_const_char = read_operation(cython.address(diff), cython.address(at), end)
        if error != cython.NULL:
            return error
        if diff.operation == INSERT and (diff.path + diff.path_size - 1)[0] == b"]":
            put_char(operations, ARRAY_INSERT)
        else:
            put_char(operations, diff.operation)
    return cython.NULL


def put_operations(
    text: p_Text, scratch: p_Text, at: octets, end: octets, label: cython.p_const_char, label_size: cython.size_t
) -> cython.p_const_char:
    """Append the operations; return NULL, or the error."""
    length: uint64_t = 0
    named: cython.bint = False
    scratch.length = 0
    error: cython.p_const_char = read_operations(scratch, at, end)
    if error != cython.NULL:
        return error
    count: cython.size_t = scratch.length
    if scratch.failed:
        return cython.NULL
    i: cython.size_t = count
    while i:
        i -= 1
        if i == 0 or scratch.data[i - 1] != scratch.data[i]:
            if named:
                put_text(text, b"\n###      ")
            named = True
            put_text(text, FUNCTIONS[scratch.data[i]])
    put_bytes(text, label, label_size)
    if count == 0:
        return cython.NULL
    put_bytes(text, b", ", 2)
    for i in range(count):
        at += 1
        read_lenenc(cython.address(at), end, cython.address(length))
        put_quoted(text, at, length)
        at += length
        if scratch.data[i] != REMOVE:
            put_bytes(text, b", ", 2)
            read_lenenc(cython.address(at), end, cython.address(length))
            of: json_value.JsonClass = json_value.json_class(at, length)
            scratch.length = count
            if length > LARGE_VALUE and of != json_value.JSON_PLAIN:
                result: cython.int = json_value.put_large_json(
                    text,
                    at,
                    length,
                    "CAST('" if of == json_value.JSON_CONTAINER else "'",
                    "' AS JSON)" if of == json_value.JSON_CONTAINER else "'",
                )
            else:
                result = json_value.put_json(scratch, at, length, False)
            if result == json_value.JSON_INVALID:
                return b"parsing json value"
            if result != json_value.JSON_WRITTEN:
                return b"converting json to string"
            json: octets = cython.cast(octets, scratch.data) + count
            if length > LARGE_VALUE and of != json_value.JSON_PLAIN:
                pass
            elif of == json_value.JSON_PLAIN:
                put_memory(text, json, scratch.length - count)
            elif of == json_value.JSON_CONTAINER:
                put_text(text, b"CAST(")
                put_quoted(text, json, scratch.length - count)
                put_text(text, b" AS JSON)")
            else:
                put_quoted(text, json, scratch.length - count)
            at += length
        if i + 1 == count or scratch.data[i + 1] != scratch.data[i]:
            put_char(text, b")")
        if i + 1 != count:
            put_text(text, b",\n###      ")
    return cython.NULL


def put_json_diff(
    text: p_Text,
    scratch: p_Text,
    data: octets,
    size: cython.size_t,
    label: cython.p_const_char,
    label_size: cython.size_t,
):
    error: cython.p_const_char = put_operations(text, scratch, data, data + size, label, label_size)
    if error != cython.NULL:
        put_text(text, b"Error ")
        put_text(text, error)
        put_text(text, b" while printing JSON diff\n")
