"""Dates and times: the types of 5.6.4 and later, with fractions, and those before.

A date that Python's `datetime` cannot hold ("0000-00-00", a month or day of zero) is given as MySQL's text.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pybinlog.layout.values.cursor import LieError

_FRACTION_BITS = 24
_FRACTION = (1 << _FRACTION_BITS) - 1
_TIME_OFFSET = 0x800000
_DATETIME_OFFSET = 0x8000000000


def _datetime(parts: tuple[int, int, int, int, int, int], microsecond: int, decimals: int) -> datetime | str:
    try:
        return datetime(*parts, microsecond)
    except ValueError:
        fraction = f".{microsecond:06d}"[: decimals + 1] if decimals else ""
        return "{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}".format(*parts) + fraction


def _interval(negative: bool, hour: int, minute: int, second: int, microsecond: int) -> timedelta:
    value = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microsecond)
    return -value if negative else value


def unpack_datetime(packed: int, decimals: int = 6) -> datetime | str:
    """Return the packed number of a DATETIME: year * 13 + month, day, hour, minute, second, and 24 bits of
    microseconds.
    """
    if packed < 0:
        raise LieError("a negative date")
    whole, microsecond = packed >> _FRACTION_BITS, packed & _FRACTION
    day, time = whole >> 17, whole & (1 << 17) - 1
    year, month = divmod(day >> 5, 13)
    return _datetime((year, month, day & 31, time >> 12, time >> 6 & 63, time & 63), microsecond, decimals)


def unpack_time(packed: int) -> timedelta:
    """Return the packed number of a TIME: hour, minute, second, and 24 bits of microseconds."""
    magnitude = abs(packed)
    time = magnitude >> _FRACTION_BITS
    return _interval(packed < 0, time >> 12 & 1023, time >> 6 & 63, time & 63, magnitude & _FRACTION)
