"""Dates and times: the types of 5.6.4 and later, with fractions, and those before.

A date that Python's `datetime` cannot hold ("0000-00-00", a month or day of zero) is given as MySQL's text.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from pybinlog.layout.values.cursor import Cursor, LieError

_FRACTION_BITS = 24
_FRACTION = (1 << _FRACTION_BITS) - 1
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
    seconds = int.from_bytes(cursor.take(4), "big")
    microseconds = _microseconds(int.from_bytes(cursor.take(size), "big"), size)
    if microseconds >= 1000000:
        raise LieError(f"{microseconds} microseconds in a second")
    return _timestamp(seconds, microseconds, decimals)


def unpack_datetime(packed: int, decimals: int = 6) -> datetime | str:
    """The packed number of a DATETIME: year * 13 + month, day, hour, minute, second, and 24 bits of microseconds."""
    if packed < 0:
        raise LieError("a negative date")
    whole, microsecond = packed >> _FRACTION_BITS, packed & _FRACTION
    day, time = whole >> 17, whole & (1 << 17) - 1
    year, month = divmod(day >> 5, 13)
    return _datetime((year, month, day & 31, time >> 12, time >> 6 & 63, time & 63), microsecond, decimals)


def unpack_time(packed: int) -> timedelta:
    """The packed number of a TIME: hour, minute, second, and 24 bits of microseconds."""
    magnitude = abs(packed)
    time = magnitude >> _FRACTION_BITS
    return _interval(packed < 0, time >> 12 & 1023, time >> 6 & 63, time & 63, magnitude & _FRACTION)


def read_datetime2(cursor: Cursor, decimals: int) -> datetime | str:
    """DATETIME: 5 bytes big-endian, then the fraction."""
    size = _fraction_bytes(decimals)
    whole = int.from_bytes(cursor.take(5), "big") - _DATETIME_OFFSET
    fraction = int.from_bytes(cursor.take(size), "big", signed=True)
    return unpack_datetime((whole << _FRACTION_BITS) + _microseconds(fraction, size), decimals)


def read_time2(cursor: Cursor, decimals: int) -> timedelta:
    """TIME: 3 bytes big-endian with an offset, then the fraction; both complement each other where it is negative."""
    size = _fraction_bytes(decimals)
    value = int.from_bytes(cursor.take(3 + size), "big") - (_TIME_OFFSET << 8 * size)
    magnitude = abs(value)
    fraction = _microseconds(magnitude & (1 << 8 * size) - 1, size)
    packed = (magnitude >> 8 * size << _FRACTION_BITS) + fraction
    return unpack_time(-packed if value < 0 else packed)
