"""One value of a row image, by the type of its column."""

from __future__ import annotations

import struct
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from pybinlog.layout.rows.table_map import ColumnType
from pybinlog.layout.values.collation import text_or_bytes
from pybinlog.layout.values.column import BLOB_TYPES, INTEGER_BYTES, STRING_TYPES, Column
from pybinlog.layout.values.cursor import Cursor, LieError
from pybinlog.layout.values.json import read_json
from pybinlog.layout.values.number import read_decimal
from pybinlog.layout.values.temporal import (
    read_date,
    read_datetime,
    read_datetime2,
    read_time,
    read_time2,
    read_timestamp,
    read_timestamp2,
)


def _integer(cursor: Cursor, column: Column) -> int:
    size = INTEGER_BYTES[column.type]
    return cursor.unsigned(size) if column.unsigned else cursor.signed(size)


def _decimal(cursor: Cursor, column: Column) -> Any:
    return read_decimal(cursor, column.metadata.precision, column.metadata.decimals)


def _bit(cursor: Cursor, column: Column) -> int:
    return int.from_bytes(cursor.take(column.metadata.bytes + (column.metadata.bits > 0)), "big")


def _year(cursor: Cursor, column: Column) -> int:
    value = cursor.unsigned(1)
    return 1900 + value if value else 0


def _string(cursor: Cursor, column: Column) -> Any:
    if column.length is None:
        raise LieError("the Table_map does not give its length")
    data = cursor.prefixed(2 if column.length > 255 else 1)
    address = ADDRESSES.get(column.collation or 0)
    if address is not None and len(data) <= address[0]:
        return address[1](data.ljust(address[0], b"\0"))
    return text_or_bytes(data, column.collation)


ADDRESSES: dict[int, tuple[int, Callable[[bytes], Any]]] = {
    0x10001: (16, lambda data: UUID(bytes=data)),
    0x10002: (4, IPv4Address),
    0x10003: (16, IPv6Address),
}
"""What stands in the place of a collation (kernel/rows/address.pxd) -> the bytes of MariaDB's UUID, INET4 or INET6.

A log has them as BINARY without the zeros at their end; only a definition says more.
"""


def blob_bytes(cursor: Cursor, column: Column) -> bytes:
    """The bytes of a BLOB, JSON, GEOMETRY or VECTOR. Raises LieError."""
    size = column.metadata.length_bytes if column.metadata is not None else 0
    if not 1 <= size <= 4:
        raise LieError(f"a length of {size} bytes")
    return cursor.prefixed(size)


def _blob(cursor: Cursor, column: Column) -> str | bytes:
    return text_or_bytes(blob_bytes(cursor, column), column.collation)


def _json(cursor: Cursor, column: Column) -> Any:
    return read_json(blob_bytes(cursor, column))


def _typed_array(cursor: Cursor, column: Column) -> Any:
    return read_json(cursor.prefixed(4))


def _vector(cursor: Cursor, column: Column) -> list[float]:
    raw = blob_bytes(cursor, column)
    if len(raw) % 4:
        raise LieError(f"a vector of {len(raw)} bytes")
    return list(struct.unpack(f"<{len(raw) // 4}f", raw))


def _enum(cursor: Cursor, column: Column) -> int | str:
    if column.length not in (1, 2):
        raise LieError(f"an ENUM of {column.length} bytes")
    index = cursor.unsigned(column.length)
    if column.values is not None and index <= len(column.values):
        return column.values[index - 1] if index else ""
    return index


def _set(cursor: Cursor, column: Column) -> int | tuple[str, ...]:
    if column.length is None or not 1 <= column.length <= 8:
        raise LieError(f"a SET of {column.length} bytes")
    bits = cursor.unsigned(column.length)
    if column.values is not None and bits.bit_length() <= len(column.values):
        return tuple(text for index, text in enumerate(column.values) if bits >> index & 1)
    return bits


_READERS: dict[int, Callable[[Cursor, Column], Any]] = {
    **dict.fromkeys(INTEGER_BYTES, _integer),
    ColumnType.FLOAT: lambda cursor, column: struct.unpack("<f", cursor.take(4))[0],
    ColumnType.DOUBLE: lambda cursor, column: struct.unpack("<d", cursor.take(8))[0],
    ColumnType.NULL: lambda cursor, column: None,
    ColumnType.NEWDECIMAL: _decimal,
    ColumnType.BIT: _bit,
    ColumnType.YEAR: _year,
    ColumnType.DATE: lambda cursor, column: read_date(cursor),
    ColumnType.NEWDATE: lambda cursor, column: read_date(cursor),
    ColumnType.TIME: lambda cursor, column: read_time(cursor),
    ColumnType.DATETIME: lambda cursor, column: read_datetime(cursor),
    ColumnType.TIMESTAMP: lambda cursor, column: read_timestamp(cursor),
    ColumnType.TIME2: lambda cursor, column: read_time2(cursor, column.metadata.decimals),
    ColumnType.DATETIME2: lambda cursor, column: read_datetime2(cursor, column.metadata.decimals),
    ColumnType.TIMESTAMP2: lambda cursor, column: read_timestamp2(cursor, column.metadata.decimals),
    **dict.fromkeys(STRING_TYPES, _string),
    ColumnType.MARIA_VARCHAR_COMPRESSED: _string,
    ColumnType.ENUM: _enum,
    ColumnType.SET: _set,
    **dict.fromkeys(BLOB_TYPES, _blob),
    ColumnType.MARIA_BLOB_COMPRESSED: _blob,
    ColumnType.GEOMETRY: _blob,
    ColumnType.JSON: _json,
    ColumnType.VECTOR: _vector,
    ColumnType.TYPED_ARRAY: _typed_array,
}
_WITHOUT_METADATA = frozenset(
    {
        *INTEGER_BYTES,
        ColumnType.NULL,
        ColumnType.YEAR,
        ColumnType.DATE,
        ColumnType.NEWDATE,
        ColumnType.TIME,
        ColumnType.DATETIME,
        ColumnType.TIMESTAMP,
        ColumnType.TYPED_ARRAY,
        ColumnType.FLOAT,
        ColumnType.DOUBLE,
    }
)


def read_value(cursor: Cursor, column: Column) -> Any:
    """The value of a column that is not NULL; the cursor is then after it. Raises LieError."""
    reader = _READERS.get(column.type)
    if reader is None:
        raise LieError(f"column type {int(column.type)} is not known")
    if column.metadata is None and column.type not in _WITHOUT_METADATA:
        raise LieError("the Table_map does not describe it")
    return reader(cursor, column)
