"""Collisions: later transactions that build upon what is left out, as far as the logs tell."""

from collections.abc import Callable, Iterator

from pybinlog.catalog import Catalog
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.recover.contents import Contents, Part, Transaction
from pybinlog.undo.judge import Judge
from pybinlog.undo.problem import Problems, UndoRequest
from pybinlog.undo.reading import read_changes
from pybinlog.undo.script import Script
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS


def collisions(part: Part, contents: Contents, warn: Callable[[str], object]) -> Iterator[str]:
    """Yield a sentence for each table with rows that are left out, and that a later transaction touches."""
    for omitted, (database, table) in contents.omitted_statements:
        name = database if table is None else f"{database}.{table}"
        rows = [
            change
            for label, change in contents.last_changes.items()
            if change.order > omitted.order and label.lower().startswith(name if table is not None else f"{name}.")
        ]
        if rows or contents.is_redefined(database, table or "", omitted.order):
            yield f"{omitted} is a statement about {name}, and later transactions need what it did"
    if not contents.omitted:
        return
    if all(one.gtid is not None for one in contents.omitted):
        gtids = ",".join(str(one.gtid) for one in contents.omitted)
        yield from _of_rows(part, contents.omitted[0], ViewOptions(view=ROWS.name, include_gtids=gtids), warn)
        return
    for one in contents.omitted:
        options = ViewOptions(view=ROWS.name, first_position=one.start, stop_position=one.end)
        yield from _of_rows(part, one, options, warn)


def _of_rows(part: Part, first: Transaction, options: ViewOptions, warn: Callable[[str], object]) -> Iterator[str]:
    """Yield a sentence for each table whose chosen rows later transactions change, by undo's look-ahead."""
    request = UndoRequest(options, as_events=True, checks_state=False, allows_non_transactional=True)
    judge = Judge(request, Script(request), finds_later_changes=True)
    try:
        by_position = options.include_gtids is None
        everything = ViewOptions(view=ROWS.name)
        for number, log, span in part.spans():
            if number < first.order[0]:
                continue
            later = by_position and log.path != first.log
            chosen = everything if later else options
            feed = Feed(chosen, warn=warn, catalog=Catalog(), in_order=False)
            read_changes(feed, chosen, judge, whole(span), later=later)
        problems = Problems()
        judge.later.add_to(problems, judge.tally, request)
        for problem in problems:
            yield f"{problem.place}: {problem.what}"
        if judge.transactions.unclear is not None:
            yield f"{judge.transactions.unclear}: a statement may change rows of what is left out"
    finally:
        judge.script.close()


def whole(span: Span) -> Span:
    """Return the span from the beginning of its log: a position in it is a filter's."""
    return Span(span.names, stop=span.stop)
