"""Reading: the changes of one table, as often as a question needs them, out of logs or of a base."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.asof.changes import Changes, Enough, Pass, Question
from pybinlog.asof.deeds import Rename, RowChange
from pybinlog.errors import BinlogError, GapError
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.undo.reading import read_changes
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pybinlog.asof.base import Base
    from pybinlog.asof.changes import End, GiveDeeds
    from pybinlog.asof.deeds import Deed, Key, Origin
    from pybinlog.asof.share import Share
    from pybinlog.catalog import Catalog

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


class Reading:
    """Reads the changes of the question's table, again and again."""

    def __init__(self, logs: Logs, question: Question):
        self.end = ("", 0)
        """The last log, and its size."""
        self.skips_definitions = False
        """Definitions of the table lack a column of the condition, so that their rows were not read."""
        self._logs = logs
        self._question = question
        question.takes_keyless = logs.base is not None
        self._said: set[str] = set()

    def read(self, give: GiveDeeds, tables: set[Key] | None, way: Pass) -> Changes:
        """Give the deeds of all logs. Raise OtherColumnsError if the kernel would drop rows that matter."""
        changes = Changes(self._question, give, way)
        feed = self._read(changes, tables, self._logs.spans, self._logs.catalogs(), speaks=True)
        if feed.logs:
            self.end = str(self._logs.names[-1]), feed.logs[-1].size
        return changes

    def look(self, tables: set[Key] | None, give: GiveDeeds = lambda *_: None) -> Changes:
        """Read logs for what they show of definitions and engines alone."""
        changes = Changes(self._question, give, Pass.ALL)
        self._read(changes, tables, self._logs.spans, self._logs.catalogs())
        return changes

    def read_base(self, base: Base, add: Callable[[RowChange], object], way: Pass = Pass.ALL) -> None:
        """Give the rows of a base, as insertions."""
        table = {self._question.table}
        if self._question.reader is None:
            self.look(table, self._stop_with_reader)

        def give(deeds: Sequence[tuple[Deed, Origin]], end: End) -> None:
            for deed, _ in deeds:
                assert isinstance(deed, RowChange)
                add(deed)

        changes = Changes(self._question, give, way, of_base=True)
        self._read(changes, table, [Span((base.log,))], lambda _: base.catalog.copy())

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
        if self._question.reader is not None:
            raise Enough

    def _read(
        self,
        changes: Changes,
        tables: set[Key] | None,
        spans: Iterable[Span],
        along: Callable[[Span], Catalog],
        *,
        speaks: bool = False,
    ) -> Feed:
        where = self._question.where if changes.way is Pass.KEPT else None
        options = ViewOptions(
            view=ROWS.name,
            tables=None if tables is None else frozenset(tables),
            where=where and where.replace(drops_unknown=True),
            include_gtids=self._logs.include_gtids if speaks else None,
        )
        feed = Feed(options, warn=self._warn, counts_statements=False, is_first_pass=not speaks)
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
            return feed
        if (error := tally.error()) is not None:
            raise error
        self.skips_definitions = bool(tally.without)
        if tally.unclear:
            names = " and ".join(f"`{name}`" for name in tally.unclear)
            raise BinlogError(f"the order of {names} is not known here (its collation, its members or its sign)")
        return feed


def renames_in(logs: Logs) -> list[Rename]:
    """Return all renames of tables."""
    no_table = Question(("", ""))
    reading = Reading(logs, no_table)
    return reading.renames(reading.look({no_table.table}))
