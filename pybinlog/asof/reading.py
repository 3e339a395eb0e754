"""Reading: the changes of one table, as often as a question needs them, out of logs or of a base."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.asof.changes import Changes, Enough
from pybinlog.asof.deeds import Rename, RowChange
from pybinlog.errors import BinlogError, GapError
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.undo.engines import Engines
from pybinlog.undo.reading import read_changes
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS
from pybinlog.where.tree import columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pybinlog.asof.base import Base
    from pybinlog.asof.changes import End, GiveDeeds
    from pybinlog.asof.deeds import Deed, Key, Origin
    from pybinlog.asof.image import KeyReader
    from pybinlog.asof.share import Share
    from pybinlog.asof.table import LoggedTable
    from pybinlog.catalog import Catalog
    from pybinlog.where import Condition

ALL_LOGS = "Give the missing logs, too: what rows were needs all changes"


@dataclass
class Logs:
    """The logs of a question. `catalogs` gives, for each reading, what is known of tables as a span begins."""

    names: Sequence[str]
    spans: Sequence[Span]
    catalogs: Callable[[], Callable[[Span], Catalog]]
    warn: Callable[[str], object]
    base: Base | None = None
    include_gtids: str | None = None
    """Only these transactions count."""
    share: Share | None = None
    """Only these rows are wanted. The first share has all, and the others none, if the logs do not tell them apart."""


class OtherColumnsError(Exception):
    """The condition names columns that are not of the key."""


class Reading:
    """Reads the changes of the rows of `table`; `where` is a condition on its rows.

    The kernel drops rows by the condition if it is about the key, else each change has the verdicts on its images.
    """

    def __init__(self, logs: Logs, table: Key, where: Condition | None = None, *, with_literals: bool = False):
        self.engines = Engines()
        self.end = ("", 0)
        """The last log, and its size."""
        self.asked: set[str] = set()
        """The columns of the condition, in lower case."""
        self.skips_definitions = False
        """Definitions of the table lack a column of the condition, so that their rows were not read."""
        self.names: tuple[Key, ...] = (table,)
        """The names that RENAME TABLE gives the table in the logs, one after the other."""
        self._logs = logs
        self._table = table
        self._where = where
        self._with_literals = with_literals
        self._said: set[str] = set()
        self._reader: KeyReader | None = None
        """Reads keys as the logs have them. A definition may name a collation whose number only the log has."""

    def read(self, give: GiveDeeds, tables: set[Key] | None, *, pushes: bool) -> Changes:
        """Give the deeds of all logs. `pushes`: the kernel drops rows by the condition.

        Raise OtherColumnsError if it may drop rows that matter.
        """
        changes = self._changes(give, self._where, pushes=pushes)
        options = self._options(tables, pushes=pushes).replace(include_gtids=self._logs.include_gtids)
        feed = Feed(options, warn=self._warn, counts_statements=False)
        self._read(feed, options, changes, self._logs.spans, self._logs.catalogs())
        if feed.logs:
            self.end = str(self._logs.names[-1]), feed.logs[-1].size
        return changes

    def look(self, tables: set[Key] | None, give: GiveDeeds = lambda *_: None) -> Changes:
        """Read logs for what they show of definitions and engines alone."""
        options = self._options(tables, pushes=False)
        feed = Feed(options, counts_statements=False, is_first_pass=True)
        changes = self._changes(give, None)
        self._read(feed, options, changes, self._logs.spans, self._logs.catalogs())
        return changes

    def read_base(self, base: Base, add: Callable[[RowChange], object], *, pushes: bool = False) -> None:
        """Give the rows of a base, as insertions."""
        if self._reader is None:
            self.look({self._table}, self._stop_with_reader)

        def give(deeds: Sequence[tuple[Deed, Origin]], end: End) -> None:
            for deed, _ in deeds:
                assert isinstance(deed, RowChange)
                add(deed)

        changes = self._changes(give, self._where, pushes=pushes, reader=self._reader)
        options = self._options({self._table}, pushes=pushes)
        feed = Feed(options, counts_statements=False, is_first_pass=True)
        self._read(feed, options, changes, [Span((base.log,))], lambda _: base.catalog.copy())

    def renames(self, changes: Changes) -> list[Rename]:
        """Return the renames that changes were found among, with their places."""
        numbers = {str(name): number for number, name in enumerate(self._logs.names)}
        return [Rename((numbers[file], position), step.old, step.new) for file, position, step in changes.renames]

    def _warn(self, sentence: str) -> None:
        """Say a sentence once, however often the logs are read."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._logs.warn(sentence)

    def _stop_with_reader(self, *_: object) -> None:
        if self._reader is not None:
            raise Enough

    def _options(self, tables: set[Key] | None, *, pushes: bool) -> ViewOptions:
        where = self._where.replace(drops_unknown=True) if pushes and self._where is not None else None
        return ViewOptions(view=ROWS.name, tables=None if tables is None else frozenset(tables), where=where)

    def _changes(
        self, give: GiveDeeds, where: Condition | None, *, pushes: bool = False, reader: KeyReader | None = None
    ) -> Changes:
        def note_table(table: LoggedTable) -> None:
            if reader is None:
                self._reader = table.reader
            if where is not None:
                self._note_columns(where, table)
                if pushes and not self.asked <= {name.lower() for name in table.key_names}:
                    raise OtherColumnsError

        return Changes(
            self.names if reader is None else (self._table,),
            give,
            note_table,
            self.engines,
            asked=None if pushes else where,
            with_literals=self._with_literals,
            takes_keyless=self._logs.base is not None,
            reader=reader,
        )

    def _note_columns(self, where: Condition, table: LoggedTable) -> None:
        names = [name.lower() for name in table.names]
        for column in columns_of(where.tree):
            name = column.name.lower()
            is_number = name not in names and 0 < column.number <= len(names)
            self.asked.add(names[column.number - 1] if is_number else name)

    def _read(
        self,
        feed: Feed,
        options: ViewOptions,
        changes: Changes,
        spans: Iterable[Span],
        along: Callable[[Span], Catalog],
    ) -> None:
        try:
            for span in spans:
                feed.catalog = along(span)
                changes.begin(feed.catalog)
                read_changes(feed, options, changes, span)
        except Enough:
            pass
        except GapError as gap:
            gap.hint = ALL_LOGS
            raise
        changes.finish(lacks_keys=self._logs.base is not None and self._logs.base.lacks_keys)
        tally = changes.tally or feed.remarks.tally
        if tally is None:
            return
        if (error := tally.error()) is not None:
            raise error
        self.skips_definitions = bool(tally.without)
        if tally.unclear:
            names = " and ".join(f"`{name}`" for name in tally.unclear)
            raise BinlogError(f"the order of {names} is not known here (its collation, its members or its sign)")
