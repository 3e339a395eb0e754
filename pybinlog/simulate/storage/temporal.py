"""Dates and times from text and numbers, time zones, and the arithmetic of intervals."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .time_use import time_use
from .value import Temporal, Value, to_text

__all__ = [
    "add_months",
    "from_utc",
    "parse_datetime",
    "parse_time",
    "round_to",
    "temporal_of",
    "to_utc",
    "zone",
]

_DATETIME = re.compile(
    r"\s*(\d{1,4})[-/.:^@](\d{1,2})[-/.:^@](\d{1,2})(?:[T\s]+(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(?:\.(\d*))?)?)?\s*"
)
_COMPACT = re.compile(r"\s*(\d{6}|\d{8}|\d{12}|\d{14})(?:\.(\d*))?\s*")
_TIME = re.compile(r"\s*(-?)(?:(\d{1,2})\s+)?(\d{1,3})(?::(\d{1,2}))?(?::(\d{1,2}))?(?:\.(\d*))?\s*")
_TIME_NUMBER = re.compile(r"\s*(-?)(\d{1,7})(?:\.(\d*))?\s*")
_OFFSET = re.compile(r"([+-])(\d{1,2}):(\d{2})")
MAX_TIME = timedelta(hours=838, minutes=59, seconds=59)


def zone(name: str) -> timezone | ZoneInfo:
    """A session's time_zone. Raises ValueError for a name that is not known."""
    time_use().time_zone = True
    if name.upper() in ("SYSTEM", "UTC"):
        return timezone.utc
    match = _OFFSET.fullmatch(name)
    if match:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-offset if match[1] == "-" else offset)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"Unknown or incorrect time zone: '{name}'") from error


def to_utc(moment: datetime, time_zone: str) -> datetime:
    """A moment of the session's time zone in UTC, with that as its tzinfo."""
    return moment.replace(tzinfo=zone(time_zone)).astimezone(timezone.utc)


def from_utc(moment: datetime, time_zone: str) -> datetime:
    """A moment of UTC in the session's time zone, without tzinfo."""
    return moment.astimezone(zone(time_zone)).replace(tzinfo=None)


def _year(digits: str) -> int:
    number = int(digits)
    if len(digits) > 2:
        return number
    return number + (2000 if number < 70 else 1900)


def _fraction(digits: str | None) -> tuple[int, int, bool]:
    """Microseconds, how many digits count, and whether the seventh digit rounds up."""
    digits = digits or ""
    return int(digits[:6].ljust(6, "0")), min(len(digits), 6), digits[6:7] >= "5"


def _moment(parts: tuple[int, ...], decimals: int, has_time: bool) -> Temporal | None:
    """A date with time; text where Python has no such date; None where MySQL has none either."""
    year, month, day, hour, minute, second, microsecond = parts
    if month > 12 or day > 31 or hour > 23 or minute > 59 or second > 59:
        return None
    if month == 0 or day == 0 or year == 0:
        text = f"{year:04d}-{month:02d}-{day:02d}"
        if has_time:
            text += f" {hour:02d}:{minute:02d}:{second:02d}"
            text += f".{microsecond:06d}"[: decimals + 1] if decimals else ""
        return Temporal("DATETIME" if has_time else "DATE", text, decimals)
    if day > calendar.monthrange(year, month)[1]:
        return None
    if not has_time:
        return Temporal("DATE", date(year, month, day))
    return Temporal("DATETIME", datetime(year, month, day, hour, minute, second, microsecond), decimals)


def parse_datetime(text: str) -> Temporal | None:
    """A DATE or DATETIME as text or digits write it; None where it is none."""
    time_use().parsed = True
    match = _DATETIME.fullmatch(text)
    if match:
        year, month, day, hour, minute, second, digits = match.groups()
        microsecond, decimals, up = _fraction(digits)
        parts = (_year(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), microsecond)
        return _carried(_moment(parts, decimals, hour is not None), up)
    match = _COMPACT.fullmatch(text)
    if not match:
        return None
    digits = match[1]
    width = 4 if len(digits) in (8, 14) else 2
    rest = digits[width:].ljust(10, "0")
    pairs = [int(rest[index : index + 2]) for index in range(0, 10, 2)]
    microsecond, decimals, up = _fraction(match[2])
    return _carried(_moment((_year(digits[:width]), *pairs, microsecond), decimals, len(digits) > 8), up)


