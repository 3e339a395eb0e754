"""Activity: what happened in logs over time: changes, transactions, lag, DDL and gaps. One pass, with flat memory."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from heapq import nlargest
from typing import Any, NamedTuple

from pybinlog.catalog import Catalog
from pybinlog.digest import digest_text
from pybinlog.feed.feed import Feed
from pybinlog.feed.policy import Policy
from pybinlog.feed.span import Span
from pybinlog.log.gap import Gap, LogEnd
from pybinlog.log.gap_watch import GapWatch
from pybinlog.log.log_head import LogHead
from pybinlog.questions.statistics import Statistics
from pybinlog.statement import LoggedStatement
from pybinlog.views.batch import ViewBatch, view_batch
from pybinlog.views.column_values import ColumnValues
from pybinlog.views.kernel_views import kernel_view, scope_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import TRANSACTIONS

COLUMNS = (
    *("commit_time", "duration", "rows", "bytes", "commit_lag", "last_committed", "sequence_number"),
    *("file", "start_position", "end_position", "gtid", "tables"),
)
PLACE = ("commit_time", "file", "start_position", "end_position")
MICROSECONDS = 1_000_000
MOST_NAMED = 10
"""Transactions of each list."""
MOST_DDL = 200
"""DDL statements that are kept; all are counted."""
MOST_READ = 8192
"""Bytes of a statement that its digest is made of."""
DDL_LENGTH = 200
"""Characters of a digest that are kept."""


class NamedTransaction(NamedTuple):
    """A large or long transaction, as the view `transactions` has it. Times are in microseconds."""

    commit_time: int | None
    duration: int | None
    rows: int | None
    bytes: int
    file: str
    start_position: int | None
    end_position: int
    gtid: str | None
    tables: list[str]


class Definition(NamedTuple):
    """A DDL statement: its digest, which contains no values, and the time of its commit in microseconds."""

    time: int | None
    file: str
    position: int
    statement: str


class FoundGap(NamedTuple):
    """Missing logs between two that were read, by the times at which these end and begin, in seconds."""

    begin: int | None
    end: int | None
    sentence: str


class Moment:
    """The transactions that were committed in a second, minute or hour.

    `rounds` is the number of steps in which they could run if each took one; None if the logs do not tell. `lag` is the
    longest commit lag in microseconds.
    """

    __slots__ = ("lag", "rounds", "transactions")

    def __init__(self) -> None:
        self.transactions = 0
        self.rounds: int | None = None
        self.lag: int | None = None


class NotedGaps(GapWatch):
    """A GapWatch that keeps the gaps that do not end the reading."""

    def __init__(self, policy: Policy, warn: Callable[[str], object]):
        super().__init__(warn, allows=policy.allow_gaps, range=policy.range)
        self.noted: list[FoundGap] = []

    def found(self, gap: Gap, end: LogEnd, head: LogHead) -> None:
        super().found(gap, end, head)
        if gap.lacks:
            sentence = f"{head.name}: {gap.message(end.head.name)}"
            self.noted.append(FoundGap(end.last_time or None, head.begun or None, sentence))


class Definitions(Catalog):
    """A catalog that keeps the DDL statements until their transactions come.

    `kept` are the first of them, `at` counts all by the seconds of their commits.
    """

    def __init__(self) -> None:
        super().__init__(keys_only=True)
        self.kept: list[Definition] = []
        self.at: Counter[int] = Counter()
        self.count = 0
        self._pending: list[LoggedStatement] = []

    def run(self, text: bytes, database: bytes, *session: Any, **_: Any) -> None:
        self._pending.append(LoggedStatement(text[:MOST_READ], database, *session))
        super().run(text, database, *session)

    def begin(self) -> None:
        """Begin another span."""
        self._pending.clear()

    def settle(self, batch: ViewBatch, unit: int) -> None:
        """Give the statements of these transactions their times, cut to `unit` seconds.

        Those between two transactions are of one that a filter dropped.
        """
        if not self._pending:
            return
        times, files, starts, ends = (batch.columns[COLUMNS.index(name)] for name in PLACE)
        waiting, self._pending = self._pending, []
        last = batch.count - 1
        log, of_first, of_last = "", 0, -1  # the rows of the statement's log
        begins: list[int] = []
        for number, statement in enumerate(waiting):
            position = statement.position
            if (name := statement.file.decode("utf-8", "replace")) != log:
                log = name
                of_first, of_last = rows_of_log(files, batch.count, log)
                begins = [start or 0 for start in starts.values(of_first, of_last + 1)]
            row = of_first + bisect_right(begins, position) - 1
            if row >= of_first:
                (end,) = ends.values(row, row + 1)
                if position < end or end <= begins[row - of_first]:  # it ends there, or in the next log
                    self._keep(statement, log, times.values(row, row + 1)[0], unit)
                    continue
            if not begins:
                self._pending.append(statement)
            elif row == last:
                self._pending += waiting[number:]
                return

    def _keep(self, statement: LoggedStatement, file: str, time: int | None, unit: int) -> None:
        self.count += 1
        if time is not None:
            self.at[time // MICROSECONDS // unit * unit] += 1
        if len(self.kept) < MOST_DDL:
            digest = digest_text(statement.text, statement.sql_mode)
            shown = digest if len(digest) <= DDL_LENGTH else f"{digest[:DDL_LENGTH]}..."
            self.kept.append(Definition(time, file, statement.position, shown))


class Activity:
    """Reads spans once. `feeding` is as in Feed.

    `counts` are groups by second, table and statement. Seconds become minutes, hours and days if there are many groups;
    `unit` is the longest of these in seconds. `moments` has the transactions by the time of their commits, and `sizes`
    counts them by the bits of their bytes and of the microseconds that they took. `rounds` are those of all moments;
    `undated` transactions have no time.
    """

    def __init__(self, options: ViewOptions, *, warn: Callable[[str], object], **feeding: Any):
        self.gaps = NotedGaps(options, warn)
        self.definitions = Definitions()
        self.feed = Feed(options, warn=warn, gaps=self.gaps, catalog=self.definitions, **feeding)
        self._options = options.replace(view=TRANSACTIONS.name, columns=COLUMNS, batch_rows=1 << 14)
        self.counts = Statistics(options, ("second", "table", "statement"), self.feed)
        self.unit = 1
        self.moments: dict[int, Moment] = {}
        self.sizes: Counter[tuple[int, int]] = Counter()
        self.transactions = 0
        self.rounds = 0
        self.undated = 0
        self.largest: list[NamedTransaction] = []
        self.longest: list[NamedTransaction] = []
        self._first_of_round = self._last_number = 0

    def read(self, spans: Iterable[Span]) -> None:
        """Read the spans. Raise BinlogError if a log is unreadable."""
        for span in spans:
            view = kernel_view(self._options)
            self.definitions.begin()
            for _ in self.feed.read(span, view, scope_of(self._options), beside=[self.counts.beside()]):
                self.unit = self.counts.limit_groups()
                self._add(view_batch(view, TRANSACTIONS, COLUMNS))

    def _add(self, batch: ViewBatch) -> None:
        columns, count = batch.columns, batch.count
        times, durations, _, sizes, lags, before, numbers = (column.values(0, count) for column in columns[:7])
        lengths = [duration or 0 for duration in durations]
        self.transactions += count
        scale = self.unit * MICROSECONDS
        keys = [None if time is None else time // scale * self.unit for time in times]
        for key, transactions in Counter(keys).items():
            if key is None:
                self.undated += transactions
            else:
                self.moment(key).transactions += transactions
        self.sizes.update(zip(map(int.bit_length, sizes), map(int.bit_length, lengths), strict=True))
        self._add_lags(keys, lags)
        self._add_rounds(keys, before, numbers)
        self.definitions.settle(batch, self.unit)
        self.largest = ranked(self.largest, batch, sizes, lambda one: (one.bytes, one.duration or 0))
        self.longest = ranked(self.longest, batch, lengths, lambda one: (one.duration or 0, one.bytes))

    def moment(self, key: int) -> Moment:
        found = self.moments.get(key)
        if found is None:
            found = self.moments[key] = Moment()
        return found

    def _add_lags(self, keys: Sequence[int | None], lags: Sequence[int | None]) -> None:
        longest: dict[int | None, int] = {}
        if set(lags) == {0}:
            longest = dict.fromkeys(keys, 0)
        else:
            for key, lag in zip(keys, lags, strict=True):
                if lag is not None and lag >= longest.get(key, 0):
                    longest[key] = lag
        for key, lag in longest.items():
            if key is not None:
                moment = self.moment(key)
                moment.lag = max(moment.lag or 0, lag)

    def _add_rounds(
        self, keys: Sequence[int | None], before: Sequence[int | None], numbers: Sequence[int | None]
    ) -> None:
        """Count the rounds: a transaction begins one if it must wait for the first of the round before.

        Source: WL#7165. A replica may run a transaction when all up to `last_committed` are committed.
        """
        first, last = self._first_of_round, self._last_number
        begun: list[int | None] = []
        for key, waits_for, number in zip(keys, before, numbers, strict=True):
            if number is None or waits_for is None:
                continue
            if waits_for >= first or number <= last:  # each log counts from 1
                first = number
                begun.append(key)
            last = number
        self._first_of_round, self._last_number = first, last
        self.rounds += len(begun)
        if begun or last:
            rounds = Counter(begun)
            for key in set(keys):
                if key is not None:
                    moment = self.moment(key)
                    moment.rounds = (moment.rounds or 0) + rounds[key]


def rows_of_log(files: ColumnValues, count: int, log: str) -> tuple[int, int]:
    """Return the first and the last row of a log; the rows of each are together."""
    if files.values(0, 1) == files.values(count - 1, count) == [log]:
        return 0, count - 1
    names = files.values(0, count)
    first = names.index(log) if log in names else 0
    return first, first + names.count(log) - 1


def ranked(
    before: list[NamedTransaction],
    batch: ViewBatch,
    values: Sequence[int],
    key: Callable[[NamedTransaction], tuple[int, ...]],
) -> list[NamedTransaction]:
    """Return the highest of those before and of a batch, whose values these are."""
    least = key(before[-1])[0] if len(before) == MOST_NAMED else -1
    if max(values) <= least:
        return before
    places = nlargest(MOST_NAMED, range(len(values)), key=values.__getitem__)
    return nlargest(MOST_NAMED, [*before, *(named(batch, place) for place in places)], key=key)


def named(batch: ViewBatch, place: int) -> NamedTransaction:
    """Return one transaction of a batch."""
    values = dict(zip(COLUMNS, (column.values(place, place + 1)[0] for column in batch.columns), strict=True))
    return NamedTransaction(*(values[name] for name in NamedTransaction._fields))
