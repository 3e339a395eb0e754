"""Row images decoded in plain Python, after the format's description: what the kernel's values are compared with."""

import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from pybinlog.column_types import INTEGER_BYTES, ColumnType
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import DELETE_TYPES, UPDATE_TYPES, EventType
from pybinlog.kernel.base.charset import text_or_bytes
from pybinlog.log.event import Row
from tests.layout.columns import BLOB_TYPES, STRING_TYPES, Column, columns_of
from tests.layout.compression import uncompress
from tests.layout.cursor import Cursor, LieError, read_decimal
from tests.layout.json_reader import read_json, read_json_diff, unpack_datetime, unpack_time

_PARTIAL_JSON = 1
_BINARY = 63
_FRACTION_BITS = 24
_TIME_OFFSET = 0x800000
_DATETIME_OFFSET = 0x8000000000


def _fraction_bytes(decimals: int) -> int:
    if not 0 <= decimals <= 6:
        raise LieError(f"{decimals} fractional digits of a second")
    return (decimals + 1) // 2


def _microseconds(value: int, size: int) -> int:
    return value * (1, 10000, 100, 1)[size]


def _date(year: int, month: int, day: int) -> date | str:
    try:
        return date(year, month, day)
    except ValueError:
        return f"{year:04d}-{month:02d}-{day:02d}"


def _datetime(parts: tuple[int, int, int, int, int, int], microsecond: int, decimals: int) -> datetime | str:
    try:
        return datetime(*parts, microsecond)
    except ValueError:
        fraction = f".{microsecond:06d}"[: decimals + 1] if decimals else ""
        return "{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}".format(*parts) + fraction


def _interval(negative: bool, hour: int, minute: int, second: int, microsecond: int) -> timedelta:
    value = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microsecond)
    return -value if negative else value


def read_date(cursor: Cursor) -> date | str:
    """DATE: 3 bytes, day in 5 bits, month in 4, year above."""
    value = cursor.unsigned(3)
    return _date(value >> 9, value >> 5 & 15, value & 31)


