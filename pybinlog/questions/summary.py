"""Summary: what logs hold, at first sight."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import heappush, heapreplace
from itertools import pairwise
from typing import Any, NamedTuple

from pybinlog.catalog import Catalog
from pybinlog.feed.remarks import Remarks
from pybinlog.feed.span import Span
from pybinlog.log.log_head import LogHead, read_head
from pybinlog.questions.statistics import Measures, Statistics
from pybinlog.source.log_series import LogName
from pybinlog.statement import verb_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.outcomes import XaTransactions
from pybinlog.views.reader import ViewReader

MOST = 10
"""Transactions of each list."""
COLUMNS = ("file", "start_position", "end_position", "commit_time", "seconds", "rows", "bytes", "gtid", "xa_xid")
"""A Group's columns of the view `transactions`."""
MINUTE = 60_000_000
"""In microseconds."""


class Group(NamedTuple):
    """A transaction, as the view `transactions` has it. The time is in microseconds since 1970 UTC."""

    file: str
    position: int | None
    end: int
    time: int | None
    seconds: int | None
    rows: int | None
    bytes: int
    gtid: str | None
    xa_xid: str | None


class Summary(NamedTuple):
    """`total` are the measures of all events, `tables` those of each table, `statements` the DDL by its kind.

    `missing` are logs that a series lacks. `gtids` are those that the logs hold, as a set; of MariaDB the position at
    their end. `in_doubt` are xids. `refused` counts events that break the rules of transactions. `remarks` are those
    about the logs. `minutes` counts the transactions of each minute that has one, by minutes since 1970 UTC. `lag` is
    the longest time, in microseconds, from a commit on its original server to that on the logs' server; 0 if there is
    none.
    """

    heads: list[LogHead]
    sizes: list[int]
    missing: list[str]
    gtids: str
    total: Measures
    tables: list[tuple[str, Measures]]
    largest: list[Group]
    longest: list[Group]
    statements: list[tuple[str, int]]
    in_doubt: list[str]
    refused: int
    remarks: Remarks
    minutes: dict[int, int]
    lag: int


def summary_of(
    spans: Sequence[Span],
    options: ViewOptions,
    *,
    known: Callable[[], Callable[[Span], Catalog]] | None = None,
    warn: Callable[[str], object],
    progress: Callable[[int], None] | None = None,
) -> Summary:
    """Read the logs, each several times, with the filters of `options`. Raise BinlogError if one is unreadable.

    `known` returns what is known of tables as a span begins, for a condition on values.
    """
    names = [name for span in spans for name in span.names]
    heads = [read_head(name) for name in names]
    counted = Statistics(options.replace(view="transactions", columns=()), ("table",), warn=warn)
    counted.count(spans, known and known())
    groups = counted.groups()
    ranks = Ranks()
    executed = heads[0].executed()
    minutes: Counter[int] = Counter()
    longest_lag = 0
    of_transactions = options.replace(view="transactions", columns=(*COLUMNS, "commit_lag"))
    for *row, lag in rows_of(spans, of_transactions, progress, known and known()):
        one = Group(*row)
        ranks.add(one)
        longest_lag = max(longest_lag, lag or 0)
        if one.time is not None:
            minutes[one.time // MINUTE] += 1
        if one.gtid is not None:
            executed.add(one.gtid)
    of_xa = XaTransactions(spans, options, is_first_pass=True) if ranks.xids else ()
    in_doubt = [one.xid for one in of_xa if one.in_doubt and one.xid in ranks.xids]
    tables = [(str(key[0]), measures) for key, measures in groups if key[0] is not None]
    return Summary(
        heads,
        [log.size for log in counted.feed.logs],
        missing(names),
        executed.text_since(heads[0].executed()),
        total_of([measures for _, measures in groups], ranks.count)._replace(
            statements=statements_in(counted.feed.remarks)
        ),
        sorted(tables, key=lambda table: -table[1].bytes),
        ranks.largest,
        [one for one in ranks.longest if one.seconds],
        [] if options.where is not None else statements(spans, options),
        in_doubt,
        counted.refused,
        counted.feed.remarks,
        dict(minutes),
        longest_lag,
    )


class Ranks:
    """Keep the largest and the longest of the transactions that are added."""

    def __init__(self) -> None:
        self.count = 0
        self.xids: set[str] = set()
        self._largest: list[tuple[int, int, Group]] = []
        self._longest: list[tuple[int, int, int, Group]] = []

    def add(self, one: Group) -> None:
        self.count += 1
        if one.xa_xid is not None:
            self.xids.add(one.xa_xid)
        keep(self._largest, (one.bytes, -self.count, one))
        keep(self._longest, (one.seconds or 0, one.bytes, -self.count, one))

    @property
    def largest(self) -> list[Group]:
        return [rank[-1] for rank in sorted(self._largest, reverse=True)]

    @property
    def longest(self) -> list[Group]:
        return [rank[-1] for rank in sorted(self._longest, reverse=True)]


def keep(ranks: list[Any], rank: tuple[Any, ...]) -> None:
    """Put a rank among the highest."""
    if len(ranks) < MOST:
        heappush(ranks, rank)
    elif rank > ranks[0]:
        heapreplace(ranks, rank)


def rows_of(
    spans: Sequence[Span],
    options: ViewOptions,
    progress: Callable[[int], None] | None = None,
    known: Callable[[Span], Catalog] | None = None,
) -> Iterator[tuple[Any, ...]]:
    reader = ViewReader(options, progress=progress, is_first_pass=True)
    for span in spans:
        if known is not None:
            reader.feed.catalog = known(span)
        yield from reader.rows(span)


def statements(spans: Sequence[Span], options: ViewOptions) -> list[tuple[str, int]]:
    """Count the DDL by its kind, the most frequent first."""
    found: Counter[str] = Counter()
    if options.operations and "ddl" not in options.operations:
        return []
    options = options.replace(view="events", columns=("query",), operations=frozenset({"ddl"}))
    for (query,) in rows_of(spans, options):
        if query is not None:
            found[verb_of(query)] += 1
    return found.most_common()


def statements_in(remarks: Remarks) -> int:
    """Return the number of statements that changed rows that the logs do not contain; each counts once."""
    return 0 if remarks.unlogged is None else remarks.unlogged.count


def total_of(groups: Sequence[Measures], transactions: int) -> Measures:
    """Add up groups. A transaction may be in several of them, so their number is given."""
    counts = [[0] * len(Measures._fields[1:-2]), *(measures[1:-2] for measures in groups)]
    sums = [sum(values) for values in zip(*counts, strict=True)]
    first = min((measures.first_time for measures in groups if measures.first_time is not None), default=None)
    last = max((measures.last_time for measures in groups if measures.last_time is not None), default=None)
    return Measures._make([transactions, *sums, first, last])


def missing(names: Sequence[str]) -> list[str]:
    """Return the logs that a series lacks."""
    lacking: list[str] = []
    for before, after in pairwise(names):
        one, other = LogName.of(before), LogName.of(after)
        if one.number is None or other.number is None or one.series != other.series or other.number <= one.number + 1:
            continue
        first, last = one.numbered(one.number + 1), one.numbered(other.number - 1)
        lacking.append(first if first == last else f"{first} to {last}")
    return lacking
