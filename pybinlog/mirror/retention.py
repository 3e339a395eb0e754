"""Retention: how many finished logs stay in a mirror, or for how long."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNITS = {"h": 3600, "d": 86400, "w": 7 * 86400}
FORM = re.compile(r"([1-9][0-9]{0,8})([hdw]?)")


@dataclass(frozen=True)
class Retention:
    """Exactly one of the two is not None. `count` is in finished logs, `seconds` since a log's last byte."""

    count: int | None = None
    seconds: int | None = None

    @classmethod
    def of(cls, text: str) -> Retention:
        """Of `100`, `12h`, `30d` or `4w`. ValueError for anything else."""
        match = FORM.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is neither a number of logs nor a time such as 12h, 30d or 4w")
        number, unit = int(match[1]), match[2]
        return cls(seconds=number * UNITS[unit]) if unit else cls(count=number)

    def surplus(self, ages: list[float]) -> int:
        """How many of the oldest logs may go; `ages` are seconds since each one's last byte, the oldest log first."""
        if self.count is not None:
            return max(len(ages) - self.count, 0)
        assert self.seconds is not None
        return next((number for number, age in enumerate(ages) if age <= self.seconds), len(ages))
