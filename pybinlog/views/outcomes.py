"""Transactions that were rolled back though logs hold their rows: which, and of XA transactions what became of them."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.errors import BinlogError
from pybinlog.source.log_series import LogName
from pybinlog.views.options import Mode, ViewOptions
from pybinlog.views.reader import ViewReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pybinlog.catalog import Catalog
    from pybinlog.views.span import Span

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
    """The spans, without the rows of transactions that were rolled back (`Span.rolled_back`).

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
    """The spans, each once, by the series of their logs, in the order of their numbers; those without in one list."""
    series: dict[str | None, list[tuple[int, Span]]] = {}
    for span in dict.fromkeys(spans):
        log = LogName.of(span.names[0])
        series.setdefault(None if log.number is None else log.series, []).append((log.number or 0, span))
    return [[span for _, span in sorted(found, key=lambda item: item[0])] for found in series.values()]


def transactions(
    span: Span, mode: Mode, progress: Callable[[int], None] | None = None, catalog: Catalog | None = None
) -> Iterator[Ended]:
    """Of each that ended with a rollback or has to do with XA: its log, its position, how it ended, its xid.

    `catalog` takes the statements of the span.
    """
    options = ViewOptions(view="transactions", columns=COLUMNS, mode=mode)
    places = {name: number for number, name in enumerate(span.names)}
    try:
        for batch in ViewReader(options, warn=lambda _: None, progress=progress, catalog=catalog).batches(span):
            names, positions, ends, xids = (column.values(0, batch.count) for column in batch.columns)
            for row, xid in enumerate(xids):
                if xid is not None or ends[row] == "rollback":
                    yield places[names[row]], positions[row], ends[row], xid
    except BinlogError:
        return
