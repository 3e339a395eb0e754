"""Span: what one reader of a view reads, from a position in a log to one in the same log or a later one."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source.log_series import LogName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pybinlog.log.log_mark import LogMark


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
