"""Environment: where an expression finds the columns that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pybinlog.schema import error
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

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)

    def find(
        self, name: str, table: str = "", database: str = "", clause: str = "field list"
    ) -> tuple[int, int] | None:
        """The source and the column of a name, by their places. Raises error 1052 where there are several."""
        hits = [
            (place, column)
            for place, source in enumerate(self.sources)
            if (column := source.table.position(name)) is not None
            and (not table or source.alias.lower() == table.lower())
            and (not database or source.table.database.lower() == database.lower())
        ]
        if len(hits) > 1:
            raise error("NON_UNIQ", name, clause)
        return hits[0] if hits else None


@dataclass
class Environment:
    """One combination of rows, one of each source; `outer` is that of the query around.

    A row is None where an outer join has found none, and where those of its source are not reached yet. `aliases` are
    values of the select list, for ORDER BY; `group` are the rows that aggregate functions look at.
    """

    frame: Frame
    rows: list[Row | None]
    time_zone: str
    outer: Environment | None = None
    slots: list[int | None] = field(default_factory=list)
    aliases: dict[str, Value] = field(default_factory=dict)
    group: list[Environment] | None = None

    def value(self, name: str, table: str = "", database: str = "", clause: str = "field list") -> Value:
        """The value of a column. Raises error 1054."""
        environment: Environment | None = self
        while environment is not None:
            place = environment.frame.find(name, table, database, clause)
            if place is not None:
                row = environment.rows[place[0]]
                column = environment.frame.sources[place[0]].table.columns[place[1]]
                return None if row is None else load(row[place[1]], column, environment.time_zone)
            if not table and name.lower() in environment.aliases:
                return environment.aliases[name.lower()]
            environment = environment.outer
        raise error("BAD_FIELD", f"{table}.{name}" if table else name, clause)
