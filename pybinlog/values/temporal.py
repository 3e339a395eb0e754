"""Dates and times from text and numbers, and time zones."""

import re
from datetime import date, datetime, timedelta, timezone
from typing import TypeVar

from pybinlog.errors import UnsupportedStatement
from pybinlog.values.value import Temporal, Value, context, to_text

# As text, which Python compiles when it meets the first date: most conditions have none.
_DATETIME = r"(?a)\s*(\d{2}|\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?\s*"
_TIME = r"(?a)\s*(-?)(\d{1,3}):(\d{1,2})(?::(\d{1,2}))?(?:\.(\d*))?\s*"
MAX_TIME = timedelta(hours=838, minutes=59, seconds=59)


def zone(name: str) -> timezone:
    """Return a session's time_zone: SYSTEM, which is UTC, or an offset such as +05:30."""
    context().time_zone_used = True
    if name.upper() == "SYSTEM":
        return timezone.utc
    offset = timedelta(hours=int(name[1:3]), minutes=int(name[4:6]))
    return timezone(-offset if name.startswith("-") else offset)


def to_utc(moment: datetime, time_zone: str) -> datetime | None:
    """Return a moment of the session's time zone in UTC, with that as its tzinfo; None if no year has it."""
    try:
        return moment.replace(tzinfo=zone(time_zone)).astimezone(timezone.utc)
    except OverflowError:
        return None


def from_utc(moment: datetime, time_zone: str) -> datetime:
    """Return a moment of UTC in the session's time zone, without tzinfo."""
    return moment.astimezone(zone(time_zone)).replace(tzinfo=None)


def _year(digits: str) -> int:
    number = int(digits)
    if len(digits) > 2:
        return number
    return number + (2000 if number < 70 else 1900)


def date_parts(value: date | str) -> list[int]:
    """Return year, month, day, hour, minute, second, microsecond. A date that is in no calendar is MySQL's text."""
    if not isinstance(value, str):
        return [*value.timetuple()[:6], getattr(value, "microsecond", 0)]
    whole, _, fraction = value.partition(".")
    numbers = list(map(int, re.findall(r"\d+", whole)))
    return [*numbers, *[0] * (6 - len(numbers)), int(fraction.ljust(6, "0"))]


def later(moment: datetime, by: timedelta) -> datetime:
    """Return a moment some time later; the same if the years end."""
    return moment + by if moment <= datetime.max.replace(tzinfo=moment.tzinfo) - by else moment


def parse_datetime(text: str, truncate: bool = False) -> Temporal | None:
    """Return a DATE or DATETIME as text writes it; None if it is none, text if a part of it is zero.

    A seventh digit of a second's fraction rounds the sixth, or is cut off (`truncate`).
    """
    context().date_parsed = True
    match = re.fullmatch(_DATETIME, text)
    if match is None:
        return None
    year, *parts, fraction = match.groups()
    fraction = fraction or ""
    numbers = (_year(year), *(int(part or 0) for part in parts), int(fraction[:6].ljust(6, "0")))
    return _moment(numbers, min(len(fraction), 6), parts[2] is not None, fraction[6:7] >= "5" and not truncate)


def _moment(parts: tuple[int, ...], decimals: int, has_time: bool, up: bool) -> Temporal | None:
    year, month, day, hour, minute, second, microsecond = parts
    if month > 12 or day > 31 or hour > 23 or minute > 59 or second > 59:
        return None
    import calendar  # most conditions and statements have no dates

    if month and day > calendar.monthrange(year or 1, month)[1]:
        return None
    if 0 in (year, month, day):
        text = f"{year:04d}-{month:02d}-{day:02d}"
        if not has_time:
            return Temporal("DATE", text)
        clock = f" {hour:02d}:{minute:02d}:{second:02d}" + (f".{microsecond:06d}"[: decimals + 1] if decimals else "")
        return Temporal("DATETIME", text + clock, decimals)
    if not has_time:
        return Temporal("DATE", date(year, month, day))
    moment = datetime(year, month, day, hour, minute, second, microsecond)
    return Temporal("DATETIME", later(moment, timedelta(microseconds=up)), 6 if up else decimals)


def parse_time(text: str, truncate: bool = False) -> Temporal | None:
    """Return a TIME as text writes it, "HH:MM:SS.f"; None if it is none. `truncate`: see `parse_datetime`."""
    match = re.fullmatch(_TIME, text)
    if not match or int(match[3]) > 59 or int(match[4] or 0) > 59:
        return None
    fraction = match[5] or ""
    microseconds = int(fraction[:6].ljust(6, "0")) + (fraction[6:7] >= "5" and not truncate)
    value = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0), microseconds=microseconds)
    return Temporal("TIME", -value if match[1] else value, min(len(fraction), 6))


_Timed = TypeVar("_Timed", datetime, timedelta)


def round_to(value: _Timed, decimals: int, truncate: bool) -> _Timed:
    """Return the value with `decimals` digits of a second, rounded half up (or cut off: TIME_TRUNCATE_FRACTIONAL)."""
    unit = 10 ** (6 - decimals)
    if isinstance(value, timedelta):
        microseconds = value // timedelta(microseconds=1)
        kept = (abs(microseconds) + (0 if truncate else unit // 2)) // unit * unit
        return timedelta(microseconds=-kept if microseconds < 0 else kept)
    kept = (value.microsecond + (0 if truncate else unit // 2)) // unit * unit
    return later(value.replace(microsecond=0), timedelta(microseconds=kept))


def temporal_of(value: Value, kind: str, truncate: bool) -> Temporal | None:
    """Return a value that is not NULL as "DATE", "DATETIME" or "TIME"; None if it is none.

    `truncate`: fractions that do not fit are cut off, not rounded.
    """
    if isinstance(value, Temporal):
        return _as_kind(value, kind, truncate)
    text = to_text(value)
    if text.strip().replace(".", "").isdigit():
        raise UnsupportedStatement(
            "a date or time that is written without separators is not in the model", missing=kind
        )
    parsed = parse_time(text, truncate) if kind == "TIME" else None
    parsed = parsed or parse_datetime(text, truncate)
    return None if parsed is None or (kind, parsed.kind) == ("TIME", "DATE") else _as_kind(parsed, kind, truncate)


def _as_kind(value: Temporal, kind: str, truncate: bool) -> Temporal:
    """Return a date as a moment, a moment as a date, and the time of both."""
    inner = value.value
    if value.kind == kind:
        return value
    if value.kind == "TIME":
        raise UnsupportedStatement("a time of the present day as a date is not in the model", missing=kind)
    assert not isinstance(inner, timedelta)
    if kind == "TIME":
        *_, hours, minutes, seconds, microseconds = date_parts(inner)
        time = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)
        return Temporal("TIME", time, value.decimals)
    if isinstance(inner, str):
        return Temporal(kind, inner[:10] if kind == "DATE" else f"{inner} 00:00:00")
    if isinstance(inner, datetime):
        return Temporal("DATE", round_to(inner, 0, truncate).date())
    return Temporal("DATETIME", datetime(*inner.timetuple()[:3]))
