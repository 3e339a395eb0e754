"""Span: what one reader of a view reads, from a position in a log to one in the same log or a later one.

The span of one log of a series whose logs are read apart has the transactions that begin in it, each to its end. A
binary log begins and ends between two transactions. A replica begins a relay log wherever it is, so a transaction may
end in the next one: who reads the log that it begins in reads on to its end, and who reads the next begins after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.parser import BoundaryType
from pybinlog.boundary.stream import StreamState, continues
from pybinlog.errors import BinlogError
from pybinlog.event_types import GTID_TYPES, OPENING_TYPES
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.boundary_state import boundary_number, restore_boundary, stream_number
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.log_mark import LogMark
from pybinlog.log.reader import Reader
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName


@dataclass(frozen=True)
class Span:
    """Logs whose events follow each other, from `start` in the first to `stop` in the last (None: its end).

    Positions are offsets in the uncompressed stream; events from `start` on give rows, those from `stop` on do not.
    """

    names: tuple[str, ...]
    start: int = MAGIC_LENGTH
    stop: int | None = None
    marks: tuple[tuple[str, int, LogMark], ...] = ()
    """Logs, positions in them, and by what they are known there.

    If a log is another one when it is read, or after that, reading raises DataLossError.
    """

    rolled_back: frozenset[tuple[int, int]] = frozenset()
    """Transactions whose rows the view `rows` omits: the log that each begins in (of `names`, from 0) and its
    position there."""
    of_first: bool = False
    """Only the first log is read, and of the others the rest of a transaction that it leaves open."""
    following: str | None = field(default=None, compare=False)
    """The log after the one that is read, if another reader reads it: a log that is missing between is an error."""

    def marks_of(self, name: str) -> list[tuple[int, LogMark]]:
        """Return the marks of one of its logs."""
        return [(position, mark) for marked, position, mark in self.marks if marked == name]


def spans(names: Iterable[str], is_relay_log: Callable[[str], bool] | None = None) -> list[Span]:
    """Return the logs as spans that can be read apart, in order.

    Each log is one, except relay logs: a transaction may continue in the next of them, so those of a series that
    follow each other are read as one.
    """
    is_relay_log = is_relay_log or looks_like_relay_log
    result: list[Span] = []
    kinds: dict[str, bool] = {}
    before: LogName | None = None
    for name in names:
        log = LogName.of(name)
        if log.number is not None and log.series not in kinds:
            kinds[log.series] = is_relay_log(name)
        if before is not None and log.follows(before) and kinds[log.series]:
            result[-1] = Span((*result[-1].names, name))
        else:
            result.append(Span((name,)))
        before = log
    return result


ENDS_GROUP = (BoundaryType.END_TRANSACTION, BoundaryType.SELF_CONTAINED)
NEIGHBOURS = 64
"""Logs on each side that a transaction is followed into."""


class LogPlace(NamedTuple):
    """The log `names[at]` among its neighbours, which follow each other in one series."""

    names: tuple[str, ...]
    at: int
    following: str | None = None
    """The log that is given after it, whatever its number."""

    @property
    def name(self) -> str:
        return self.names[self.at]

    @property
    def before(self) -> LogPlace:
        return LogPlace(self.names, self.at - 1, self.name)

    def span(self) -> Span | None:
        """Return the log's span; None if no transaction begins in it.

        A log that cannot be read has a span, whose reader says so.
        """
        name = self.name
        try:
            if not looks_like_relay_log(name):
                return Span((name,), following=self.following)
            start = rest_of_group(name, _state_before(self.names, self.at))
        except BinlogError:
            start = MAGIC_LENGTH
        return None if start is None else Span(self.names[self.at :], start, of_first=True, following=self.following)


def log_places(names: Iterable[str]) -> list[LogPlace]:
    """Return the places of logs, in order."""
    names = list(names)
    following = iter([*names[1:], None])
    runs: list[list[str]] = []
    for name in names:
        if runs and LogName.of(name).follows(LogName.of(runs[-1][-1])):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [
        LogPlace(tuple(run[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]), min(at, NEIGHBOURS), next(following))
        for run in runs
        for at in range(len(run))
    ]


def rest_of_group(name: str, state: int) -> int | None:
    """Return the end of the transaction that the log before left open: MAGIC_LENGTH if none, None if not in this log.

    `state` is that of the boundaries before the log, as `boundary_number` numbers it. Raise BinlogError if the log
    cannot be read up to there.
    """
    if not is_inside(state):
        return MAGIC_LENGTH
    scanner = Scanner()
    restore_boundary(scanner, state)
    with open_source(name) as source:
        for batch in Reader(source, scanner):
            for index in range(batch.count):
                header = batch.header(index)
                if header.type in GTID_TYPES:
                    return MAGIC_LENGTH  # the transaction came again, or was given up
                if header.type not in OPENING_TYPES and header.boundary in ENDS_GROUP:
                    return header.end
    return None


def is_inside(state: int) -> bool:
    """Return True if a transaction is open in that state of the boundaries."""
    scanner = Scanner()
    restore_boundary(scanner, state)
    return StreamState.of_number(stream_number(scanner)).group is not GroupState.NONE


def _state_before(names: tuple[str, ...], at: int) -> int:
    """Return the state in which the logs before `names[at]` left the boundaries; 0 if nothing depends on it."""
    if at == 0 or _opens_group(names[at]):
        return 0
    scanner = Scanner()
    restore_boundary(scanner, _state_before(names, at - 1))
    with open_source(names[at - 1]) as source:
        reader = Reader(source, scanner)
        for _ in reader:
            pass
    return boundary_number(scanner) if continues(reader.rotates_to, names[at]) else 0


def _opens_group(name: str) -> bool:
    """Return True if the first event of a transaction in the log is the GTID that opens it."""
    with open_source(name) as source:
        for batch in Reader(source):
            for index in range(batch.count):
                kind = batch.header(index).type
                if kind not in OPENING_TYPES:
                    return kind in GTID_TYPES
    return True
