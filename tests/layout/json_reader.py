"""JSON as the server stores it, read in plain Python: a document, and the operations of a partial update (WL#2955)."""

import struct
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.json_values import JSON_NULL, JsonDiff, JsonOpaque, JsonOperation, JsonOperationType
from tests.layout.cursor import Cursor, LieError, read_decimal

MAX_DEPTH = 100
_FRACTION_BITS = 24
_FRACTION = (1 << _FRACTION_BITS) - 1


def unpack_datetime(packed: int) -> datetime | str:
    """Return the packed number of a DATETIME: year * 13 + month, day, hour, minute, second, and 24 bits of
    microseconds. A date that Python's `datetime` cannot hold ("0000-00-00", a month or day of zero) is MySQL's text.
    """
    if packed < 0:
        raise LieError("a negative date")
    whole, microsecond = packed >> _FRACTION_BITS, packed & _FRACTION
    day, time = whole >> 17, whole & (1 << 17) - 1
    year, month = divmod(day >> 5, 13)
    parts = year, month, day & 31, time >> 12, time >> 6 & 63, time & 63, microsecond
    try:
        return datetime(*parts)
    except ValueError:
        return "{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}.{:06d}".format(*parts)


def unpack_time(packed: int) -> timedelta:
    """Return the packed number of a TIME: hour, minute, second, and 24 bits of microseconds."""
    magnitude = abs(packed)
    time, microseconds = magnitude >> _FRACTION_BITS, magnitude & _FRACTION
    value = timedelta(hours=time >> 12 & 1023, minutes=time >> 6 & 63, seconds=time & 63, microseconds=microseconds)
    return -value if packed < 0 else value


class JsonType(IntEnum):
    """The type byte that begins a value of a document."""

    SMALL_OBJECT = 0
    LARGE_OBJECT = 1
    SMALL_ARRAY = 2
    LARGE_ARRAY = 3
    LITERAL = 4
    INT16 = 5
    UINT16 = 6
    INT32 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    STRING = 12
    OPAQUE = 15


_LITERALS = {0: None, 1: True, 2: False}
_INTEGERS = {
    JsonType.INT16: (2, True),
    JsonType.UINT16: (2, False),
    JsonType.INT32: (4, True),
    JsonType.UINT32: (4, False),
    JsonType.INT64: (8, True),
    JsonType.UINT64: (8, False),
}
_CONTAINERS = frozenset({JsonType.SMALL_OBJECT, JsonType.LARGE_OBJECT, JsonType.SMALL_ARRAY, JsonType.LARGE_ARRAY})