def _carried(temporal: Temporal | None, up: bool) -> Temporal | None:
    if temporal is not None and up and isinstance(temporal.value, datetime):
        return Temporal("DATETIME", temporal.value + timedelta(microseconds=1), 6)
    return temporal


def parse_time(text: str) -> Temporal | None:
    """A TIME as text or digits write it, "D HH:MM:SS.f"; None where it is none."""
    match = _TIME_NUMBER.fullmatch(text)
    if match:
        digits = match[2].rjust(6, "0")
        hours, minutes, seconds = int(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])
        sign, fraction = match[1], match[3]
    else:
        match = _TIME.fullmatch(text)
        if not match:
            moment = parse_datetime(text)
            if moment is None or not isinstance(moment.value, datetime):
                return None
            clock = moment.value
            return Temporal("TIME", clock - clock.replace(hour=0, minute=0, second=0, microsecond=0), moment.decimals)
        sign, days, hour, minute, second, fraction = match.groups()
        hours, minutes, seconds = int(days or 0) * 24 + int(hour), int(minute or 0), int(second or 0)
    if minutes > 59 or seconds > 59:
        return None
    microsecond, decimals, up = _fraction(fraction)
    value = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=microsecond + up)
    return Temporal("TIME", -value if sign else value, decimals)


_Timed = TypeVar("_Timed", datetime, timedelta)


def round_to(value: _Timed, decimals: int, truncate: bool = False) -> _Timed:
    """The value with `decimals` digits of a second, rounded half up (or cut off: TIME_TRUNCATE_FRACTIONAL)."""
    unit = 10 ** (6 - decimals)
    if isinstance(value, timedelta):
        microseconds = value // timedelta(microseconds=1)
        kept = (abs(microseconds) + (0 if truncate else unit // 2)) // unit * unit
        return timedelta(microseconds=-kept if microseconds < 0 else kept)
    kept = (value.microsecond + (0 if truncate else unit // 2)) // unit * unit
    return value.replace(microsecond=0) + timedelta(microseconds=kept)


def temporal_of(value: Value, kind: str) -> Temporal | None:
    """A value that is not NULL as "DATE", "DATETIME" or "TIME"; None where it is none. A time has no date here."""
    if isinstance(value, Temporal):
        return _as_kind(value, kind)
    text = to_text(value)
    if isinstance(value, (int, Decimal, float)) and kind != "TIME":
        whole, _, fraction = text.partition(".")
        width = 6 if len(whole) <= 6 else 8 if len(whole) <= 8 else 12 if len(whole) <= 12 else 14
        text = whole.rjust(width, "0") + (f".{fraction}" if fraction else "")
        if not int(whole or 0):
            return Temporal(kind, "0000-00-00" if kind == "DATE" else "0000-00-00 00:00:00")
    parsed = parse_time(text) if kind == "TIME" else parse_datetime(text)
    return _as_kind(parsed, kind) if parsed is not None else None


def _as_kind(value: Temporal, kind: str) -> Temporal | None:
    if value.kind == kind:
        return value
    inner = value.value
    if kind == "DATE":
        if isinstance(inner, str):
            return Temporal("DATE", inner[:10])
        return Temporal("DATE", inner.date()) if isinstance(inner, datetime) else None
    if kind == "DATETIME":
        if isinstance(inner, str):
            return Temporal("DATETIME", f"{inner} 00:00:00")
        if isinstance(inner, date):
            return Temporal("DATETIME", datetime(inner.year, inner.month, inner.day))
        return None
    if isinstance(inner, datetime):
        midnight = inner.replace(hour=0, minute=0, second=0, microsecond=0)
        return Temporal("TIME", inner - midnight, value.decimals)
    return Temporal("TIME", timedelta(0))


def add_months(value: date, months: int) -> date:
    """The same day some months on, or the last one of a shorter month. Raises ValueError past the year 9999."""
    index = value.year * 12 + value.month - 1 + months
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year}")
    return value.replace(year=year, month=month, day=min(value.day, calendar.monthrange(year, month)[1]))
