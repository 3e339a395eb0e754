"""Deeds: what changes the rows of one table, in the order of the logs; and what statements do to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pybinlog.asof.image import Image, Names, RowKey, Value
from pybinlog.asof.table import LoggedTable
from pybinlog.catalog.relations import ReadStatement, Relations
from pybinlog.schema.statement import (
    Action,
    AddColumn,
    AddKey,
    AlterTable,
    DropColumn,
    DropKey,
    ModifyColumn,
    RenameColumn,
)
from pybinlog.statement import Effect, LoggedStatement
from pybinlog.statement.effect import Altered, DatabaseDropped, Dropped, Emptied, Exchanged, Lost, Made, Renamed, Step
from pybinlog.statement.subjects import Subject, lower, subjects

Key: TypeAlias = tuple[str, str]

_LONGEST = 60
"""Characters of a statement that a message shows."""


class Origin(NamedTuple):
    """The place of a change: its log, its position, and what the logs say of its transaction.

    `time` is when that was committed, in microseconds since 1970 UTC.
    """

    file: str
    position: int
    gtid: str | None = None
    time: int | None = None
    thread: int | None = None
    query: str | None = None

    def __str__(self) -> str:
        return f"{self.file}, at {self.position}" + (f", {self.gtid}" if self.gtid else "")


@dataclass(frozen=True)
class RowChange:
    """A change of a row. `before` is None for an INSERT, `after` for a DELETE; so are their keys.

    `written` are the columns that an update may have changed: those of its after
    image, and those that may depend on them. `digests` stand for the images, for a condition that was asked of these.
    """

    before: Image | None
    after: Image | None
    key_before: RowKey | None
    key_after: RowKey | None
    table: LoggedTable
    written: frozenset[str]
    texts: tuple[str | None, str | None]
    digests: tuple[int | None, int | None]

    @property
    def values_of_keys(self) -> tuple[tuple[Value | None, ...] | None, tuple[Value | None, ...] | None]:
        """The values of the key before and after the change; these may differ for equal keys."""
        before = None if self.before is None else tuple(map(self.before.get, self.table.key_names))
        if self.after is None:
            return before, None
        after = self.after if self.before is None else {**self.before, **self.after}
        return before, tuple(map(after.get, self.table.key_names))

    @property
    def moves(self) -> bool:
        """True for an update that changes the values of the key."""
        before, after = self.values_of_keys
        return before is not None and after is not None and before != after


class Emptying(NamedTuple):
    """The table has no row after it. `was_made`: it is a new table."""

    was_made: bool


class Alteration(NamedTuple):
    """The columns that ALTER TABLE adds, drops, renames or changes, by their names before and after it, in lower case.

    `actions` are its changes of columns.
    """

    columns: frozenset[str]
    actions: tuple[Action, ...]


class Doubt(NamedTuple):
    """Rows may have changed in a way that the logs do not say. `forgets`: another table may have the name after it."""

    reason: str
    forgets: bool = False


Deed = RowChange | Emptying | Alteration | Doubt


def shown(text: bytes) -> str:
    """Return the beginning of a statement, in one line."""
    words = " ".join(text.decode("utf-8", "replace").split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."


class StatementDeeds:
    """Says what statements do to the table `key`."""

    def __init__(self, key: Key):
        self._key = key

    def of(self, read: ReadStatement, relations: Relations, generated: Names | None) -> Iterator[Deed]:
        """Yield the deeds of a statement.

        `generated` are the table's generated columns, in lower case; None if they are not known.
        """
        statement, effect, reached = read
        text = shown(statement.text)
        for step in effect.steps:
            is_lost = isinstance(step, Lost) and step.key is None
            if is_lost or any(self._is_it(subject, relations) for subject in subjects(step)):
                yield from self._of_step(step, effect, statement, text, generated)
        if effect.changed == ():
            return
        if reached is None or any(self._is_it(key, relations) for key in reached):
            yield Doubt(f"a statement may have changed its rows, and the logs do not say which: {text}")

    def _is_it(self, subject: Subject, relations: Relations) -> bool:
        key = self._key if subject[1] is not None else (self._key[0], None)
        return subject == key or (not relations.distinguishes_case and lower(subject) == lower(key))

    def _of_step(
        self, step: Step, effect: Effect, statement: LoggedStatement, text: str, generated: Names | None
    ) -> Iterator[Deed]:
        """Yield the deeds of a step that is about the table."""
        if isinstance(step, Made):
            if step.key != self._key:
                yield Doubt(f"another spelling of its name is made: {text}", forgets=True)
            elif not step.keeps:  # IF NOT EXISTS makes a table only if it has no row
                yield Emptying(True)
        elif isinstance(step, Dropped):
            yield Doubt(f"it was dropped: {text}", forgets=True)
        elif isinstance(step, DatabaseDropped):
            yield Doubt(f"its database was dropped: {text}", forgets=True)
        elif isinstance(step, Renamed):
            yield Doubt(f"it was renamed, or took another's name: {text}", forgets=True)
        elif isinstance(step, Emptied):
            if effect.verb.startswith("TRUNCATE"):
                yield Emptying(False)
            else:
                yield Doubt(f"rows were removed with their partition: {text}")
        elif isinstance(step, Exchanged):
            yield Doubt(f"rows changed places with those of another table: {text}")
        elif isinstance(step, Lost):
            yield Doubt(f"a statement is not understood: {text}", forgets=True)
        elif isinstance(step, Altered):
            yield from altered(step.statement, statement.text, text, generated)


def altered(alter: AlterTable, statement: bytes, text: str, generated: Names | None) -> Iterator[Deed]:
    """Yield what an ALTER TABLE does to rows."""
    ignores = re.search(rb"\bIGNORE\b", statement, re.IGNORECASE) is not None
    columns: set[str] = set()
    for action in alter.actions:
        if isinstance(action, AddColumn | ModifyColumn):
            columns.add(action.declaration.name.lower())
            if isinstance(action, ModifyColumn):
                columns.add(action.name.lower())
                if generated is None:
                    yield Doubt(f"columns were changed, and generated ones may follow them: {text}")
                    return
                columns |= set(generated)
            keys = action.keys
        elif isinstance(action, RenameColumn):
            columns |= {action.old.lower(), action.new.lower()}
            keys = ()
        elif isinstance(action, DropColumn):
            columns.add(action.name.lower())
            keys = ()
        else:
            keys = (action.key,) if isinstance(action, AddKey) else ()
        if any(key.primary for key in keys) or (isinstance(action, DropKey) and action.name.upper() == "PRIMARY"):
            yield Doubt(f"its primary key changed: {text}", forgets=True)
            return
    if ignores or alter.convert is not None or alter.versioned is not None:
        yield Doubt(f"its values may have changed: {text}")
    elif columns:
        yield Alteration(frozenset(columns), alter.actions)


def names_after(names: Names, actions: tuple[Action, ...]) -> Names:
    """Return the names of a table's columns after an ALTER TABLE, in their order as far as it says that."""
    renamed: dict[str, str] = {}
    dropped: set[str] = set()
    for action in actions:
        if isinstance(action, RenameColumn):
            renamed[action.old.lower()] = action.new
        elif isinstance(action, ModifyColumn):
            renamed[action.name.lower()] = action.declaration.name
        elif isinstance(action, DropColumn):
            dropped.add(action.name.lower())
    found = [renamed.get(name.lower(), name) for name in names if name.lower() not in dropped]
    for action in actions:
        if not isinstance(action, AddColumn) or action.declaration.name.lower() in map(str.lower, found):
            continue
        place = len(found)
        if action.after is not None:
            lowered = [name.lower() for name in found]
            place = lowered.index(action.after.lower()) + 1 if action.after.lower() in lowered else 0
        found.insert(place, action.declaration.name)
    return tuple(found)


def origin_of(cells: Mapping[str, Any], time: int | None) -> Origin:
    """Return the place of a change, by the columns of the view rows."""
    return Origin(cells["file"], cells["position"], cells["gtid"], time, cells["thread_id"], cells.get("query"))
