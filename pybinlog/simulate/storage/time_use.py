"""What a statement has made of the time: a statement is logged with its time zone or fraction where it counts."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["TIME_USE", "TimeUse", "time_use"]


@dataclass
class TimeUse:
    """Whether the session's time zone was looked at, dates were read from text, and fractions of a second were used."""

    time_zone: bool = False
    parsed: bool = False
    microseconds: bool = False


TIME_USE: ContextVar[TimeUse] = ContextVar("time_use")
"""That of the statement that runs."""


def time_use() -> TimeUse:
    """What to note the use in; something that is thrown away where no statement runs."""
    return TIME_USE.get(None) or TimeUse()
