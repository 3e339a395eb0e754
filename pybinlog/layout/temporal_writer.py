"""Dates and times as bytes: what `temporal` reads, from the values that it gives.

A date is a `date` or `datetime`, or MySQL's text for one that these cannot hold ("2024-00-00 00:00:00.0"). Fractions
beyond the column's digits are cut off, as values in a column have no more.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

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
