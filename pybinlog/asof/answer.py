"""RowsAsOf: the rows of one table at a moment."""

from __future__ import annotations

from dataclasses import replace
from json import loads
from typing import NamedTuple

from pybinlog.asof.changes import OtherColumnsError, Pass, Question
from pybinlog.asof.deeds import names_in_logs
from pybinlog.asof.fold import Fold, State
from pybinlog.asof.folding import END, Folding, Place
from pybinlog.asof.reading import Reading
from pybinlog.asof.share import IndivisibleError
from pybinlog.asof.where import about_one_image
from pybinlog.catalog import Coordinates
from pybinlog.source.log_series import LogName
from pybinlog.visible import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pybinlog.asof.base import Base
    from pybinlog.asof.deeds import Key, Origin, RowChange
    from pybinlog.asof.fold import Entry
    from pybinlog.asof.image import Image, Names, RowKey
    from pybinlog.asof.moment import Moment
    from pybinlog.asof.reading import Logs
    from pybinlog.asof.table import LoggedTable
    from pybinlog.where import Condition

MOST_DOUBTS = 3


class AsOfRow(NamedTuple):
    """A row at a moment. `state` is present, deleted or unknown; `values` are JSON texts or SQL literals, by column.

    `missing` are columns whose values the logs do not tell. `origin` is the last change before the moment.
    """

    state: str
    values: Image
    missing: list[str]
    origin: Origin | None


class _MovedError(Exception):
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
        self._keeps_unjudged = keeps_unjudged
        self._question = Question(table, where, with_literals)
        self.reading = Reading(logs, self._question)
        self._base_place = END
        self._has_engines = False
        """All logs were read for tables of engines without transactions."""
        self._undefined: list[Key] = []

    def rows(self) -> Iterator[AsOfRow]:
        """Yield the rows, as `keyed_rows`."""
        for _, row in self.keyed_rows():
            yield row

    def keyed_rows(self) -> Iterator[tuple[RowKey, AsOfRow]]:
        """Yield the rows, each with what the collations of its key compare.

        Raise BinlogError if the logs cannot be read, or do not tell the table's rows apart.
        """
        names, share = self._logs.names, self._logs.share
        remarks: list[str] = []
        place = (None if self._moment is None else self._moment.find(names, remarks.append)) or END
        if self._logs.base is not None:
            self._base_place = self._logs.base.moment.find(names, lambda _: None) or END
        try:
            fold = self._folded(place)
        except IndivisibleError:
            assert share is not None
            if share.number:
                return
            self._logs = replace(self._logs, share=None)
            fold = self._folded(place)
        for remark in remarks:  # those about the moment mean nothing if the logs cannot be read
            self._logs.warn(remark)
        entries = list(fold.rows(keeps_unjudged=self._keeps_unjudged))
        self._note(fold)
        self.names = fold.names or tuple(dict.fromkeys(name for _, entry in entries for name in entry.columns))
        self.table = fold.table
        if fold.is_complete and self._where is None:
            log, position = self.reading.end if place is END else (str(names[place[0]]), place[1])
            self.coordinates = Coordinates(LogName.of(log).base, position)
        for key, entry in entries:
            yield key, self._row(entry)
        if entries or share is not None:
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
        for count, what in (
            (fold.contradictions, f"of {self._label} changed in a way that these logs do not hold: they are unknown"),
            (fold.differing, f"of {self._label} that changed after that moment are otherwise now than these logs say"),
            (fold.unjudged, "could not be judged: their values are put together, or unknown"),
        ):
            if count:
                warn(f"{counted(count, 'row')} {what}")
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

    def _folded(self, place: Place) -> Fold:
        """Return the fold of the rows that may meet the condition: it is left to the kernel if that can be."""
        try:
            return self._fold(place, Pass.KEPT)
        except (_MovedError, OtherColumnsError):
            return self._fold(place, Pass.JUDGED)

    def _fold(self, place: Place, way: Pass) -> Fold:
        reading, question = self.reading, self._question
        tables: set[Key] | None = {self._table, *question.names}

        def read_base(base: Base, add: Callable[[RowChange], object]) -> None:
            reading.read_base(base, add, way)

        while True:
            known_engines = len(question.engines)
            folding = Folding(
                self._logs,
                place,
                self._base_place,
                read_base,
                time=None if self._moment is None or place is END else self._moment.time,
                asked=question.asked if way is Pass.JUDGED else None,
            )
            changes = reading.read(folding.add, tables, way)
            names = names_in_logs(self._table, reading.renames(changes), place)
            if self._logs.base is None and names != question.names:
                question.names = names
                tables = tables and tables.union(names)
                continue
            fold = folding.finish()
            were_read = tables
            if tables is not None:
                tables = None if changes.has_any_ancestor else tables | changes.ancestors
            leaves_out = way is Pass.KEPT and self._where is not None
            if leaves_out and (tables != were_read or fold.moves or reading.skips_definitions):
                raise _MovedError
            self._undefined = changes.undefined
            if changes.has_cascades and not self._has_engines:
                self._has_engines = True
                reading.look(were_read)
            if tables == were_read and len(question.engines) == known_engines:
                return fold


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
