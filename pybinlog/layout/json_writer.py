"""JSON as the server stores it, from the values that `json.read_json` gives; and dates and times as bytes.

A date is a `date` or `datetime`, or MySQL's text for one that these cannot hold ("2024-00-00 00:00:00.0"). Fractions
beyond the column's digits are cut off, as values in a column have no more.
"""

from __future__ import annotations

import re
import struct
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.layout.cursor import write_decimal
from pybinlog.layout.json import JSON_NULL, MAX_DEPTH, JsonNull, JsonOpaque, JsonType, JsonUnsigned

_FRACTION_BITS = 24
_TIME_OFFSET = 0x800000
_DATETIME_OFFSET = 0x8000000000
_TEXT = re.compile(r"(\d+)-(\d+)-(\d+)(?:[ T](\d+):(\d+):(\d+)(?:\.(\d{1,6}))?)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

_Parts = tuple[int, int, int, int, int, int, int]


def _parts(value: date | datetime | str) -> _Parts:
    """Year, month, day, hour, minute, second, microsecond."""
    if isinstance(value, datetime):
        return value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond
    if isinstance(value, date):
        return value.year, value.month, value.day, 0, 0, 0, 0
    match = _TEXT.fullmatch(value)
    if match is None:
        raise ValueError(f"{value!r} is not a date")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    return year, month, day, hour, minute, second, int((match[7] or "").ljust(6, "0"))


def _fraction(microsecond: int, decimals: int) -> tuple[int, int]:
    """Return the fraction as it is stored, and in how many bytes."""
    size = (decimals + 1) // 2
    kept = microsecond // 10 ** (6 - decimals) * 10 ** (6 - decimals)
    return kept // (1, 10000, 100, 1)[size], size


def _clock(value: timedelta) -> tuple[bool, int, int, int, int]:
    """Return True if it is negative; hours, minutes, seconds, microseconds."""
    microseconds = value // timedelta(microseconds=1)
    seconds, microsecond = divmod(abs(microseconds), 1000000)
    return microseconds < 0, seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond


def write_date(value: date | str) -> bytes:
    """DATE in 3 bytes."""
    year, month, day = _parts(value)[:3]
    return (year << 9 | month << 5 | day).to_bytes(3, "little")


def write_time(value: timedelta) -> bytes:
    """TIME before 5.6.4 in 3 bytes."""
    negative, hour, minute, second, _ = _clock(value)
    number = hour * 10000 + minute * 100 + second
    return (-number if negative else number).to_bytes(3, "little", signed=True)


def write_datetime(value: datetime | str) -> bytes:
    """DATETIME before 5.6.4 in 8 bytes."""
    year, month, day, hour, minute, second, _ = _parts(value)
    return ((year * 10000 + month * 100 + day) * 1000000 + hour * 10000 + minute * 100 + second).to_bytes(8, "little")


def _seconds(value: datetime | str) -> tuple[int, int]:
    if isinstance(value, str):
        return 0, 0
    if value.tzinfo is None:
        value = value.replace(tzinfo=timezone.utc)
    return (value - _EPOCH) // timedelta(seconds=1), value.microsecond


def write_timestamp(value: datetime | str) -> bytes:
    """TIMESTAMP before 5.6.4 in 4 bytes; a text is the zero timestamp."""
    return _seconds(value)[0].to_bytes(4, "little")


def write_timestamp2(value: datetime | str, decimals: int) -> bytes:
    """TIMESTAMP: seconds and fraction; a text is the zero timestamp."""
    seconds, microsecond = _seconds(value)
    fraction, size = _fraction(microsecond, decimals)
    return seconds.to_bytes(4, "big") + fraction.to_bytes(size, "big")


def pack_datetime(value: date | datetime | str) -> int:
    """Return the number that `unpack_datetime` takes apart."""
    year, month, day, hour, minute, second, microsecond = _parts(value)
    whole = (year * 13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second
    return whole << _FRACTION_BITS | microsecond


def pack_time(value: timedelta) -> int:
    """Return the number that `unpack_time` takes apart."""
    negative, hour, minute, second, microsecond = _clock(value)
    packed = (hour << 12 | minute << 6 | second) << _FRACTION_BITS | microsecond
    return -packed if negative else packed


def write_datetime2(value: datetime | str, decimals: int) -> bytes:
    """DATETIME: 5 bytes and the fraction."""
    packed = pack_datetime(value)
    fraction, size = _fraction(packed & (1 << _FRACTION_BITS) - 1, decimals)
    return ((packed >> _FRACTION_BITS) + _DATETIME_OFFSET).to_bytes(5, "big") + fraction.to_bytes(size, "big")


def write_time2(value: timedelta, decimals: int) -> bytes:
    """TIME: 3 bytes and the fraction."""
    packed = pack_time(value)
    fraction, size = _fraction(abs(packed) & (1 << _FRACTION_BITS) - 1, decimals)
    magnitude = (abs(packed) >> _FRACTION_BITS) << 8 * size | fraction
    number = (_TIME_OFFSET << 8 * size) + (-magnitude if packed < 0 else magnitude)
    return number.to_bytes(3 + size, "big")


_SMALL_LIMIT = 1 << 16
_MAX_DECIMALS = 30


def _length(size: int) -> bytes:
    """7 bits in each byte, the lowest first."""
    raw = b""
    while size > 0x7F:
        raw += bytes((size & 0x7F | 0x80,))
        size >>= 7
    return raw + bytes((size,))


def _integer(value: int) -> tuple[JsonType, bytes]:
    unsigned = isinstance(value, JsonUnsigned) or value >= 1 << 63
    for size, signed_type, unsigned_type in (
        (2, JsonType.INT16, JsonType.UINT16),
        (4, JsonType.INT32, JsonType.UINT32),
        (8, JsonType.INT64, JsonType.UINT64),
    ):
        try:
            return unsigned_type if unsigned else signed_type, value.to_bytes(size, "little", signed=not unsigned)
        except OverflowError:
            continue
    raise ValueError(f"{value} is not an integer of 64 bits")


def _opaque(field_type: ColumnType, data: bytes) -> tuple[JsonType, bytes]:
    return JsonType.OPAQUE, bytes((field_type,)) + _length(len(data)) + data


def _decimal(value: Decimal) -> tuple[JsonType, bytes]:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is no DECIMAL")
    decimals = min(max(0, -exponent), _MAX_DECIMALS)
    precision = max(len(digits) + max(0, exponent), decimals, 1)
    body = write_decimal(value, precision, decimals)
    return _opaque(ColumnType.NEWDECIMAL, bytes((precision, decimals)) + body)


def _encode(value: Any, depth: int = 0) -> tuple[JsonType, bytes]:
    """Return the type and the bytes of one value, which lies in so many containers."""
    if value is None or isinstance(value, (bool, JsonNull)):
        return JsonType.LITERAL, bytes(({True: 1, False: 2}.get(value, 0) if isinstance(value, bool) else 0,))
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return JsonType.DOUBLE, struct.pack("<d", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogateescape")
        return JsonType.STRING, _length(len(data)) + data
    if isinstance(value, (dict, list)):
        if depth >= MAX_DEPTH:
            raise ValueError(f"JSON nested deeper than {MAX_DEPTH}")
        keys, items = _members(value, depth + 1)
        for width in (2, 4):
            encoded = _container(keys, items, width)
            if encoded is not None:
                return encoded
        raise ValueError("a JSON document of more than 4 GiB")
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime):
        return _opaque(ColumnType.DATETIME, struct.pack("<q", pack_datetime(value)))
    if isinstance(value, date):
        return _opaque(ColumnType.DATE, struct.pack("<q", pack_datetime(value)))
    if isinstance(value, timedelta):
        return _opaque(ColumnType.TIME, struct.pack("<q", pack_time(value)))
    if isinstance(value, JsonOpaque):
        return _opaque(ColumnType(value.type), value.data)
    raise ValueError(f"{type(value).__name__} is no JSON value")


def _inlined(kind: JsonType, width: int) -> bool:
    if kind in (JsonType.LITERAL, JsonType.INT16, JsonType.UINT16):
        return True
    return width == 4 and kind in (JsonType.INT32, JsonType.UINT32)


def _members(value: dict[str, Any] | list[Any], depth: int) -> tuple[list[bytes] | None, list[tuple[JsonType, bytes]]]:
    """Return the keys (None: an array) and the encoded items of a container.

    The keys of an object stand in the order of their length, and in that of their bytes among equals.
    """
    if not isinstance(value, dict):
        return None, [_encode(item, depth) for item in value]
    pairs = [(key.encode("utf-8", "surrogateescape"), item) for key, item in value.items()]
    pairs.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return [key for key, _ in pairs], [_encode(item, depth) for _, item in pairs]


def _container(
    names: list[bytes] | None, items: list[tuple[JsonType, bytes]], width: int
) -> tuple[JsonType, bytes] | None:
    """Return an object or array whose counts and offsets take `width` bytes; None if these are too narrow."""
    limit = 1 << 8 * width
    is_object = names is not None
    keys = names or []
    offset = 2 * width + len(keys) * (width + 2) + len(items) * (1 + width)
    key_entries = b""
    for key in keys:
        if offset >= limit or len(key) >= _SMALL_LIMIT:
            return None
        key_entries += offset.to_bytes(width, "little") + len(key).to_bytes(2, "little")
        offset += len(key)
    value_entries, values = [], []
    for kind, data in items:
        if _inlined(kind, width):
            signed = kind in (JsonType.INT16, JsonType.INT32) and bool(data[-1] & 0x80)
            value_entries.append(bytes((kind,)) + data.ljust(width, b"\xff" if signed else b"\0"))
            continue
        if offset >= limit:
            return None
        value_entries.append(bytes((kind,)) + offset.to_bytes(width, "little"))
        values.append(data)
        offset += len(data)
    if len(items) >= limit or offset >= limit:
        return None
    head = len(items).to_bytes(width, "little") + offset.to_bytes(width, "little")
    kinds = {
        (True, 2): JsonType.SMALL_OBJECT,
        (True, 4): JsonType.LARGE_OBJECT,
        (False, 2): JsonType.SMALL_ARRAY,
        (False, 4): JsonType.LARGE_ARRAY,
    }
    body = b"".join((head, key_entries, *value_entries, *keys, *values))
    return kinds[is_object, width], body


def write_json(value: Any) -> bytes:
    """Return the bytes that `read_json` reads. Raise ValueError for what JSON does not have."""
    kind, data = _encode(None if value is JSON_NULL else value)
    return bytes((kind,)) + data