class _Document:
    """Reads the values of one document.

    Offsets could make many values of the same bytes, so all values together may take no more bytes than there are.
    """

    def __init__(self, size: int) -> None:
        self.budget = size

    def spend(self, size: int) -> None:
        self.budget -= size
        if self.budget < 0:
            raise LieError("parts of a JSON document overlap")

    def value(self, kind: int, data: bytes, depth: int) -> Any:
        """Return the value of a type that begins at the front of `data`."""
        if kind in _CONTAINERS:
            return self.container(JsonType(kind), data, depth + 1)
        cursor = Cursor(data)
        if kind == JsonType.LITERAL:
            literal = cursor.unsigned(1)
            self.spend(1)
            if literal not in _LITERALS:
                raise LieError(f"JSON literal {literal}")
            return _LITERALS[literal]
        if kind in _INTEGERS:
            size, signed = _INTEGERS[JsonType(kind)]
            self.spend(size)
            return cursor.signed(size) if signed else cursor.unsigned(size)
        if kind == JsonType.DOUBLE:
            self.spend(8)
            return struct.unpack("<d", cursor.read(8))[0]
        if kind == JsonType.STRING:
            return self.sized(cursor).decode("utf-8", "surrogateescape")
        if kind == JsonType.OPAQUE:
            field_type = cursor.unsigned(1)
            return _opaque(field_type, self.sized(cursor))
        raise LieError(f"JSON type {kind}")

    def sized(self, cursor: Cursor) -> bytes:
        """Bytes after their length, of which each byte holds 7 bits, the lowest first."""
        size = 0
        for shift in range(0, 35, 7):
            byte = cursor.unsigned(1)
            size |= (byte & 0x7F) << shift
            if not byte & 0x80:
                self.spend(1 + size)
                return cursor.read(size)
        raise LieError("a JSON length of more than five bytes")

    def container(self, kind: JsonType, data: bytes, depth: int) -> Any:
        """Return an object or array: count, size, key entries, value entries, then the keys and values by their
        offsets.
        """
        if depth > MAX_DEPTH:
            raise LieError(f"JSON nested deeper than {MAX_DEPTH}")
        width = 4 if kind in (JsonType.LARGE_OBJECT, JsonType.LARGE_ARRAY) else 2
        is_object = kind in (JsonType.SMALL_OBJECT, JsonType.LARGE_OBJECT)
        cursor = Cursor(data)
        count, size = cursor.unsigned(width), cursor.unsigned(width)
        if size > len(data):
            raise LieError(f"a JSON container of {size} bytes, of which {len(data)} are left")
        data = data[:size]
        cursor = Cursor(data, 2 * width)
        keys = []
        for _ in range(count if is_object else 0):
            offset, length = cursor.unsigned(width), cursor.unsigned(2)
            self.spend(1 + length)
            keys.append(Cursor(data, min(offset, size)).read(length).decode("utf-8", "surrogateescape"))
        values = []
        for _ in range(count):
            item_kind = cursor.unsigned(1)
            item = cursor.read(width)
            if item_kind in (JsonType.LITERAL, JsonType.INT16, JsonType.UINT16) or (
                width == 4 and item_kind in (JsonType.INT32, JsonType.UINT32)
            ):
                values.append(self.value(item_kind, item, depth))
                continue
            offset = int.from_bytes(item, "little")
            if offset >= size:
                raise LieError(f"a JSON value at {offset} of {size} bytes")
            values.append(self.value(item_kind, data[offset:], depth))
        return dict(zip(keys, values, strict=True)) if is_object else values


def _opaque(field_type: int, data: bytes) -> Any:
    """Return a value that is stored as a column of that type would be, if Python has a value for it."""
    if field_type == ColumnType.NEWDECIMAL:
        cursor = Cursor(data)
        return read_decimal(cursor, cursor.unsigned(1), cursor.unsigned(1))
    if field_type in (ColumnType.DATE, ColumnType.DATETIME, ColumnType.TIMESTAMP, ColumnType.TIME):
        packed = Cursor(data).signed(8)
        if field_type == ColumnType.TIME:
            return unpack_time(packed)
        moment = unpack_datetime(packed)
        if field_type == ColumnType.DATE:
            return moment[:10] if isinstance(moment, str) else moment.date()
        return moment
    if field_type == ColumnType.VAR_STRING:
        return data.decode("utf-8", "surrogateescape")
    return JsonOpaque(field_type, data)


def read_json(data: bytes) -> Any:
    """Return the value of a binary JSON document.

    dict, list, str, int, float, bool, and None for a null inside; `JSON_NULL` for the document `null` (or an empty
    one); Decimal, date, datetime, timedelta and JsonOpaque for what only MySQL's JSON has. Raise LieError.
    """
    if not data:
        return JSON_NULL
    value = _Document(len(data)).value(data[0], data[1:], 0)
    return JSON_NULL if value is None else value


def read_json_diff(data: bytes) -> JsonDiff:
    """Return the operations of a partial update in their order. Raise LieError."""
    cursor = Cursor(data)
    operations = JsonDiff()
    while cursor.left:
        code = cursor.unsigned(1)
        try:
            operation = JsonOperationType(code)
        except ValueError:
            raise LieError(f"operation {code} of a partial JSON update") from None
        path = cursor.read(cursor.lenenc()).decode("utf-8", "surrogateescape")
        value = None if operation == JsonOperationType.REMOVE else read_json(cursor.read(cursor.lenenc()))
        operations.append(JsonOperation(operation, path, value))
    return operations
