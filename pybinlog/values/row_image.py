"""Values of columns as row images have them.

A value is as `values.convert` stores it, or as a server returns it: dates and times of Python, or the server's text
for those that Python does not have, bytes for a text in the column's character set, numbers for ENUM, SET and BIT.
"""

import struct
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.layout.rows import bitmap
from pybinlog.schema import Column
from pybinlog.schema.table_map import pack_length
from pybinlog.schema.text import encode_text
from pybinlog.values.json_binary import json_bytes
from pybinlog.values.temporal import date_parts
from pybinlog.values.value import decimal_bytes

_DATETIME_OFFSET = 0x8000000000
_TIME_OFFSET = 0x800000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _fraction(microsecond: int, column: Column) -> bytes:
    size = (column.decimals + 1) // 2
    return (microsecond // 10 ** (6 - 2 * size)).to_bytes(size, "big")


def _date(value: date | str, column: Column) -> bytes:
    year, month, day = date_parts(value)[:3]
    return (year << 9 | month << 5 | day).to_bytes(3, "little")


def _datetime(value: datetime | str, column: Column) -> bytes:
    year, month, day, hour, minute, second, microsecond = date_parts(value)
    packed = (year * 13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second
    return (packed + _DATETIME_OFFSET).to_bytes(5, "big") + _fraction(microsecond, column)


def _timestamp(value: datetime | str, column: Column) -> bytes:
    """TIMESTAMP; the zero timestamp is a text."""
    span = timedelta(0) if isinstance(value, str) else value - _EPOCH
    return (span // timedelta(seconds=1)).to_bytes(4, "big") + _fraction(span.microseconds, column)


def _time(value: timedelta, column: Column) -> bytes:
    magnitude = abs(value)
    minutes, second = divmod(magnitude // timedelta(seconds=1), 60)
    packed = (minutes // 60 << 12 | minutes % 60 << 6 | second).to_bytes(3, "big")
    data = packed + _fraction(magnitude.microseconds, column)
    number = int.from_bytes(data, "big")
    offset = _TIME_OFFSET << 8 * (len(data) - 3)
    return (offset - number if value < timedelta(0) else offset + number).to_bytes(len(data), "big")


def _decimal(value: Decimal, column: Column) -> bytes:
    sign, digits, _ = value.as_tuple()
    units = int("".join(map(str, digits)))
    return decimal_bytes(-units if sign else units, column.precision, column.decimals)


def _bytes(value: str | bytes, column: Column, size: int) -> bytes:
    data = encode_text(value, column.charset) if isinstance(value, str) else value
    return len(data).to_bytes(size, "little") + data


def _string(value: str | bytes, column: Column) -> bytes:
    return _bytes(value, column, 2 if column.byte_length > 255 else 1)


def _integer(value: int, column: Column) -> bytes:
    return value.to_bytes(INTEGER_BYTES[column.type], "little", signed=not column.unsigned)


def _members(value: int, column: Column) -> bytes:
    return value.to_bytes(pack_length(column), "little")


_WRITERS: dict[int, Callable[[Any, Column], bytes]] = {
    **dict.fromkeys(INTEGER_BYTES, _integer),
    ColumnType.FLOAT: lambda value, column: struct.pack("<f", value),
    ColumnType.DOUBLE: lambda value, column: struct.pack("<d", value),
    ColumnType.NEWDECIMAL: _decimal,
    ColumnType.BIT: lambda value, column: value.to_bytes((column.length + 7) // 8, "big"),
    ColumnType.YEAR: lambda value, column: bytes((value - 1900 if value else 0,)),
    ColumnType.DATE: _date,
    ColumnType.TIME2: _time,
    ColumnType.DATETIME2: _datetime,
    ColumnType.TIMESTAMP2: _timestamp,
    ColumnType.VARCHAR: _string,
    ColumnType.STRING: _string,
    ColumnType.BLOB: lambda value, column: _bytes(value, column, column.length_bytes),
    ColumnType.ENUM: _members,
    ColumnType.SET: _members,
    ColumnType.JSON: lambda value, column: _bytes(json_bytes(value), column, column.length_bytes),
    ColumnType.GEOMETRY: lambda value, column: _bytes(value, column, column.length_bytes),
    ColumnType.VECTOR: lambda value, column: _bytes(value, column, column.length_bytes),
}
"""The types of `values.convert.STORED_TYPES`, and those that only servers have: JSON is given as its text."""


def row_image(row: Sequence[Any], columns: Sequence[Column], present: Sequence[bool], *, filler: bool) -> bytes:
    """Return the values of the columns that `present` names, in order; None is NULL.

    `filler`: the null bits that stand for no column, which servers before 8.0 set.
    """
    held = [(value, column) for value, column, is_held in zip(row, columns, present, strict=True) if is_held]
    nulls = bitmap([*(value is None for value, _ in held), *([filler] * (-len(held) % 8))])
    return nulls + b"".join(_WRITERS[column.type](value, column) for value, column in held if value is not None)
