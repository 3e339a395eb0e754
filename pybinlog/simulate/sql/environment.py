"""Environment: where an expression finds the columns that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pybinlog.schema import error
from pybinlog.schema.expression import Name
from pybinlog.simulate.tables.table import Row, Table
from pybinlog.values.convert import load
from pybinlog.values.value import Value


@dataclass
class Source:
    """A table of a FROM clause, and the rows of it that the statement sees, with their slots."""

    alias: str
    table: Table
    rows: list[tuple[int, Row]] = field(default_factory=list)


class Frame:
    """The sources of one SELECT, UPDATE or DELETE."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self.sources = list(sources)

    def find(self, name: Name, clause: str = "field list") -> tuple[int, int]:
        """Return the source and the column of a name, by their places. Raise errors 1052 and 1054."""
        hits = [
            (place, column)
            for place, source in enumerate(self.sources)
            if (column := source.table.position(name.column)) is not None
            and name.table.lower() in ("", source.alias.lower())
            and name.database.lower() in ("", source.table.database.lower())
        ]
        if not hits:
            raise error("BAD_FIELD", f"{name.table}.{name.column}" if name.table else name.column, clause)
        if len(hits) > 1:
            raise error("NON_UNIQ", name.column, clause)
        return hits[0]


@dataclass
class Environment:
    """One combination of rows, one of each source, with their slots; of the first ones while rows are still joined."""

    frame: Frame
    time_zone: str
    rows: tuple[Row, ...] = ()
    slots: tuple[int, ...] = ()

    def value(self, name: Name, clause: str) -> Value:
        """Return the value of a column. Raise errors 1052 and 1054."""
        place, index = self.frame.find(name, clause)
        return load(self.rows[place][index], self.frame.sources[place].table.columns[index], self.time_zone)

    def with_row(self, place: int, row: Row) -> Environment:
        """Return the same with another row of one source."""
        rows = (*self.rows[:place], row, *self.rows[place + 1 :])
        return Environment(self.frame, self.time_zone, rows, self.slots)
