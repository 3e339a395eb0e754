"""Outcomes: which transactions were rolled back though logs hold their rows, and of XA ones when and how (WL#6860)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from pybinlog.errors import BinlogError
from pybinlog.feed.policy import Mode, Policy
from pybinlog.source.log_series import LogName
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from pybinlog.catalog import Catalog
    from pybinlog.feed.log_read import LogRead
    from pybinlog.feed.span import Span

    Ended = tuple[int, int | None, str | None, str | None]
    """The number of the log in its span, the position of the transaction, how it ended, its xid."""

    Place = tuple[Span, int, int]
    """A span, and in it the number of the log, from 0, and the position where a transaction begins."""

COLUMNS = ("file", "start_position", "ended", "xa_xid")


def without_rolled_back(
    spans: Sequence[Span],
    mode: Mode,
    progress: Callable[[int], None] | None = None,
    ended: Mapping[Span, Iterable[Ended]] | None = None,
) -> tuple[list[Span], int]:
    """Return the spans, without the rows of transactions that were rolled back (`Span.rolled_back`).

    Those are transactions that end with a rollback, for rows of tables without transactions have transactions of their
    own, and XA transactions that were rolled back after they were prepared. An outcome belongs to the last transaction
    of its xid that was prepared before it in the same series of logs. The number is that of XA transactions whose
    outcome is not in the logs; their rows stay. Where a log cannot be read on, what comes before counts: the error
    comes out when the span is read. `ended` has the transactions of each span, if they were read already.
    """
    rolled_back: dict[Span, set[tuple[int, int]]] = {}
    unknown = 0
    for series in in_series(spans):
        prepared: dict[str, Place | None] = {}
        for span in series:
            for log, position, how, xid in transactions(span, mode, progress) if ended is None else ended[span]:
                if xid is None or how == "rollback" or (how == "xa rollback" and xid not in prepared):
                    if position is not None:
                        rolled_back.setdefault(span, set()).add((log, position))
                elif how not in ("xa commit", "xa rollback"):
                    unknown += xid in prepared
                    prepared[xid] = None if position is None else (span, log, position)
                elif xid in prepared:
                    place = prepared.pop(xid)
                    if how == "xa commit":
                        continue
                    if place is None:
                        unknown += 1  # its rows do not say that they are of it, for its XA START is not there
                    else:
                        rolled_back.setdefault(place[0], set()).add(place[1:])
        unknown += len(prepared)
    return [replace(span, rolled_back=frozenset(rolled_back.get(span, ()))) for span in spans], unknown


def in_series(spans: Sequence[Span]) -> Iterable[list[Span]]:
    """Return the spans, each once, by the series of their logs, in the order of their numbers; those without in one
    list.
    """
    series: dict[str | None, list[tuple[int, Span]]] = {}
    for span in dict.fromkeys(spans):
        log = LogName.of(span.names[0])
        series.setdefault(None if log.number is None else log.series, []).append((log.number or 0, span))
    return [[span for _, span in sorted(found, key=lambda item: item[0])] for found in series.values()]


def transactions(
    span: Span,
    mode: Mode,
    progress: Callable[[int], None] | None = None,
    catalog: Catalog | None = None,
    logs: list[LogRead] | None = None,
) -> Iterator[Ended]:
    """Yield log, position, end and xid of each that was rolled back or has to do with XA.

    `catalog` takes the statements of the span, `logs` what was read.
    """
    options = ViewOptions(view="transactions", columns=COLUMNS, mode=mode)
    places = {name: number for number, name in enumerate(span.names)}
    try:
        reader = ViewReader(options, progress=progress, catalog=catalog, is_first_pass=True)
        reader.feed.logs = reader.feed.logs if logs is None else logs
        for name, position, ended, xid in reader.rows(span):
            if xid is not None or ended == "rollback":
                yield places[name], position, ended, xid
    except BinlogError:
        return


# ---- XA transactions

SECOND_PHASE = 2
"""Events of the transaction that XA COMMIT or XA ROLLBACK of a prepared one is: its GTID event and the statement."""


class Group(NamedTuple):
    """A transaction of the log, as the view `transactions` has it. Times are microseconds since 1970 UTC."""

    file: str
    start_position: int | None
    end_position: int
    commit_time: int | None
    thread_id: int | None
    gtid: str | None
    events: int
    rows: int | None
    tables: list[str]
    ended: str | None
    xa_xid: str


@dataclass(frozen=True)
class XaTransaction:
    """`prepared` and `decided` are the groups of events of its two phases; of one that needed none, both are the same.

    `decision` is `commit`, `rollback`, `one phase` (XA COMMIT ... ONE PHASE), `rollback at once` (before it was
    prepared), or None if the logs do not say it: then the transaction is in doubt, unless the same xid was prepared
    again, so that the decision is in a log that is missing (`is_replaced`).
    """

    xid: str
    prepared: Group | None
    decided: Group | None = None
    decision: str | None = None
    is_replaced: bool = False

    @property
    def in_doubt(self) -> bool:
        return self.prepared is not None and self.decision is None and not self.is_replaced

    @property
    def seconds(self) -> float | None:
        """How long it was in doubt; None if the logs do not hold both phases, or not their times."""
        if self.prepared is None or self.decided is None:
            return None
        if self.prepared.commit_time is None or self.decided.commit_time is None:
            return None
        return round((self.decided.commit_time - self.prepared.commit_time) / 1_000_000, 6)


class Until(NamedTuple):
    """A place in logs: the end of a log's first bytes, or a time in microseconds since 1970 UTC."""

    log: str | None = None
    position: int | None = None
    time: int | None = None

    def has(self, group: Group, logs: Sequence[str]) -> bool:
        """Return True if the group has ended at that place; `logs` are all logs, in order."""
        if self.time is not None:
            return group.commit_time is not None and group.commit_time <= self.time
        here, there = logs.index(LogName.of(group.file).base), logs.index(self.log or logs[-1])
        return here < there or (here == there and group.end_position <= (self.position or 0))


