"""Dates and times on the command line, in every form that MySQL takes for DATETIME (manual: Date and Time Literals).

Forms that MySQL refuses: a date alone, a time of today, a time with a zone as in ISO 8601.
"""

import re
import string
import time
from datetime import date, datetime, timedelta, timezone

SPACE = " \t\n\v\f\r"
PUNCTUATION = string.punctuation
# After the seconds: a fraction, which is dropped, and space; after a short fraction punctuation passes, too.
TAIL = re.compile(rf"(\.(\d{{1,6}}(?![-+\d])[{re.escape(PUNCTUATION)}\s]*|\d{{7,}})?)?\s*", re.ASCII)

DATE = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)", re.ASCII)
TIME_OF_TODAY = re.compile(r"(\d\d?):(\d\d)(?::(\d\d)(?:\.\d*)?)?", re.ASCII)
WITH_ZONE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)? ?(?:Z|([+-])(\d\d):?(\d\d)?)",
    re.ASCII | re.IGNORECASE,
)

FIRST_YEAR_OF_CENTURY = 70
LAST_YEAR = 3001
SINCE_1970 = re.compile(r"@(\d{1,11})(?:\.\d*)?", re.ASCII)
AGO = re.compile(r"-(\d{1,9})([smhdw])", re.ASCII)
FRACTION = re.compile(r"(?::\d\d|^\s*@\d+|^\s*\d{14})[.,](\d+)", re.ASCII)
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
LAST_SECOND = 32536771199  # 3001-01-18 23:59:59 UTC, the end of TIMESTAMP


def epoch_seconds(text: str) -> int:
    """Return the seconds since 1970 UTC of a date and time in the local time zone, or in the one that the text names.

    What the reference takes means here what it means there; besides, `2024-12-25` is the beginning of that day, `11:25`
    or `11:25:56` a time of today, `2024-12-25T11:25:56` with Z or an offset such as +02:00 is in that zone, `now` is
    now, `-90m` so much before now (s, m, h, d, w), and `@1795407263` counts from 1970.

    An hour that the clock strikes twice is the later one; a time that the clock jumps over is the end of the jump.
    A date before 1970 or after 3001 is 0, as in the reference. Raise ValueError if the text is not a date and time.
    """
    fields = parse(text)
    if fields is None:
        return other_form(text.strip(SPACE))
    year, month, day, hour, minute, second = fields
    if not 1969 <= year <= LAST_YEAR:
        return 0
    # The reference takes day 31 of every month, and a month or day 0, and counts on from there.
    first = date(year, month, 1) if month else date(year - 1, 12, 1)
    days = first.toordinal() + day - 1 - date(1970, 1, 1).toordinal()
    return in_range(local_to_utc(days * 86400 + hour * 3600 + minute * 60 + second))


def epoch_microseconds(text: str) -> int:
    """Return the same in microseconds, with the fraction of a second that stands after `:56`, or `@1795407263`."""
    fraction = FRACTION.search(text)
    return epoch_seconds(text) * 1_000_000 + (int(fraction[1][:6].ljust(6, "0")) if fraction else 0)


def other_form(text: str) -> int:
    """Return a form that the reference does not take. Raise ValueError if it is none of ours either."""
    if text.lower() == "now":
        return int(time.time())
    if match := AGO.fullmatch(text):
        return in_range(int(time.time()) - int(match[1]) * SECONDS[match[2]])
    if match := SINCE_1970.fullmatch(text):
        return in_range(int(match[1]))
    try:
        if match := DATE.fullmatch(text):
            day = datetime(*map(int, match.groups()))  # type: ignore[arg-type]
            return in_range(local_to_utc(since_1970(day)))
        if match := TIME_OF_TODAY.fullmatch(text):
            hour, minute, second = (int(field or 0) for field in match.groups())
            now = time.localtime()
            today = datetime(now.tm_year, now.tm_mon, now.tm_mday, hour, minute, second)
            return in_range(local_to_utc(since_1970(today)))
        if match := WITH_ZONE.fullmatch(text):
            *fields, sign, hours, minutes = match.groups(default="0")
            there = datetime(*map(int, fields))  # type: ignore[arg-type]
            ahead = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
            timezone(ahead)  # no zone is a day or more away
            return in_range(since_1970(there - ahead))
    except (ValueError, OverflowError):
        pass  # a day or an hour that there is not
    raise ValueError(f"incorrect date and time: {text!r}")


def since_1970(clock: datetime) -> int:
    """Return the seconds that a clock without a zone has gone on since 1970."""
    return (clock - datetime(1970, 1, 1)) // timedelta(seconds=1)


def in_range(seconds: int) -> int:
    """Return the same, or 0 if it is outside TIMESTAMP's range."""
    return seconds if 0 <= seconds <= LAST_SECOND else 0


def parse(text: str) -> list[int] | None:
    """Return year, month, day, hour, minute and second; None if the text is not a date with at least an hour."""
    rest = text.lstrip(SPACE)
    run = len(rest) - len(rest.lstrip(string.digits + "T"))
    # Digits alone have fields of fixed width; their number gives the width of the year.
    compact = run == len(rest) or rest[run] == "."
    width = (4 if run in (4, 8) or run >= 14 else 2) if compact else len(rest)
    fields: list[int] = []
    short_year = width == 2
    while len(fields) < 6:
        count = min(width, len(rest) - len(rest.lstrip(string.digits)))
        if not count:
            break
        fields.append(int(rest[:count]) if count <= 20 else 10**20)
        rest = rest[count:]
        if len(fields) == 1 and not compact:
            short_year = count == 2
        if compact:
            width = 2
        if len(fields) == 3 and rest.startswith("T"):
            rest = rest[1:]
        elif len(fields) == 3:
            rest = rest.lstrip(PUNCTUATION + SPACE)
        elif len(fields) < 6:
            rest = rest.lstrip(PUNCTUATION)
    if len(fields) < 4 or (rest if len(fields) < 6 else not TAIL.fullmatch(rest)):
        return None
    if short_year and any(fields):
        fields[0] += 2000 if fields[0] < FIRST_YEAR_OF_CENTURY else 1900
    fields += [0] * (6 - len(fields))
    highest = (9999, 12, 31, 23, 59, 59)
    return fields if all(field <= limit for field, limit in zip(fields, highest, strict=True)) else None


def local_to_utc(local: int) -> int:
    """Return the instant at which clocks here show `local`, given as if it were UTC."""
    before, after = (offset(local - shift) for shift in (86400, -86400))
    matching = [instant for instant in (local - before, local - after) if instant + offset(instant) == local]
    if matching:
        return max(matching)
    instant = local - before
    shown = instant + offset(instant)
    return instant if shown // 3600 % 24 == local // 3600 % 24 else instant - shown % 3600


def offset(instant: int) -> int:
    """Return the seconds that local time is ahead of UTC at an instant."""
    return time.localtime(instant).tm_gmtoff
