"""Row images, written: values by the types of their columns, from those that `Event.rows` gives."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.kernel.base.charset import encoded
from pybinlog.kernel.base.collation import COLLATION_BINARY
from pybinlog.layout.column import BLOB_TYPES, STRING_TYPES, Column
from pybinlog.layout.cursor import write_decimal
from pybinlog.layout.json_writer import (
    write_date,
    write_datetime,
    write_datetime2,
    write_json,
    write_time,
    write_time2,
    write_timestamp,
    write_timestamp2,
)


def bytes_of_text(text: str, collation: int | None) -> bytes:
    """Raise ValueError if the character set is not known or does not have all of the text."""
    try:
        data = None if collation is None else encoded(text, collation, True)
    except LookupError as error:
        raise ValueError(f"the character set of collation {collation} is not known") from error
    if data is None:
        raise ValueError(f"the character set of collation {collation} does not have {text!r}")
    return data


def _integer(value: int, column: Column) -> bytes:
    size = INTEGER_BYTES[column.type]
    return value.to_bytes(size, "little", signed=value < 0 or not column.unsigned)


def _bytes(value: str | bytes, column: Column) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return bytes_of_text(value, column.collation)
    except ValueError as error:
        raise ValueError(f"{column.key}: {error}") from error


def _prefixed(data: bytes, size: int, column: Column) -> bytes:
    if len(data) >> 8 * size:
        raise ValueError(f"{len(data)} bytes are too many for {column.key}")
    return len(data).to_bytes(size, "little") + data


def _string(value: str | bytes, column: Column) -> bytes:
    data = _bytes(value, column)
    if column.type == ColumnType.STRING and column.collation == COLLATION_BINARY:
        data = data.rstrip(b"\0")  # that fill a BINARY up to its length
    return _prefixed(data, 2 if (column.length or 0) > 255 else 1, column)


def _blob_bytes(data: bytes, column: Column) -> bytes:
    return _prefixed(data, column.metadata.length_bytes, column)


def _blob(value: str | bytes, column: Column) -> bytes:
    return _blob_bytes(_bytes(value, column), column)


def _floats(value: list[float] | bytes, column: Column) -> bytes:
    data = value if isinstance(value, bytes) else struct.pack(f"<{len(value)}f", *value)
    return _blob_bytes(data, column)


def _enum(value: int | str, column: Column) -> bytes:
    if isinstance(value, str):
        value = (column.values or ()).index(value) + 1 if value else 0
    return value.to_bytes(column.length or 1, "little")


def _set(value: int | tuple[str, ...], column: Column) -> bytes:
    if not isinstance(value, int):
        value = sum(1 << (column.values or ()).index(text) for text in value)
    return value.to_bytes(column.length or 1, "little")


_WRITERS: dict[int, Callable[[Any, Column], bytes]] = {
    **dict.fromkeys(INTEGER_BYTES, _integer),
    ColumnType.FLOAT: lambda value, column: struct.pack("<f", value),
    ColumnType.DOUBLE: lambda value, column: struct.pack("<d", value),
    ColumnType.NEWDECIMAL: lambda value, column: write_decimal(
        value, column.metadata.precision, column.metadata.decimals
    ),
    ColumnType.BIT: lambda value, column: value.to_bytes(column.metadata.bytes + (column.metadata.bits > 0), "big"),
    ColumnType.YEAR: lambda value, column: bytes((value - 1900 if value else 0,)),
    ColumnType.DATE: lambda value, column: write_date(value),
    ColumnType.NEWDATE: lambda value, column: write_date(value),
    ColumnType.TIME: lambda value, column: write_time(value),
    ColumnType.DATETIME: lambda value, column: write_datetime(value),
    ColumnType.TIMESTAMP: lambda value, column: write_timestamp(value),
    ColumnType.TIME2: lambda value, column: write_time2(value, column.metadata.decimals),
    ColumnType.DATETIME2: lambda value, column: write_datetime2(value, column.metadata.decimals),
    ColumnType.TIMESTAMP2: lambda value, column: write_timestamp2(value, column.metadata.decimals),
    **dict.fromkeys(STRING_TYPES, _string),
    ColumnType.ENUM: _enum,
    ColumnType.SET: _set,
    **dict.fromkeys(BLOB_TYPES, _blob),
    ColumnType.GEOMETRY: _blob_bytes,
    ColumnType.JSON: lambda value, column: _blob_bytes(write_json(value), column),
    **{kind: _floats for kind in ColumnType if kind.content == "FLOATS"},
}


def write_value(value: Any, column: Column) -> bytes:
    """Return the bytes of a value that is not NULL. Raise ValueError if the column cannot hold it."""
    writer = _WRITERS.get(column.type)
    if writer is None:
        raise ValueError(f"values of column type {int(column.type)} are not written")
    try:
        return writer(value, column)
    except (OverflowError, UnicodeEncodeError, struct.error, AttributeError, TypeError) as error:
        raise ValueError(f"{column.key} cannot hold {value!r}: {error}") from error


def bitmap(bits: Sequence[bool]) -> bytes:
    """Bits as the format holds them, the first in the lowest bit of the first byte."""
    raw = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        raw[index // 8] |= bit << index % 8
    return bytes(raw)


def encode_image(
    values: Sequence[Any], columns: Sequence[Column], present: Sequence[bool], *, filler: bool = False
) -> bytes:
    """One row image: the values of the columns that `present` names, in order; None is NULL.

    The values are those that `Event.rows` gives. `filler`: the null bits that stand for no column, which servers
    before 8.0 set. Raise ValueError if a column cannot hold its value.
    """
    held = [(value, column) for value, column, is_held in zip(values, columns, present, strict=True) if is_held]
    nulls = bitmap([*(value is None for value, _ in held), *([filler] * (-len(held) % 8))])
    return nulls + b"".join(write_value(value, column) for value, column in held if value is not None)