class XaTransactions:
    """Iterate over the XA transactions of the logs, in the order in which they were prepared.

    An error ends the reading and stays in `error`: what came before it counts. `until` is where the logs end.
    """

    def __init__(self, spans: Sequence[Span], policy: Policy, *, until: Until | None = None, **feeding: Any):
        """`feeding` is as in Feed."""
        self._spans = spans
        self._logs = [LogName.of(name).base for span in spans for name in span.names]
        self._reader = ViewReader(
            ViewOptions(view="transactions", columns=Group._fields, mode=policy.mode, allow_gaps=policy.allow_gaps),
            counts_statements=False,
            **feeding,
        )
        self._until = until
        self.error: BinlogError | None = None

    def __iter__(self) -> Iterator[XaTransaction]:
        for series in in_series(self._spans):
            if self._reader.feed.gaps is not None:
                self._reader.feed.gaps.begin()
            yield from paired(self._groups(series))

    def _groups(self, series: Sequence[Span]) -> Iterator[Group]:
        try:
            for span in series:
                of_xa = (row for row in self._reader.rows(span) if row[-1] is not None)
                for group in map(Group._make, of_xa):
                    if self._until is None or self._until.has(group, self._logs):
                        yield group
        except BinlogError as error:
            self.error = error


def paired(groups: Iterator[Group]) -> list[XaTransaction]:
    """Return the phases of each transaction together."""
    found: list[XaTransaction] = []
    prepared: dict[str, int] = {}
    for group in groups:
        xid, ended = group.xa_xid, group.ended
        if ended in ("xa commit", "xa rollback", "rollback"):
            decision = "commit" if ended == "xa commit" else "rollback"
            if group.events > SECOND_PHASE:
                decision = "one phase" if ended == "xa commit" else "rollback at once"
                found.append(XaTransaction(xid, group, group, decision))
            elif xid in prepared:
                at = prepared.pop(xid)
                found[at] = replace(found[at], decided=group, decision=decision)
            else:
                found.append(XaTransaction(xid, None, group, decision))
        elif ended == "xa prepare":
            if xid in prepared:
                found[prepared[xid]] = replace(found[prepared[xid]], is_replaced=True)
            prepared[xid] = len(found)
            found.append(XaTransaction(xid, group))
    return found
