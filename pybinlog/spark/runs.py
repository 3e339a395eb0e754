"""Runs: logs that one process reads one after the other, from the state that the text before them has left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pybinlog.boundary.stream import continues
from pybinlog.dump.log import Dump
from pybinlog.kernel.scan.boundary_state import restore_boundary
from pybinlog.spark.state import DumpState, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.dump.options import DumpOptions
    from pybinlog.export.file import FileName


@dataclass(frozen=True)
class Run:
    """Logs of a text, its state before them, and the state after them once they were surveyed or printed."""

    names: tuple[str, ...]
    first: int
    """The number of the first of them in the text."""
    state: DumpState
    boundary: int | None
    """The boundaries' state, if the first log continues the stream of the one before it."""
    exit: DumpState | None = None
    """None if only printing tells it."""
    exit_boundary: int = 0
    rotates_to: str | None = None
    """The log that a Rotate at the end names."""
    ended: bool = False
    """The text ends inside, with an error or at the end of the chosen range."""
    may_begin: bool = True
    """Another process may print from here on: nothing in it needs what was read before it but the states."""
    needs_files: bool = False
    """It writes files of LOAD DATA statements."""

    @property
    def end(self) -> int:
        """The number of the log after it."""
        return self.first + len(self.names)

    def boundary_of(self, name: str) -> int | None:
        """Return the boundaries' state before the next log."""
        return self.exit_boundary if continues(self.rotates_to, name) else None

    def after(self, entry: DumpState) -> Run:
        """Return it with its true states, if it was surveyed after a state `relative` to `entry`."""
        exit = None if self.exit is None else joined(entry, self.exit)
        return replace(self, state=joined(entry, self.state), exit=exit)


@dataclass(frozen=True)
class RunTask:
    """Runs to survey, or to print, each log to the file that `target` names; `count` logs are in the text."""

    options: DumpOptions
    count: int
    runs: tuple[Run, ...]
    target: Callable[[int], FileName]


class RunDump(Dump):
    """A Dump that begins in the state before a run."""

    def __init__(self, task: RunTask, run: Run, write: Callable[[bytes], object], warn: Callable[[str], None]):
        super().__init__(task.options, write, warn)
        self._run = run
        self._count = task.count
        self._is_first = True
        if self._selection.filter is not None:
            self._selection.filter.unpack(run.state.filter)

    def number(self, name: str, number: int) -> bool:
        """Read the log of that number in the text; return False if the text ends in it."""
        return self.log(name, first=number == 0, last=number == self._count - 1)

    def _continues(self, name: str) -> bool:
        if not self._is_first:
            return super()._continues(name)
        self._is_first = False
        if self._run.boundary is not None:
            restore_boundary(self._scanner, self._run.boundary)
        return self._run.boundary is not None
