"""Dates and times on the command line, in every form that MySQL takes for DATETIME (manual: Date and Time Literals)."""

from __future__ import annotations

import re
import string
import time
from datetime import date

__all__ = ["epoch_seconds"]

SPACE = " \t\n\v\f\r"
PUNCTUATION = string.punctuation
# After the seconds: a fraction, which is dropped, and space; after a short fraction punctuation passes, too.
TAIL = re.compile(rf"(\.(\d{{1,6}}(?![-+\d])[{re.escape(PUNCTUATION)}\s]*|\d{{7,}})?)?\s*", re.ASCII)

FIRST_YEAR_OF_CENTURY = 70
LAST_YEAR = 3001
LAST_SECOND = 32536771199  # 3001-01-18 23:59:59 UTC, where TIMESTAMP ends


def epoch_seconds(text: str) -> int:
    """Seconds since 1970 UTC of a date and time in the local time zone.

    An hour that the clock strikes twice is the later one; a time that the clock jumps over is the end of the jump.
    A date before 1970 or after 3001 is 0, as the reference has it. ValueError where the text is no date and time.
    """
    fields = parse(text)
    if fields is None:
        raise ValueError(f"incorrect date and time: {text!r}")
    year, month, day, hour, minute, second = fields
    if not 1969 <= year <= LAST_YEAR:
        return 0
    # The reference takes day 31 of every month, and a month or day 0, and counts on from there.
    first = date(year, month, 1) if month else date(year - 1, 12, 1)
    days = first.toordinal() + day - 1 - date(1970, 1, 1).toordinal()
    seconds = local_to_utc(days * 86400 + hour * 3600 + minute * 60 + second)
    return seconds if 0 <= seconds <= LAST_SECOND else 0


def parse(text: str) -> list[int] | None:
    """Year, month, day, hour, minute and second; None where the text is not a date with at least an hour."""
    rest = text.lstrip(SPACE)
    run = len(rest) - len(rest.lstrip(string.digits + "T"))
    # Digits alone have fields of fixed width; how many there are tells the width of the year.
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
    """The instant at which clocks here show `local`, given as if it were UTC."""
    before, after = (offset(local - shift) for shift in (86400, -86400))
    matching = [instant for instant in (local - before, local - after) if instant + offset(instant) == local]
    if matching:
        return max(matching)
    instant = local - before
    shown = instant + offset(instant)
    return instant if shown // 3600 % 24 == local // 3600 % 24 else instant - shown % 3600


def offset(instant: int) -> int:
    """Seconds that local time is ahead of UTC at an instant."""
    return time.localtime(instant).tm_gmtoff
