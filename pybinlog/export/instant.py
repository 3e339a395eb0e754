"""Instants: times as text in the form of ISO 8601."""

from __future__ import annotations

from datetime import datetime, timedelta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["instants"]

MICROSECONDS = 1_000_000
CYCLE = 146_097 * 86_400
"""Seconds of 400 years, after which the Gregorian calendar comes again."""
BASE = datetime(1970, 1, 1)


def instants(times: Iterable[int | None]) -> list[str | None]:
    """Microseconds since 1970 in UTC as `2026-11-21T01:22:50.000000Z`.

    A log can hold any 64 bits for a time: years beyond 9999 have more digits, those before 0 a sign.
    """
    seconds_of: dict[int, str] = {}
    found: list[str | None] = []
    for time in times:
        if time is None:
            found.append(None)
            continue
        seconds, fraction = divmod(time, MICROSECONDS)
        text = seconds_of.get(seconds)
        if text is None:
            text = seconds_of[seconds] = to_the_second(seconds)
        found.append(f"{text}.{fraction:06d}Z")
    return found


def to_the_second(seconds: int) -> str:
    cycles, rest = divmod(seconds, CYCLE)
    moment = BASE + timedelta(seconds=rest)
    year = moment.year + 400 * cycles
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{moment:%m-%dT%H:%M:%S}"
