"""Timelines: the tables at each place of the logs, from their statements, before pybinlog reads any row."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.catalog.definitions import Definitions
from pybinlog.catalog.relations import Relations
from pybinlog.catalog.tables import GONE, Known, Unknown
from pybinlog.schema.column import Settings
from pybinlog.statement import Key, LoggedStatement
from pybinlog.statement.effect import Step as Entry

Place = tuple[int, int]
"""The number of a log among those that are read, and a position in it."""
Found = Known | Unknown | None


class Statement(NamedTuple):
    """A statement of a log that may define tables, and its place."""

    place: Place
    logged: LoggedStatement


@dataclass
class Timeline:
    """Tables as the logs begin, and what changes at which place, in order."""

    first: dict[Key, Known | Unknown] = field(default_factory=dict)
    changes: list[tuple[Place, list[tuple[Key, Found]]]] = field(default_factory=list)
    relations: Relations = field(default_factory=Relations)
    """As the logs begin."""
    followed: list[tuple[Place, Entry]] = field(default_factory=list)
    """The steps of the logs' statements that change relations."""


class Cursor:
    """Read a timeline forward: the tables at a place, then at later ones."""

    def __init__(self, timeline: Timeline):
        self.timeline = timeline
        self._tables = dict(timeline.first)
        self._next = 0

    def move_to(self, place: Place) -> None:
        """Take what statements before the place have changed."""
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


class Step(NamedTuple):
    """One thing that a statement does, and its table after it, if the log alone says what that is."""

    entry: Entry
    statement: Statement
    after: Found
    settings: Settings


def of_log(statements: Sequence[Statement]) -> tuple[Timeline, list[Step]]:
    """Run the statements without a dump: what is certain, and all that they do."""
    definitions = Definitions()
    tables, relations = definitions.tables, definitions.relations
    timeline = Timeline()
    steps: list[Step] = []
    for statement in statements:
        tables.touched, definitions.journal = set(), []
        relations.journal = []
        definitions.run_logged(statement.logged)
        timeline.followed += [(statement.place, step) for step in relations.journal]
        settings = statement.logged.session.settings
        for entry in definitions.journal:
            key = getattr(entry, "key", None)
            steps.append(Step(entry, statement, None if key is None else tables.get(key), settings))
        if tables.touched:
            gone = Unknown(GONE, statement.logged.where)
            found = [(key, gone if definitions.is_gone(key) else tables.get(key)) for key in sorted(tables.touched)]
            timeline.changes.append((statement.place, found))
    return timeline, steps
