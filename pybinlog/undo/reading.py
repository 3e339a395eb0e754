"""The changes of spans of logs, read for a judge."""

from collections.abc import Iterator
from contextlib import closing

from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.kernel.undo.change_view import ChangeView
from pybinlog.undo.row_judge import RowJudge
from pybinlog.views.kernel_views import Making, columns_of, kernel_view, scope_of
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS

MOST_ROWS, MOST_BYTES = 1000, 1 << 20
"""The most in a batch: Python objects take many times the bytes that they are made of."""


def read_changes(feed: Feed, options: ViewOptions, judge: RowJudge, span: Span, *, later: bool = False) -> None:
    """Let the judge take the changes of a span. `later`: it is after the logs whose rows are taken back."""
    for _ in changes_read(feed, options, judge, span, later=later):
        pass


def changes_read(
    feed: Feed, options: ViewOptions, judge: RowJudge, span: Span, *, later: bool = False
) -> Iterator[None]:
    """Do as `read_changes`, and yield whenever the judge has taken some."""
    options = options.replace(batch_rows=MOST_ROWS, batch_bytes=MOST_BYTES, names_statements=False)
    judge.catalog = feed.catalog
    view = kernel_view(options, make=lambda making: change_view(making, judge))
    view.later = later
    with closing(feed.read(span, view, scope_of(options))) as reading:
        for _ in reading:
            judge.add(view.pop())
            yield
    changes = view.changes
    changes.settle()
    judge.add(changes.pop())
    changes.report()
    judge.skipped += changes.skipped
    yield


def change_view(making: Making, judge: RowJudge) -> ChangeView:
    sink = judge.sink([(column.name, column.kind.form) for column in ROWS.columns], making)
    return ChangeView(making.events, columns_of((), set()), sink, judge.wanted, making.condition)
