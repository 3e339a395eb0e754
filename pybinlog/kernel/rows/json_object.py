"""JSON documents and their partial updates as Python's values.

These are dict, list, str, int, float, bool, and None for a null inside; `JSON_NULL` for the document `null` (or an
empty one); Decimal, date, datetime, timedelta and JsonOpaque for what only MySQL's JSON has. A date that is in no
calendar is MySQL's text. A partial update is a JsonDiff.

Places could make many values of the same bytes, so all values together may take no more bytes than the document has.
"""

from datetime import date, datetime, timedelta
from decimal import Decimal
from struct import unpack

import cython
from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.text import OwnText, text_take
from cython.cimports.pybinlog.kernel.rows import json_value, table_map
from cython.cimports.pybinlog.kernel.rows.json_diff import REMOVE, JsonDiff, read_operation
from cython.cimports.pybinlog.kernel.rows.json_value import p_const_JsonElement
from pybinlog import json_values

LITERALS = (None, True, False)
SECOND, MOST_YEARS = 1_000_000, 10_000  # the text has six digits of a second, and four of a year
WRITTEN_AS_TEXT = (
    table_map.TYPE_NEWDECIMAL,
    table_map.TYPE_DATE,
    table_map.TYPE_TIME,
    table_map.TYPE_DATETIME,
    table_map.TYPE_TIMESTAMP,
)


@cython.cfunc
def opaque(element: p_const_JsonElement, data: bytes) -> object:
    """Return a value that is stored as a column of its type would be, if Python has a value for it."""
    text: OwnText = OwnText()
    kind = element.data[0]
    if kind == table_map.TYPE_VAR_STRING:
        return data.decode("utf-8", "surrogateescape")
    if kind not in WRITTEN_AS_TEXT:
        return json_values.JsonOpaque(kind, data)
    if json_value.put_json_scalar(cython.address(text.text), element, False) != json_value.JSON_WRITTEN:
        raise ValueError
    shown = text_take(cython.address(text.text)).decode("ascii")
    if kind == table_map.TYPE_NEWDECIMAL:
        return Decimal(shown)
    packed = int.from_bytes(data[:8], "little", signed=True)
    if abs(packed) & 0xFFFFFF >= SECOND or (kind != table_map.TYPE_TIME and not 0 <= packed >> 46 < 13 * MOST_YEARS):
        raise ValueError
    if kind == table_map.TYPE_TIME:
        hours, minutes, seconds = shown.lstrip("-").split(":")
        span = timedelta(0, int(seconds[:2]), int(seconds[3:]), 0, int(minutes), int(hours))
        return -span if shown[0] == "-" else span
    try:
        return date.fromisoformat(shown) if kind == table_map.TYPE_DATE else datetime.fromisoformat(shown)
    except ValueError:
        return shown


@cython.cfunc
def value_of(element: p_const_JsonElement, depth: cython.int, left: cython.pointer(cython.size_t)) -> object:
    """Return a value, which may take `left` bytes. Raise ValueError if it is damaged."""
    kind: uint8_t = element.type
    at: octets = element.data
    end: octets = at + element.size
    size: cython.size_t = 1
    if kind <= json_value.LARGE_ARRAY:
        return container_of(element, depth, left)
    if kind == json_value.STRING or (kind == json_value.OPAQUE and at < end):
        at += kind == json_value.OPAQUE
        if not json_value.json_length(cython.address(at), end, cython.address(size)):
            raise ValueError
    elif json_value.JSON_INT16 <= kind <= json_value.JSON_UINT64:
        size = cython.cast(cython.size_t, 2) << ((kind - json_value.JSON_INT16) >> 1)
    elif kind == json_value.JSON_DOUBLE:
        size = 8
    elif kind != json_value.LITERAL:
        raise ValueError
    if size > cython.cast(cython.size_t, end - at) or size >= left[0]:
        raise ValueError
    left[0] -= size + 1
    data: bytes = cython.cast(cython.p_const_char, at)[:size]
    if kind == json_value.STRING:
        return data.decode("utf-8", "surrogateescape")
    if kind == json_value.OPAQUE:
        return opaque(element, data)
    if kind == json_value.JSON_DOUBLE:
        return unpack("<d", data)[0]
    if kind != json_value.LITERAL:
        return int.from_bytes(data, "little", signed=kind % 2 == json_value.JSON_INT16 % 2)
    if at[0] > 2:
        raise ValueError
    return LITERALS[at[0]]


@cython.cfunc
def container_of(element: p_const_JsonElement, depth: cython.int, left: cython.pointer(cython.size_t)) -> object:
    """Return an array or object, as `value_of` does."""
    container: json_value.JsonContainer
    item: json_value.JsonElement
    length: cython.size_t = 0
    i: cython.size_t
    members: dict = {}
    items: list = []
    if (
        depth > json_value.MOST_DEPTH
        or left[0] == 0
        or not json_value.container_begin(cython.address(container), element)
    ):
        raise ValueError
    left[0] -= 1
    for i in range(container.count):
        if not json_value.container_element(cython.address(container), i, cython.address(item)):
            raise ValueError
        value = value_of(cython.address(item), depth + 1, left)
        if not container.object:
            items.append(value)
            continue
        key: octets = json_value.container_key(cython.address(container), i, cython.address(length))
        if key == container.data or length >= left[0]:  # the container's own place stands for an impossible one
            raise ValueError
        left[0] -= length + 1
        name: bytes = cython.cast(cython.p_const_char, key)[:length]
        members[name.decode("utf-8", "surrogateescape")] = value
    return members if container.object else items


@cython.cfunc
def document_of(data: octets, size: cython.size_t) -> object:
    """Return the value of a document. Raise ValueError if it is damaged."""
    element: json_value.JsonElement
    left: cython.size_t = size
    if size == 0:
        return json_values.JSON_NULL
    element.type = data[0]
    element.data = data + 1
    element.size = size - 1
    value = value_of(cython.address(element), 1, cython.address(left))
    return json_values.JSON_NULL if value is None else value


def read_json(data: bytes) -> object:
    try:
        return document_of(data, len(data))
    except ValueError:
        return data


def read_json_diff(data: bytes) -> object:
    diff: JsonDiff
    at: octets = data
    end: octets = at + len(data)
    operations = json_values.JsonDiff()
    try:
        while at < end:
            if read_operation(cython.address(diff), cython.address(at), end) != cython.NULL:
                return data
            path: bytes = cython.cast(cython.p_const_char, diff.path)[: diff.path_size]
            value = None if diff.operation == REMOVE else document_of(diff.value, diff.value_size)
            kind = json_values.JsonOperationType(diff.operation)
            operations.append(json_values.JsonOperation(kind, path.decode("utf-8", "surrogateescape"), value))
    except ValueError:
        return data
    return operations