def read_time(cursor: Cursor) -> timedelta:
    """TIME before 5.6.4: the decimal number HHMMSS in 3 bytes."""
    value = cursor.signed(3)
    magnitude = abs(value)
    return _interval(value < 0, magnitude // 10000, magnitude // 100 % 100, magnitude % 100, 0)


def read_datetime(cursor: Cursor) -> datetime | str:
    """DATETIME before 5.6.4: the decimal number YYYYMMDDhhmmss in 8 bytes."""
    day, time = divmod(cursor.unsigned(8), 1000000)
    return _datetime((day // 10000, day // 100 % 100, day % 100, time // 10000, time // 100 % 100, time % 100), 0, 0)


def _timestamp(seconds: int, microseconds: int, decimals: int) -> datetime | str:
    if not seconds and not microseconds:
        return _datetime((0, 0, 0, 0, 0, 0), 0, decimals)
    return datetime.fromtimestamp(seconds, timezone.utc).replace(microsecond=microseconds)


def read_timestamp(cursor: Cursor) -> datetime | str:
    """TIMESTAMP before 5.6.4: seconds since 1970 in 4 bytes. In UTC; zero is the text "0000-00-00 00:00:00"."""
    return _timestamp(cursor.unsigned(4), 0, 0)


def read_timestamp2(cursor: Cursor, decimals: int) -> datetime | str:
    """TIMESTAMP: seconds big-endian in 4 bytes, then the fraction. In UTC."""
    size = _fraction_bytes(decimals)
    seconds = int.from_bytes(cursor.read(4), "big")
    microseconds = _microseconds(int.from_bytes(cursor.read(size), "big"), size)
    if microseconds >= 1000000:
        raise LieError(f"{microseconds} microseconds in a second")
    return _timestamp(seconds, microseconds, decimals)


def read_datetime2(cursor: Cursor, decimals: int) -> datetime | str:
    """DATETIME: 5 bytes big-endian, then the fraction."""
    size = _fraction_bytes(decimals)
    whole = int.from_bytes(cursor.read(5), "big") - _DATETIME_OFFSET
    fraction = int.from_bytes(cursor.read(size), "big", signed=True)
    moment = unpack_datetime((whole << _FRACTION_BITS) + _microseconds(fraction, size))
    return moment[: 20 + decimals if decimals else 19] if isinstance(moment, str) else moment


def read_time2(cursor: Cursor, decimals: int) -> timedelta:
    """TIME: 3 bytes big-endian with an offset, then the fraction; both complement each other if it is negative."""
    size = _fraction_bytes(decimals)
    value = int.from_bytes(cursor.read(3 + size), "big") - (_TIME_OFFSET << 8 * size)
    magnitude = abs(value)
    fraction = _microseconds(magnitude & (1 << 8 * size) - 1, size)
    packed = (magnitude >> 8 * size << _FRACTION_BITS) + fraction
    return unpack_time(-packed if value < 0 else packed)


def _integer(cursor: Cursor, column: Column) -> int:
    size = INTEGER_BYTES[column.type]
    return cursor.unsigned(size) if column.unsigned else cursor.signed(size)


def _decimal(cursor: Cursor, column: Column) -> Any:
    return read_decimal(cursor, column.metadata.precision, column.metadata.decimals)


def _bit(cursor: Cursor, column: Column) -> int:
    return int.from_bytes(cursor.read(column.metadata.bytes + (column.metadata.bits > 0)), "big")


def _year(cursor: Cursor, column: Column) -> int:
    value = cursor.unsigned(1)
    return 1900 + value if value else 0


def _string(cursor: Cursor, column: Column) -> Any:
    if column.length is None:
        raise LieError("the Table_map does not give its length")
    data = cursor.prefixed(2 if column.length > 255 else 1)
    if column.type == ColumnType.STRING and column.collation == _BINARY:
        return data.ljust(column.length, b"\0")  # the log leaves the zeros at the end out
    address = ADDRESSES.get(column.collation or 0)
    if address is not None and len(data) <= address[0]:
        return address[1](data.ljust(address[0], b"\0"))
    return text_or_bytes(data, column.collation)


ADDRESSES: dict[int, tuple[int, Callable[[bytes], Any]]] = {
    0x10001: (16, lambda data: UUID(bytes=data)),
    0x10002: (4, IPv4Address),
    0x10003: (16, IPv6Address),
}
"""Numbers in the place of a collation (kernel/base/address.pxd) -> the bytes of MariaDB's UUID, INET4 or INET6.

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
    ColumnType.FLOAT: lambda cursor, column: struct.unpack("<f", cursor.read(4))[0],
    ColumnType.DOUBLE: lambda cursor, column: struct.unpack("<d", cursor.read(8))[0],
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


def _bits(bitmap: bytes, count: int) -> list[bool]:
    return [bool(bitmap[index // 8] >> index % 8 & 1) for index in range(count)]


class _Images:
    """Reads the images of one event."""

    def __init__(self, data: bytes, columns: list[Column]) -> None:
        self.cursor = Cursor(data)
        self.columns = columns
        self.json_count = sum(column.type == ColumnType.JSON for column in columns)

    def read(self, present: list[bool], path: str, partial: bool = False) -> dict[str, Any]:
        """The next image, whose columns `present` names; `partial`: it may hold partial JSON updates."""
        cursor = self.cursor
        field = "null bits"
        try:
            diffs: list[bool] = []
            if partial and cursor.lenenc() & _PARTIAL_JSON:
                field = "partial bits"
                diffs = _bits(cursor.read((self.json_count + 7) // 8), self.json_count)
            count = sum(present)
            nulls = iter(_bits(cursor.read((count + 7) // 8), count))
            is_diff = iter(diffs)
            image: dict[str, Any] = {}
            for column in self.columns:
                has_diff = column.type == ColumnType.JSON and next(is_diff, False)
                if not present[column.index]:
                    continue
                field = column.key
                if next(nulls):
                    image[field] = None
                elif has_diff:
                    image[field] = read_json_diff(blob_bytes(cursor, column))
                else:
                    image[field] = read_value(cursor, column)
            return image
        except LieError as error:
            raise CorruptEventError(f"row event: {error} (in {path}.{field})") from error


def decode_rows(rows_body: Any, table_map_body: Any, resolve: bool = True) -> list[Row]:
    """The rows of a parsed row event, with the parsed Table_map that its table id names.

    Values are int, float, Decimal, str (where the Table_map names the character set, else bytes), date, datetime,
    timedelta, list of float (VECTOR), JSON values as `read_json` gives them, and JsonDiff for a partial update. An ENUM
    is its text and a SET a tuple of texts where the Table_map holds them, else numbers.
    With `resolve` False strings stay bytes, ENUM and SET numbers, integers signed, and names "@1", "@2" ..., as with a
    Table_map without optional metadata. Raises CorruptEventError, which names the row and the column.
    """
    columns = columns_of(table_map_body)
    if len(columns) != rows_body.column_count:
        raise CorruptEventError(
            f"row event of {rows_body.column_count} columns for a Table_map of {len(columns)} (in column_count)"
        )
    if not resolve:
        columns = [replace(column, name=None, unsigned=None, collation=None, values=None) for column in columns]
    data = rows_body.rows if isinstance(rows_body.rows, bytes) else uncompress(rows_body.rows)
    before = _bits(rows_body.columns_before_image, len(columns))
    is_update = rows_body.event_type in UPDATE_TYPES
    after = before if rows_body.columns_after_image is None else _bits(rows_body.columns_after_image, len(columns))
    images = _Images(data, columns)
    rows: list[Row] = []
    while images.cursor.left:
        start, path = images.cursor.position, f"rows[{len(rows)}]"
        if is_update:
            first = images.read(before, f"{path}.before")
            second = images.read(after, f"{path}.after", rows_body.event_type == EventType.PARTIAL_UPDATE_ROWS)
            rows.append(Row(first, second))
        elif rows_body.event_type in DELETE_TYPES:
            rows.append(Row(images.read(before, f"{path}.before"), None))
        else:
            rows.append(Row(None, images.read(before, f"{path}.after")))
        if images.cursor.position == start:
            raise CorruptEventError(f"row event: a row without any byte (in {path})")
    return rows
