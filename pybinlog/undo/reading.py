"""The changes of spans of logs, read for a judge."""

from contextlib import closing

from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.kernel.undo.change_view import ChangeView
from pybinlog.undo.judge import Judge
from pybinlog.views.kernel_views import Making, columns_of, kernel_view, scope_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The most in a batch: Python objects take many times the bytes that they are made of."""
WANTED = {"position", "thread_id"}
"""The columns of the view rows that cost something."""


def read_changes(feed: Feed, options: ViewOptions, judge: Judge, span: Span, *, later: bool = False) -> None:
    """Let the judge take the changes of a span. `later`: it is after the logs whose rows are taken back."""
    options = options.replace(batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES, names_statements=False)
    judge.catalog = feed.catalog
    view = kernel_view(options, make=lambda making: change_view(making, judge))
    view.later = later
    with closing(feed.read(span, view, scope_of(options))) as reading:
        for _ in reading:
            judge.add(view.pop())
    changes = view.changes
    changes.settle()
    judge.add(changes.pop())
    changes.report()
    judge.skipped += changes.skipped


def change_view(making: Making, judge: Judge) -> ChangeView:
    from pybinlog.kernel.undo.change_view import ChangedRows
    from pybinlog.kernel.undo.turned_rows import TurnedRows

    cells = [(column.name, column.kind.form) for column in ROWS.columns]
    sink = (TurnedRows if judge.request.as_events else ChangedRows)(cells, judge)
    if isinstance(sink, TurnedRows):
        of = making.options
        sink.limit(of.first_position, of.stop_position, of.start_time, of.stop_time)
    sink.keys, sink.skips = judge.keys, judge.skips
    return ChangeView(making.events, columns_of((), set()), sink, WANTED, making.condition)
