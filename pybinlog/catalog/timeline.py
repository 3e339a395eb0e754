"""Timelines: what a table is at each place of logs, worked out of their statements before any row is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.journal import Entry
from pybinlog.catalog.session import decoded, place, session_of
from pybinlog.catalog.tables import Key, Known, Unknown
from pybinlog.catalog.undo import undo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Cursor", "Statement", "Timeline", "backward", "forward"]

Place = tuple[int, int]
"""The number of a log among those that are read, and a position in it."""


@dataclass(frozen=True)
class Statement:
    """A statement of a log that may define tables; `arguments` are those of `Catalog.run`."""

    place: Place
    arguments: tuple[Any, ...]

    @property
    def where(self) -> str:
        return place(self.arguments[-2], self.arguments[-1])

    def run(self, definitions: Definitions) -> None:
        text, database, charset, collation, sql_mode, explicit, utf8mb4, thread, _, _ = self.arguments
        charset = charset or bytes(6)
        session = session_of(database, charset, collation, sql_mode, explicit, utf8mb4, thread, self.where)
        definitions.run(decoded(text, charset), session)


Found = Known | Unknown | None


@dataclass
class Timeline:
    """Tables as the logs begin, and what changes at which place, in order.

    `wrong` are tables of the dump that contradict a statement: what is said of them is not so.
    """

    first: dict[Key, Known | Unknown] = field(default_factory=dict)
    changes: list[tuple[Place, list[tuple[Key, Found]]]] = field(default_factory=list)
    wrong: set[Key] = field(default_factory=set)

    def holds(self, found: Found) -> bool:
        """Whether nothing contradicts what a table is said to be."""
        return isinstance(found, Known) and found.origin not in self.wrong


class Cursor:
    """What the tables of a timeline are at a place, and at later ones."""

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        self._tables = dict(timeline.first)
        self._next = 0

    def move_to(self, place: Place) -> None:
        changes = self.timeline.changes
        while self._next < len(changes) and changes[self._next][0] < place:
            for key, found in changes[self._next][1]:
                if found is None:
                    self._tables.pop(key, None)
                else:
                    self._tables[key] = found
            self._next += 1

    def get(self, key: Key) -> Found:
        return self._tables.get(key)


def forward(known: Definitions, statements: Sequence[Statement]) -> tuple[Timeline, list[list[Entry]]]:
    """Run the statements, from tables that are known before them; also the journal of each."""
    definitions = known.copy()
    tables = definitions.tables
    timeline = Timeline(dict(tables.items()))
    journal: list[list[Entry]] = []
    for statement in statements:
        tables.touched, definitions.journal = set(), []
        statement.run(definitions)
        journal.append(definitions.journal)
        if tables.touched:
            timeline.changes.append((statement.place, [(key, tables.get(key)) for key in sorted(tables.touched)]))
    timeline.wrong = definitions.wrong
    return timeline, journal


def backward(known: Definitions, statements: Sequence[Statement], journal: Sequence[list[Entry]]) -> Timeline:
    """Undo the statements, from tables that are known after them; `journal` is that of `forward`."""
    tables = dict(known.tables.items())
    wrong: set[Key] = set()
    changes: list[tuple[Place, list[tuple[Key, Found]]]] = []
    for statement, entries in zip(reversed(statements), reversed(journal), strict=True):
        after = dict(tables)
        for entry in reversed(entries):
            undo(tables, entry, statement.where, wrong)
        changed = [key for key in sorted({*after, *tables}) if after.get(key) is not tables.get(key)]
        if changed:
            changes.append((statement.place, [(key, after.get(key)) for key in changed]))
    return Timeline(tables, changes[::-1], wrong)
