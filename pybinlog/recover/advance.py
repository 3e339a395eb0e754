"""Advance: how far a run has come: bytes, rate, time left, and the time by the logs from there to the end."""

from bisect import bisect_right
from datetime import timedelta
from time import monotonic

from pybinlog.recover.plan import Plan

LEAST_SECONDS = 0.1
MICROSECONDS = 1_000_000


class Advance:
    """The advance of a run that begins now, from where the first position is."""

    def __init__(self, plan: Plan):
        self._plan = plan
        self._logs = [] if plan.part is None else list(plan.part.logs)
        self._total = self._bytes(*plan.end_position)
        self._first = -1
        self._begun = monotonic()

    def line(self, log: str, position: int) -> str:
        """Return a line about the position up to which everything is applied; "" before the first one."""
        if all(one.name != log for one in self._logs):
            return ""
        done = self._bytes(log, position)
        if self._first < 0:
            self._first, self._begun = done, monotonic()
        rate = (done - self._first) / max(monotonic() - self._begun, LEAST_SECONDS)
        left = f", {(self._total - done) / rate:,.0f} s left" if rate > 0 else ""
        behind = self._behind(log, position)
        lag = "" if behind is None else f", {timedelta(seconds=behind)} before the end"
        return f"{log}, at {position}: {done:,} of {self._total:,} bytes, {rate / 1e6:,.1f} MB/s{left}{lag}"

    def _bytes(self, log: str, position: int) -> int:
        """Return how many bytes of the plan's logs are before a position."""
        done = -self._plan.start
        for one in self._logs:
            if one.name == log:
                return max(done + position, 0)
            done += one.size
        return 0

    def _behind(self, log: str, position: int) -> int | None:
        """Return the seconds between the last transaction there and the last of the plan; None if no time is known."""
        moments, last = self._plan.contents.moments, self._plan.contents.last
        number = next(number for number, one in enumerate(self._logs) if one.name == log)
        index = bisect_right(moments, ((number, position), 0))
        if last is None or last.time is None or not index:
            return None
        return max(last.time - moments[index - 1][1], 0) // MICROSECONDS
