"""Statistics: transactions, events, rows and bytes of logs, in groups, as GROUP BY has it. One pass, in the kernel."""

from __future__ import annotations

from typing import NamedTuple

from pybinlog.digest import digest_text
from pybinlog.event_types import printed_name
from pybinlog.feed.feed import Feed
from pybinlog.feed.remarks import Remarks
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.count import counter
from pybinlog.kernel.scan.digests import OTHERS, Digests
from pybinlog.views.kernel_views import columns_of, kernel_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from pybinlog.catalog import Catalog
    from pybinlog.feed.feed import Beside
    from pybinlog.feed.span import Span
    from pybinlog.kernel.views.view import View as KernelView
    from pybinlog.views.kernel_views import Making
    from pybinlog.views.options import ViewOptions

    Key: TypeAlias = tuple[str | int | None, ...]

DIMENSIONS = {
    "table": counter.BY_TABLE,
    "database": counter.BY_DATABASE,
    "type": counter.BY_TYPE,
    "second": counter.BY_TIME,
    "minute": counter.BY_TIME,
    "hour": counter.BY_TIME,
    "server": counter.BY_SERVER,
    "thread": counter.BY_THREAD,
    "statement": counter.BY_STATEMENT,
}
"""The dimensions of groups, by name."""
OTHER_STATEMENTS = "(other statements)"
"""The key of the statements that came when there was no room for more digests."""
MANY_GROUPS = 50_000
COARSER = {1: 60, 60: 3600, 3600: 86400}
"""Seconds that times are cut to, and those if there are too many groups."""
UNITS = {"second": 1, "minute": 60, "hour": 3600}
"""The dimensions that are times, in seconds."""


class Measures(NamedTuple):
    """The counts of a group.

    `transactions` have an event in the group. `inserts`, `updates`, `deletes` and their sum `rows` are changes that
    hold; `rolled_back` are rows of transactions that were rolled back or have no end in the logs, `prepared` those of
    XA transactions that the logs do not decide. `statements` changed rows that the logs do not contain, or may have;
    one that changed several tables counts in the group of each. `bytes` are the log's. Times are seconds since 1970
    UTC, or None.
    """

    transactions: int
    inserts: int
    updates: int
    deletes: int
    rows: int
    rolled_back: int
    prepared: int
    statements: int
    events: int
    bytes: int
    first_time: int | None
    last_time: int | None


