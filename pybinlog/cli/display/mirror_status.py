"""MirrorStatus: one line on standard error that says how far a mirror is."""

import time
from contextlib import suppress

from pybinlog.cli.environment import Environment

ON_TERMINAL, ELSEWHERE = 0.2, 10.0
"""Seconds between two lines."""
CLEAR = "\r\x1b[K"


class MirrorStatus:
    """On a terminal the line changes in its place; elsewhere, such as in a service's log, there is one now and then."""

    def __init__(self, environment: Environment):
        self._environment = environment
        self._interval = ON_TERMINAL if environment.stderr_is_terminal else ELSEWHERE
        self._next = 0.0
        self._last: tuple[str, int, int] | None = None
        self._stands = False
        """A line is on the terminal that is to be written over."""

    def show(self, log: str, position: int, last_event: int) -> float:
        """Handle Mirror's `progress`: return 0 if the line is current, else the seconds until it may be written "
        "again."""
        if self._last == (log, position, last_event):
            return 0
        now = time.monotonic()
        if now < self._next:
            return self._next - now
        self._next = now + self._interval
        self._last = (log, position, last_event)
        behind = max(int(time.time()) - last_event, 0) if last_event else 0
        text = f"{log} {position} " + (f"{behind} s behind" if behind else "up to date")
        if self._environment.stderr_is_terminal:
            self._write(f"{CLEAR}{text}")
            self._stands = True
        else:
            self._environment.print_line(text)
        return 0

    def warn(self, text: str) -> None:
        """Print a warning above the line."""
        self.end()
        self._environment.warn(text)

    def end(self) -> None:
        """Let what follows begin on a line of its own."""
        if self._stands:
            self._stands = False
            self._write("\n")

    def _write(self, text: str) -> None:
        stderr = self._environment.stderr
        if stderr is not None:
            with suppress(OSError):
                stderr.write(text)
                stderr.flush()
