"""The warnings of a dump, as people can use them: runs of equal ones counted, a way out of a cut transaction, and
filters that match nothing."""

from __future__ import annotations

from pybinlog.errors import BinlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybinlog.cli.environment import Output
    from pybinlog.dump.options import DumpOptions
    from pybinlog.feed.remarks import Remarks
    from pybinlog.filters import AskedNames
    from pybinlog.views.options import ViewOptions

SMALL = 1 << 16
"""Bytes of text up to which a filter may have matched nothing."""

SHOWN = 3
"""Of equal warnings in a row."""


class DumpWarnings:
    """Passes warnings on to `warn`: the first of a run that differ in their position alone, then their number.

    After a warning about the first event of a dump that begins at `start_position` of `names[0]`, another one says
    where the transaction around it begins. Call `finish()` at the end.
    """

    def __init__(self, warn: Callable[[str], object], names: Sequence[str], start_position: int):
        self._warn = warn
        self._names = names
        self._start = f" [{names[0]}, at {start_position}]" if names and start_position > 4 else None
        self._last = ""
        self._count = 0
        self._position = ""

    def __call__(self, text: str) -> None:
        message, at, position = text.rpartition(", at ")
        if not at or message != self._last:
            self.finish()
            self._last = message if at else ""
        self._count += 1
        self._position = position.removesuffix("]")
        if self._count <= SHOWN:
            self._warn(text)
        if self._start is not None and text.endswith(self._start):
            self._say_where_it_begins()

    def _say_where_it_begins(self) -> None:
        begins = self._transaction_begins()
        if begins is not None:
            self._warn(
                f"The dump starts inside a transaction, which begins at {begins}: use --start-position={begins} or "
                f"--whole-transactions.{self._start}"
            )
        self._start = None

    def _transaction_begins(self) -> int | None:
        from pybinlog.dump.whole_transactions import transaction_around

        assert self._start is not None
        position = int(self._start.rpartition(" ")[2].removesuffix("]"))
        if self._names[0] == "-":
            return None
        try:
            found = transaction_around(self._names[:1], position)
        except BinlogError:
            return None  # the log cannot be read up to there
        return found.position if found is not None else None

    def finish(self) -> None:
        """Say how many warnings of the last run were not shown."""
        left = self._count - SHOWN
        if left > 0:
            more = "1 more event gives" if left == 1 else f"{left:,} more events give"
            self._warn(f"{more} the same warning. [{self._last.rpartition(' [')[2]}, up to {self._position}]")
        self._count = 0


class CountedOutput:
    """An output that counts the bytes of its text."""

    def __init__(self, output: Output):
        self._output = output
        self.size = 0

    def write(self, data: bytes) -> object:
        self.size += len(data)
        return self._output.write(data)


def has_filters(options: DumpOptions) -> bool:
    """Return True if options may omit all events of a log."""
    return (
        options.filters_transactions
        or options.database is not None
        or options.include_gtids is not None
        or options.server_id is not None
        or options.start_datetime is not None
        or options.stop_datetime is not None
    )


def report_remarks(remarks: Remarks, warn: Callable[[str], object]) -> bool:
    """Warn of rows that --where could not judge, or if it matches none. Raise WhereError if no table has its columns.

    Warn of statements that a filter dropped for the case of a name alone. Return True if --where was asked of a row:
    then the other filters match something.
    """
    if (left_out := remarks.unlogged) is not None:
        from pybinlog.feed.unlogged import ONE_TABLE

        are = "statement is" if left_out.count == 1 else "statements are"
        warn(f"{left_out.count:,} {are} not printed, but would be {ONE_TABLE}: of {left_out.named}.")
    tally = remarks.tally
    if tally is None:
        return False
    from pybinlog.feed.remarks import Remarks
    from pybinlog.views.remarks import report

    report(Remarks(tally), lambda sentence: warn(f"{sentence}."))
    return bool(tally.dropped or tally.kept)


def warn_of_unmatched(
    names: Sequence[str], options: DumpOptions, asked: AskedNames | None, warn: Callable[[str], object]
) -> None:
    """Warn of filters that match nothing. The logs are read again, so call it only if little or nothing was found."""
    if not has_filters(options):
        return
    from pybinlog.dump.filters import matches
    from pybinlog.source.location import read_once
    from pybinlog.views.unmatched import unmatched

    try:
        if any(map(read_once, names)) or matches(names, options):
            warn_of_names(options, asked, warn)
            return
        for sentence in unmatched(names, view_options(options), dict(options.rewrite_db)):
            warn(f"{sentence}.")
    except BinlogError:
        return  # the dump itself has told what is wrong with the log


def warn_of_names(options: DumpOptions, asked: AskedNames | None, warn: Callable[[str], object]) -> None:
    """Warn of names in filters that match no table."""
    if asked is None or not asked.unmatched:
        return
    from pybinlog.views.unmatched import unmatched_names

    for sentence in unmatched_names(asked, view_options(options)):
        warn(f"{sentence}.")


def view_options(options: DumpOptions) -> ViewOptions:
    """Return a dump's filters in the words of a view."""
    from pybinlog.dump.filters import name_rules
    from pybinlog.views.options import MICROSECONDS, ViewOptions

    start, stop = options.start_datetime, options.stop_datetime
    return ViewOptions(
        view="transactions",
        names=name_rules(options),
        types=options.event_types,
        operations=options.operations,
        thread_ids=options.thread_ids,
        server_ids=options.server_ids if options.server_id is None else frozenset({options.server_id}),
        include_gtids=options.include_gtids,
        exclude_gtids=options.exclude_gtids,
        start_time=None if start is None else start * MICROSECONDS,
        stop_time=None if stop is None else stop * MICROSECONDS,
    )