class Statistics:
    """Counts the spans that it is given. `by` are names of DIMENSIONS, `feeding` is as in Feed.

    A key has a value for each of `by`. With a `feed`, another reader of that reads the spans, beside whose view it
    counts (`beside`).
    """

    def __init__(self, options: ViewOptions, by: Sequence[str] = (), feed: Feed | None = None, **feeding: Any):
        self.feed = feed or Feed(options, **feeding)
        self._options = options
        self._by = by
        self._digests: Digests | None = None
        self._leaves_out = options.where is not None
        self._most_groups = MANY_GROUPS
        options.scope("events")  # ValueError comes early
        self._counter = kernel_view(options, make=self._make)

    def _make(self, making: Making) -> KernelView:
        units = [UNITS[name] for name in self._by if name in UNITS]
        by = 0
        for name in self._by:
            by |= DIMENSIONS[name]
        events = making.events
        if by & counter.BY_STATEMENT:
            self._digests = events.digests = Digests(digest_text)
        return counter.Counter(events, columns_of((), set()), by, min(units, default=1), making.condition)

    def beside(self) -> Beside:
        """Return what counts the next span, as Feed.read wants it."""
        return self._counter, self._options.scope("events")

    def limit_groups(self) -> int:
        """Cut further times to minutes, hours, then days, if there are many groups; return the seconds."""
        if len(self._counter.groups) > self._most_groups and self._counter.unit in COARSER:
            self._counter.unit = COARSER[self._counter.unit]
            self._most_groups += MANY_GROUPS
        return self._counter.unit

    def count(self, spans: Iterable[Span], known: Callable[[Span], Catalog] | None = None) -> None:
        """Count the events of the spans. Raise BinlogError if a log is unreadable; what was read counts.

        `known` says what is known of tables as a span begins, for a condition on values.
        """
        for span in spans:
            self.feed.catalog = None if known is None else known(span)
            self._leaves_out = self._leaves_out or bool(span.rolled_back)
            self.feed.remarks = Remarks(filtered=self.feed.remarks.filtered)  # the counter has the rest of all spans
            for _ in self.feed.read(span, self._counter, self._options.scope("events")):
                pass
        filtered = self.feed.remarks.filtered
        if filtered is not None and self._counter.groups.rows():
            self.feed.remarks = self.feed.remarks.replace(filtered=filtered.replace(found=True))

    @property
    def uncounted(self) -> int:
        """Row events whose rows could not be counted, for want of a Table_map."""
        return self._counter.uncounted

    @property
    def refused(self) -> int:
        """Events that break the rules of transactions."""
        return self._counter.refused

    @property
    def too_many_statements(self) -> bool:
        """Return True if there was no room for all digests: some count as OTHER_STATEMENTS."""
        return self._digests is not None and self._digests.is_full

    @property
    def outside(self) -> int:
        """Bytes of the logs that are in no event: the four magic bytes of each, and what could not be read."""
        return sum(log.size for log in self.feed.logs) - self._counter.bytes

    def groups(self) -> list[tuple[Key, Measures]]:
        """Return what was counted so far, as (key, measures).

        The bytes `outside` count, unless filters leave events out. If groups have times, the magic bytes count in the
        first of them.
        """
        found = [(self._key(row[:7]), measures(row[7:])) for row in self._counter.groups.rows()]
        if self._leaves_out or self._options.scope("events") is not None or self.outside <= 0:
            return found
        rest = self.outside
        timed = [(time, at) for at, (key, _) in enumerate(found) if (time := self._time(key)) is not None]
        if timed:
            magic = min(rest, MAGIC_LENGTH * len(self.feed.logs))
            rest -= magic
            self._pay(found, min(timed)[1], magic)
        if rest:
            nothing: Key = (None,) * len(self._by)
            at = next((place for place, (key, _) in enumerate(found) if key == nothing), len(found))
            found[at:] = found[at:] or [(nothing, measures([0] * 11))]
            self._pay(found, at, rest)
        return found

    def _time(self, key: Key) -> int | None:
        """Return the first time of a key; None if it has none."""
        times = (value for name, value in zip(self._by, key, strict=True) if name in UNITS)
        found = next(times, None)
        assert not isinstance(found, str)
        return found

    @staticmethod
    def _pay(groups: list[tuple[Key, Measures]], at: int, size: int) -> None:
        key, counted = groups[at]
        groups[at] = key, counted._replace(bytes=counted.bytes + size)

    def _key(self, row: Sequence[Any]) -> Key:
        time, thread, server, statement, kind, database, table = row
        schema = text_of(database)
        values: dict[str, str | int | None] = {
            "database": schema,
            "table": None if table is None else f"{schema}.{text_of(table)}",
            "type": printed_name(kind),
            "server": server,
            "thread": None if thread < 0 else thread,
            "statement": self._statement(statement),
        }
        for name, unit in UNITS.items():
            values[name] = time - time % unit if time else None
        return tuple(values[name] for name in self._by)

    def _statement(self, number: int) -> str | None:
        if not number or self._digests is None:
            return None
        return OTHER_STATEMENTS if number == OTHERS else text_of(self._digests.texts[number - 1])


def measures(row: Sequence[int]) -> Measures:
    first, last, transactions, events, size, inserts, updates, deletes, rolled_back, prepared, statements = row
    rows = inserts + updates + deletes
    changes = (inserts, updates, deletes, rows, rolled_back, prepared, statements)
    return Measures(transactions, *changes, events, size, first or None, last or None)


def text_of(name: bytes | None) -> str | None:
    return None if name is None else name.decode("utf-8", "surrogateescape")
