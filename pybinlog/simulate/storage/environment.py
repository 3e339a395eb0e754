"""Where an expression finds the columns that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .convert import load
from .error import error
from .table import Table
from .value import Value

__all__ = ["Environment", "Frame", "Source"]


@dataclass
class Source:
    """A table of a FROM clause: a stored one, or the rows of a subquery.

    The rows of a stored table are as stored, and slots go with them; those of a subquery are values.
    """

    alias: str
    database: str | None
    columns: list[str]
    table: Table | None = None
    rows: list[tuple[int, tuple[Any, ...]]] = field(default_factory=list)
    hidden: frozenset[int] = frozenset()
    """Columns that `*` leaves out: invisible ones, and those that USING has joined."""

    def __post_init__(self) -> None:
        self.places = {name.lower(): index for index, name in enumerate(self.columns)}

    def value(self, row: tuple[Any, ...] | None, index: int, time_zone: str) -> Value:
        """The value of a column of one of its rows; None for the row that an outer join has not found."""
        if row is None:
            return None
        return load(row[index], self.table.columns[index], time_zone) if self.table is not None else row[index]


class Frame:
    """The sources of one SELECT, UPDATE or DELETE."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)
        self._found: dict[tuple[str, str, str], tuple[int, int] | None] = {}

    def find(
        self, name: str, table: str = "", database: str = "", clause: str = "field list"
    ) -> tuple[int, int] | None:
        """The source and the column of a name, by their places. Raises error 1052 where there are several."""
        wanted = (name.lower(), table.lower(), database.lower())
        if wanted not in self._found:
            hits = [
                (place, source.places[wanted[0]])
                for place, source in enumerate(self.sources)
                if wanted[0] in source.places
                and (not table or source.alias.lower() == wanted[1])
                and (not database or (source.database or "").lower() == wanted[2])
            ]
            shown = [hit for hit in hits if hit[1] not in self.sources[hit[0]].hidden or len(hits) == 1]
            if len(shown) > 1:
                raise error("NON_UNIQ", name, clause)
            self._found[wanted] = next(iter(shown or hits), None)
        return self._found[wanted]


@dataclass
class Environment:
    """One combination of rows, one of each source; `outer` is that of the query around."""

    frame: Frame
    rows: list[tuple[Any, ...] | None]
    time_zone: str
    outer: Environment | None = None
    slots: list[int | None] = field(default_factory=list)
    aliases: dict[str, Value] = field(default_factory=dict)
    """Values of the select list by alias, for GROUP BY, HAVING and ORDER BY."""
    group: list[Environment] | None = None
    """The rows that aggregate functions look at."""

    def value(self, name: str, table: str = "", database: str = "", clause: str = "field list") -> Value:
        """The value of a column. Raises error 1054."""
        environment: Environment | None = self
        while environment is not None:
            place = environment.frame.find(name, table, database, clause)
            if place is not None:
                source = environment.frame.sources[place[0]]
                return source.value(environment.rows[place[0]], place[1], environment.time_zone)
            if not table and name.lower() in environment.aliases:
                return environment.aliases[name.lower()]
            environment = environment.outer
        raise error("BAD_FIELD", ".".join(filter(None, (table, name))), clause)
