"""RowsAsOf: the rows of one table at a moment, and the history of rows."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from json import loads
from typing import NamedTuple

from pybinlog.asof.changes import Changes, Enough, read_changes
from pybinlog.asof.deeds import Alteration, Doubt, Emptying, RowChange
from pybinlog.asof.fold import Fold, State
from pybinlog.asof.multiset import Multiset
from pybinlog.asof.share import IndivisibleError, Share
from pybinlog.asof.where import about_one_image, of_image
from pybinlog.catalog import Coordinates
from pybinlog.errors import BinlogError, GapError
from pybinlog.feed.feed import Feed
from pybinlog.feed.span import Span
from pybinlog.source.log_series import LogName
from pybinlog.undo.engines import Engines
from pybinlog.views.options import ViewOptions
from pybinlog.views.schema import ROWS
from pybinlog.visible import counted
from pybinlog.where.tree import columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from pybinlog.asof.base import Base
    from pybinlog.asof.changes import AddDeeds, End
    from pybinlog.asof.deeds import Deed, Key, Origin
    from pybinlog.asof.fold import Entry
    from pybinlog.asof.image import Image, KeyReader, Names, RowKey
    from pybinlog.asof.moment import Moment
    from pybinlog.asof.table import LoggedTable
    from pybinlog.catalog import Catalog
    from pybinlog.where import Condition

ALL_LOGS = "Give the missing logs, too: what rows were needs all changes"
MOST_DOUBTS = 3
END = sys.maxsize, 0
"""The place of the end of the logs."""


class AsOfRow(NamedTuple):
    """A row at a moment. `state` is present, deleted or unknown; `values` are JSON texts or SQL literals, by column.

    `missing` are columns whose values the logs do not tell. `origin` is the last change before the moment.
    """

    state: str
    values: Image
    missing: list[str]
    origin: Origin | None


class HistoryLine(NamedTuple):
    """A change in the life of rows. `operation` is INSERT, UPDATE, DELETE, or what a statement does to all rows."""

    operation: str
    before: str | None
    after: str | None
    statement: str | None
    origin: Origin | None


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


class _OtherColumns(Exception):
    """The condition names columns that are not of the key."""


class _Moved(Exception):
    """Rows changed their keys, or other tables or definitions matter: the table must be read as a whole."""


class RowsAsOf:
    """Answers about the rows of `table`; `where` is a condition on a row as it was then.

    `names` are the table's columns at the moment, and `table` a definition of it, when `rows` has begun to yield.
    """

    def __init__(
        self,
        logs: Logs,
        table: Key,
        moment: Moment | None,
        where: Condition | None = None,
        *,
        with_literals: bool = False,
        keeps_unjudged: bool = True,
    ):
        if where is not None:
            about_one_image(where)
        self.names: Names = ()
        self.table: LoggedTable | None = None
        self.coordinates = Coordinates()
        """The moment's place in the logs, if `rows` yields all rows that the table had; else empty."""
        self._logs = logs
        self._table = table
        self._moment = moment
        self._where = where
        self._with_literals = with_literals
        self._keeps_unjudged = keeps_unjudged
        self._reads = 0
        self._end = ("", 0)
        """The last log, and its size."""
        self._reader: KeyReader | None = None
        """Reads keys as the logs have them. A definition may name a collation whose number only the log has."""
        self._engines = Engines()
        self._has_engines = False
        """All logs were read for tables of engines without transactions."""
        self._undefined: list[Key] = []
        self._skips_definitions = False
        """Definitions of the table lack a column of the condition, so that their rows were not read."""

    # ---- the rows at the moment

    def rows(self) -> Iterator[AsOfRow]:
        """Yield the rows, as `keyed_rows`."""
        for _, row in self.keyed_rows():
            yield row

    def keyed_rows(self) -> Iterator[tuple[RowKey, AsOfRow]]:
        """Yield the rows, each with what the collations of its key compare.

        Raise BinlogError if the logs cannot be read, or do not tell the table's rows apart.
        """
        remarks: list[str] = []
        place = None if self._moment is None else self._moment.find(self._logs.names, remarks.append)
        share = self._logs.share
        try:
            fold, keys, digests = self._folded(place)
        except IndivisibleError:
            assert share is not None
            if share.number:
                return
            self._logs = replace(self._logs, share=None)
            fold, keys, digests = self._folded(place)
        for remark in remarks:  # those about the moment mean nothing if the logs cannot be read
            self._logs.warn(remark)
        self._note(fold)
        entries = list(fold.rows())
        self.names = fold.names or tuple(dict.fromkeys(name for _, entry in entries for name in entry.columns))
        self.table = fold.table
        if fold.is_complete and self._where is None:
            log, position = self._end if place is None else (str(self._logs.names[place[0]]), place[1])
            self.coordinates = Coordinates(LogName.of(log).base, position)
        unjudged = 0
        found = 0
        for key, entry in entries:
            if keys is not None and tuple(map(entry.key.get, fold.key_names)) not in keys:
                continue
            if digests is not None:
                if entry.state is not State.PRESENT:
                    unjudged += entry.state is State.UNKNOWN
                    continue
                if entry.digest is None:
                    unjudged += 1
                    if not self._keeps_unjudged:
                        continue
                elif entry.digest not in digests:
                    continue
            found += 1
            yield key, self._row(entry)
        if unjudged:
            self._logs.warn(
                f"{counted(unjudged, 'row')} could not be judged: their values are put together, or unknown"
            )
        if found or share is not None:
            return
        if fold.is_complete:
            self._logs.warn(f"{self._label} {'had no such row' if self._where else 'was empty'} at that moment")
        else:
            self._logs.warn(f"these logs tell of no {'such ' if self._where else ''}row of {self._label}")

    @property
    def _label(self) -> str:
        return ".".join(self._table)

    def _row(self, entry: Entry) -> AsOfRow:
        if entry.state is not State.PRESENT:
            return AsOfRow(entry.state.value, entry.key, [], entry.origin)
        values = {name: entry.columns[name] for name in self.names if name in entry.columns}
        return AsOfRow("present", values, [name for name in self.names if name not in values], entry.origin)

    def _note(self, fold: Fold) -> None:
        """Say what is not certain."""
        warn = self._logs.warn
        is_other = self._logs.share is not None and self._logs.share.number
        doubts = [] if is_other else list(dict.fromkeys(fold.doubts))
        for reason, origin in doubts[:MOST_DOUBTS]:
            after = " (after that moment)" if fold.is_closed and (reason, origin) == doubts[-1] else ""
            warn(f"{self._label} is uncertain{after}: {reason}" + ("" if origin is None else f" ({origin})"))
        if len(doubts) > MOST_DOUBTS:
            warn(f"{self._label} is uncertain for {len(doubts) - MOST_DOUBTS} more such reasons")
        if fold.contradictions:
            rows = counted(fold.contradictions, "row")
            warn(f"{rows} of {self._label} changed in a way that these logs do not hold: they are unknown")
        if fold.differing:
            rows = counted(fold.differing, "row")
            warn(f"{rows} of {self._label} that changed after that moment are otherwise now than these logs say")
        if fold.misplaced:
            warn(
                f"the clock went back: {counted(fold.misplaced, 'transaction')} of {self._label} in other logs are on "
                "the other side of that moment than their times say"
            )
        for key in self._undefined:
            warn(
                f"{'.'.join(key)} is not defined here with its foreign keys: give its definition, for they may have "
                "changed rows, and the logs do not say so"
            )

    def _folded(self, place: tuple[int, int] | None) -> tuple[Fold, set[object] | None, set[int] | None]:
        """Return the fold; and the values of keys that the condition chooses, or the digests of images, if it must be
        asked.
        """
        if self._where is None:
            return self._fold(place, None), None, None
        try:
            return self._fold(place, self._where), None, None
        except _Moved:
            fold = self._fold(place, None)
            return fold, self._matching()[0], None
        except _OtherColumns:
            fold = self._fold(place, None, with_digests=True)
            return fold, None, self._matching()[1]

    def _fold(self, place: tuple[int, int] | None, where: Condition | None, *, with_digests: bool = False) -> Fold:
        numbers = {str(name): number for number, name in enumerate(self._logs.names)}
        tables: set[Key] | None = {self._table}
        base, base_place = self._logs.base, self._base_place()
        is_before = base is not None and base_place <= (place or END)
        while True:
            fold = Multiset(adds=is_before) if base is not None and base.is_keyless else Fold(self._logs.share)
            led, known_engines = [False], len(self._engines)

            def add_base(fold: Fold = fold, led: list[bool] = led) -> None:
                """Give the rows of the base to the fold, once."""
                if not led[0]:
                    led[0] = True
                    self._add_base(fold, where, is_before=is_before, with_digests=with_digests)

            def add(
                deeds: list[tuple[Deed, Origin | None]],
                end: End,
                fold: Fold = fold,
                add_base: Callable[[], None] = add_base,
            ) -> None:
                at = numbers[end.file], end.position
                if base is not None and at <= base_place and deeds:
                    base.note(end.gtid)
                if is_before and at <= base_place:
                    return
                if is_before:
                    add_base()
                elif base is not None and at > base_place:
                    raise Enough
                if not fold.is_after and place is not None and at > place:
                    fold.begin_after()
                if place is not None and deeds:
                    self._check_clock(fold, end, at[0] - place[0])
                for deed, origin in deeds:
                    fold.add(deed, origin)
                if fold.is_closed:
                    raise Enough

            changes = self._read(add, where, tables, with_literals=self._with_literals, with_digests=with_digests)
            if base is not None:
                add_base()
            if isinstance(fold, Multiset) and is_before and fold.doubts:
                raise self._not_followed(fold, "from")
            were_read = tables
            if tables is not None:
                tables = None if changes.has_any_ancestor else tables | changes.ancestors
            if where is not None and (tables != were_read or fold.moves or self._skips_definitions):
                raise _Moved
            self._undefined = changes.undefined
            if changes.has_cascades and not self._has_engines:
                self._has_engines = True
                self._read(lambda *_: None, None, were_read, is_first_pass=True)
            if tables == were_read and len(self._engines) == known_engines:
                return fold

    def _check_clock(self, fold: Fold, end: End, logs: int) -> None:
        """Note a transaction whose time says that it is on the other side of the moment, `logs` logs after its place.

        The search for the place says so of transactions in its own log.
        """
        time = None if self._moment is None else self._moment.time
        if time is not None and end.time is not None and logs:
            fold.misplaced += fold.is_after != (end.time >= time)

    def _base_place(self) -> tuple[int, int]:
        base = self._logs.base
        return END if base is None else base.moment.find(self._logs.names, lambda _: None) or END

    def _add_base(self, fold: Fold, where: Condition | None, *, is_before: bool, with_digests: bool) -> None:
        base = self._logs.base
        assert base is not None
        base.check()
        if self._reader is None:
            self._find_reader()
        if is_before:
            fold.begin_with_base()
        else:
            fold.begin_after()
            if fold.is_closed:
                if fold.is_complete:
                    return
                raise self._not_followed(fold, "back from")
        add: Callable[[RowChange], object] = (lambda change: fold.add(change, None)) if is_before else fold.add_current
        self.read_base(base, add, where, with_digests=with_digests)
        if not is_before:
            fold.end_current()

    def _not_followed(self, fold: Fold, way: str) -> BinlogError:
        """Return the error for a doubt between the base and the moment, after which its rows tell nothing."""
        assert self._logs.base is not None
        reason, origin = fold.doubts[-1]
        return BinlogError(
            f"the rows of {self._label} cannot be followed {way} {self._logs.base.name}: {reason}"
            + ("" if origin is None else f" ({origin})"),
            hint="Without a base, pybinlog shows the rows that the logs tell",
        )

    def _find_reader(self) -> None:
        """Look for the first definition of the table in the logs."""

        def end(deeds: list[tuple[Deed, Origin | None]], end: End) -> None:
            if self._reader is not None:
                raise Enough

        self._read(end, None, {self._table}, is_first_pass=True)

    def read_base(
        self,
        base: Base,
        add: Callable[[RowChange], object],
        where: Condition | None = None,
        *,
        with_digests: bool = False,
    ) -> None:
        """Give the rows of a base to `add`, as insertions."""

        def add_rows(deeds: list[tuple[Deed, Origin | None]], end: End) -> None:
            for deed, _ in deeds:
                assert isinstance(deed, RowChange)
                add(deed)

        literals = self._with_literals
        self._read(add_rows, where, {self._table}, with_literals=literals, with_digests=with_digests, base=base)

    def _matching(self) -> tuple[set[object], set[int]]:
        """Return the values of keys, and the digests of images, that the condition chooses."""
        keys: set[object] = set()
        digests: set[int] = set()
        assert self._where is not None
        for side, image in enumerate(("before", "after")):

            def add(deeds: list[tuple[Deed, Origin | None]], end: End, side: int = side) -> None:
                for deed, _ in deeds:
                    if isinstance(deed, RowChange):
                        digest = deed.digests[side]
                        if digest is not None:
                            keys.add(deed.values_of_keys[side])
                            digests.add(digest)

            for base in (None, self._logs.base)[: 1 + (self._logs.base is not None and image == "after")]:
                self._read(
                    add,
                    of_image(self._where, image),
                    {self._table},
                    with_literals=self._with_literals,
                    with_digests=True,
                    checks_columns=False,
                    base=base,
                )
        return keys, digests

    # ---- reading

    def _read(
        self,
        add: AddDeeds,
        where: Condition | None,
        tables: set[Key] | None,
        *,
        with_literals: bool = False,
        with_digests: bool = False,
        checks_columns: bool = True,
        base: Base | None = None,
        is_first_pass: bool = False,
    ) -> Changes:
        """Read all logs, or a base, with the condition on rows; one that is not judged for an image drops that."""

        def note_table(table: LoggedTable) -> None:
            if base is None:
                self._reader = table.reader
            if where is not None and checks_columns:
                self._check_columns(where, table)

        options = ViewOptions(
            view=ROWS.name,
            tables=None if tables is None else frozenset(tables),
            where=None if where is None else where.replace(drops_unknown=True),
            include_gtids=self._logs.include_gtids if base is None else None,
        )
        changes = Changes(
            self._table,
            add,
            note_table=note_table,
            with_literals=with_literals,
            with_digests=with_digests,
            takes_keyless=self._logs.base is not None,
            reader=None if base is None else self._reader,
            engines=self._engines,
        )
        if base is None:
            along, spans = self._logs.catalogs(), self._logs.spans
            again, self._reads = self._reads > 0 or is_first_pass, self._reads + (not is_first_pass)
        else:
            catalog, again = base.catalog, True
            along, spans = lambda _: catalog.copy(), [Span((base.log,))]
        feed = Feed(options, warn=self._logs.warn, counts_statements=False, is_first_pass=again)
        try:
            for span in spans:
                feed.catalog = along(span)
                read_changes(feed, options, changes, span)
        except Enough:
            pass
        except GapError as gap:
            gap.hint = ALL_LOGS
            raise
        changes.finish(lacks_keys=self._logs.base is not None and self._logs.base.lacks_keys)
        if base is None and feed.logs and not is_first_pass:
            self._end = str(self._logs.names[-1]), feed.logs[-1].size
        tally = feed.remarks.tally
        if tally is not None:
            error = tally.error()
            if error is not None:
                raise error
            self._skips_definitions = bool(tally.without)
            if tally.unclear:
                names = " and ".join(f"`{name}`" for name in tally.unclear)
                raise BinlogError(f"the order of {names} is not known here (its collation, its members or its sign)")
        return changes

    def _check_columns(self, where: Condition, table: LoggedTable) -> None:
        """Raise _OtherColumns if the condition is not about the key alone."""
        key = {name.lower() for name in table.key_names}
        names = [name.lower() for name in table.names]
        for column in columns_of(where.tree):
            name = column.name.lower()
            if name not in names and 0 < column.number <= len(names):
                name = names[column.number - 1]
            if name not in key:
                raise _OtherColumns

    # ---- the history of rows

    def history(self) -> Iterator[HistoryLine]:
        """Yield the changes of the rows, in the order in which they were committed.

        Raise BinlogError if the condition is not about the key alone.
        """
        lines: list[HistoryLine] = []
        assert self._where is not None

        def add(deeds: list[tuple[Deed, Origin | None]], end: End) -> None:
            lines.extend(history_line(deed, origin) for deed, origin in deeds)

        try:
            self._read(add, self._where, {self._table})
        except _OtherColumns:
            raise BinlogError("--history follows rows by their key: --where must be about its columns alone") from None
        if self._skips_definitions:
            self._read(lambda *_: None, None, {self._table}, is_first_pass=True)  # raises if columns have no names
            self._logs.warn(f"{self._label} lacks a column of the condition for a time: its changes then are left out")
        yield from lines


def history_line(deed: Deed, origin: Origin | None) -> HistoryLine:
    query = None if origin is None else origin.query
    if isinstance(deed, RowChange):
        before, after = deed.texts
        operation = "INSERT" if before is None else "DELETE" if after is None else "UPDATE"
        return HistoryLine(operation, before, after, query, origin)
    if isinstance(deed, Emptying):
        return HistoryLine("CREATE" if deed.was_made else "TRUNCATE", None, None, query, origin)
    if isinstance(deed, Alteration):
        return HistoryLine("ALTER", None, None, query, origin)
    assert isinstance(deed, Doubt)
    return HistoryLine("UNKNOWN", None, None, deed.reason, origin)


def dictionary(row: AsOfRow) -> dict[str, Any]:
    """Return a row, whose values are JSON texts, with Python's values, and what stands beside them."""
    origin = row.origin
    return {name: loads(value) for name, value in row.values.items()} | {
        "_state": row.state,
        "_missing": row.missing or None,
        "_gtid": origin and origin.gtid,
        "_commit_time": origin and origin.time,
        "_file": origin and origin.file,
        "_position": origin and origin.position,
    }
