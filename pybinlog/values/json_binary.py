"""JSON documents in the binary form in which MySQL stores and logs them.

Source: sql-common/json_binary.h of MySQL. All objects and arrays are of the large form, whose offsets have four bytes.
"""

import json
import struct
from decimal import Decimal
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.values.value import decimal_bytes

OBJECT, ARRAY, LITERAL = 1, 3, 4
INT32, INT64, UINT64, DOUBLE, STRING, OPAQUE = 7, 9, 10, 11, 12, 15
LITERALS = {None: 0, True: 1, False: 2}
MOST_INT32, MOST_INT64, MOST_UINT64 = 1 << 31, 1 << 63, 1 << 64


class _Number(str):
    """A number with a fraction or an exponent, as its text."""


def json_bytes(text: str) -> bytes:
    """Return the document that a text is. Raise ValueError if it is not JSON."""
    kind, data = _value(json.loads(text, parse_float=_Number))
    return bytes((kind,)) + data


def _value(value: Any) -> tuple[int, bytes]:
    """Return a value's type and bytes."""
    if value is None or isinstance(value, bool):
        return LITERAL, bytes((LITERALS[value],))
    if isinstance(value, int):
        if -MOST_INT32 <= value < MOST_INT32:
            return INT32, struct.pack("<i", value)
        if -MOST_INT64 <= value < MOST_INT64:
            return INT64, struct.pack("<q", value)
        return (UINT64, struct.pack("<Q", value)) if 0 <= value < MOST_UINT64 else _decimal(str(value))
    if isinstance(value, _Number):
        return (DOUBLE, struct.pack("<d", float(value))) if _is_double(value) else _decimal(value)
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogateescape")
        return STRING, _length(len(data)) + data
    if isinstance(value, dict):
        return OBJECT, _container(value.values(), [key.encode("utf-8", "surrogateescape") for key in value])
    return ARRAY, _container(value, [])


def _is_double(text: str) -> bool:
    """Return True for a number as a double is printed; others are DECIMAL, whose digits count."""
    return "e" in text.lower() or text in (repr(float(text)), f"{float(text):.17g}")


def _decimal(text: str) -> tuple[int, bytes]:
    sign, digits, exponent = Decimal(text).as_tuple()
    decimals = -int(exponent)
    precision = max(len(digits), decimals, 1)
    units = int("".join(map(str, digits)))
    data = bytes((precision, decimals)) + decimal_bytes(-units if sign else units, precision, decimals)
    return OPAQUE, bytes((ColumnType.NEWDECIMAL,)) + _length(len(data)) + data


def _container(values: Any, keys: list[bytes]) -> bytes:
    """Return an object or, without keys, an array. Offsets count from its first byte after the type."""
    items = [_value(value) for value in values]
    at = 8 + 6 * len(keys) + 5 * len(items)
    entries, rest = bytearray(), bytearray()
    for key in keys:
        entries += struct.pack("<IH", at + len(rest), len(key))
        rest += key
    for kind, data in items:
        if kind in (LITERAL, INT32):  # they stand in the place of their offset
            entries += bytes((kind,)) + data.ljust(4, b"\0")
        else:
            entries += struct.pack("<BI", kind, at + len(rest))
            rest += data
    return struct.pack("<II", len(items), at + len(rest)) + bytes(entries) + bytes(rest)


def _length(size: int) -> bytes:
    """Return a length, seven bits a byte, the lowest first."""
    found = bytearray()
    while size > 127:
        found.append(size & 127 | 128)
        size >>= 7
    return bytes((*found, size))
