"""Deeds: what changes the rows of one table, in the order of the logs; and what statements do to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from pybinlog.asof.image import Image, Names, RowKey
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
REASONS: dict[type, str] = {
    Dropped: "it was dropped",
    DatabaseDropped: "its database was dropped",
    Renamed: "it was renamed, or took another's name",
    Emptied: "rows were removed with their partition",
    Exchanged: "rows changed places with those of another table",
    Lost: "a statement is not understood",
}
"""By step of a statement, why the logs do not tell the rows after it."""


class Rename(NamedTuple):
    """A table has another name from that place in the logs on: the number of a log, and a position."""

    place: tuple[int, int]
    old: Key
    new: Key


def names_in_logs(key: Key, renames: Sequence[Rename], place: tuple[int, int]) -> tuple[Key, ...]:
    """Return the names that a table has in logs, one after the other; `key` is that at a place."""
    names = [key]
    for rename in reversed(renames):
        if rename.place < place and rename.new == names[0]:
            names.insert(0, rename.old)
    for rename in renames:
        if rename.place >= place and rename.old == names[-1]:
            names.append(rename.new)
    return tuple(names)


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


class RowImage(NamedTuple):
    """A row before or after a change: its values as far as they are known, its key, and its logged image as JSON.

    `verdict` is what the condition of the question says of it; None without one, or if the image does not tell.
    """

    values: Image
    key: RowKey
    text: str = ""
    verdict: bool | None = None


class RowChange(NamedTuple):
    """A change of a row. `before` is None for an INSERT, `after` for a DELETE.

    `written` are the columns that an update may have changed: those of its after image, and those that may depend on
    them.
    """

    before: RowImage | None
    after: RowImage | None
    table: LoggedTable
    written: frozenset[str]

    @property
    def moves(self) -> bool:
        """True for an update that changes the values of the key; these may differ for equal keys."""
        if self.before is None or self.after is None:
            return False
        old, new = self.before.values, self.after.values
        return any(name in new and new[name] != old.get(name) for name in self.table.key_names)


class Emptying(NamedTuple):
    """The table has no row after it. `was_made`: it is a new table."""

    was_made: bool


class Alteration(NamedTuple):
    """An ALTER TABLE: `actions` are its changes of columns; `columns` those that may have other values, in lower case.

    The latter have their names before it and after it.
    """

    columns: frozenset[str]
    actions: tuple[Action, ...]

    @property
    def names(self) -> list[tuple[str, str]]:
        """The columns that it adds, drops, renames or changes, by their names before and after it; "" for none."""
        return [names for action in self.actions if any(names := names_of(action))]

    def after(self, names: Names) -> Names:
        """Return the names of a table's columns after it, in their order as far as it says that."""
        renamed = {old.lower(): new for old, new in self.names if old}
        found = [new for name in names if (new := renamed.get(name.lower(), name))]
        for action in self.actions:
            if not isinstance(action, AddColumn) or action.declaration.name.lower() in map(str.lower, found):
                continue
            place = len(found)
            if action.after is not None:
                lowered = [name.lower() for name in found]
                place = lowered.index(action.after.lower()) + 1 if action.after.lower() in lowered else 0
            found.insert(place, action.declaration.name)
        return tuple(found)


def names_of(action: Action) -> tuple[str, str]:
    """Return the name of the column that an action is about, before it and after it; "" for none."""
    if isinstance(action, AddColumn):
        return "", action.declaration.name
    if isinstance(action, ModifyColumn):
        return action.name, action.declaration.name
    if isinstance(action, RenameColumn):
        return action.old, action.new
    return (action.name, "") if isinstance(action, DropColumn) else ("", "")


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
    """Says what statements do to a table. `names` are those that RENAME TABLE gives it, `key` the one that it has."""

    def __init__(self, names: Sequence[Key]):
        self.key, *self._names = names

    def of(self, read: ReadStatement, relations: Relations, generated: Names | None) -> Iterator[Deed]:
        """Yield the deeds of a statement.

        `generated` are the table's generated columns, in lower case; None if they are not known.
        """
        statement, effect, reached = read
        text = shown(statement.text)
        for step in effect.steps:
            if self._names and step == Renamed(self.key, self._names[0]):
                self.key = self._names.pop(0)
                continue
            is_lost = isinstance(step, Lost) and step.key is None
            if is_lost or any(self._is_it(subject, relations) for subject in subjects(step)):
                yield from self._of_step(step, effect, statement, text, generated)
        if effect.changed == ():
            return
        if reached is None or any(self._is_it(key, relations) for key in reached):
            yield Doubt(f"a statement may have changed its rows, and the logs do not say which: {text}")

    def _is_it(self, subject: Subject, relations: Relations) -> bool:
        key = self.key if subject[1] is not None else (self.key[0], None)
        return subject == key or (not relations.distinguishes_case and lower(subject) == lower(key))

    def _of_step(
        self, step: Step, effect: Effect, statement: LoggedStatement, text: str, generated: Names | None
    ) -> Iterator[Deed]:
        """Yield the deeds of a step that is about the table."""
        if isinstance(step, Altered):
            yield from altered(step.statement, statement.text, text, generated)
        elif isinstance(step, Made):
            if step.key != self.key:
                yield Doubt(f"another spelling of its name is made: {text}", forgets=True)
            elif not step.keeps:  # IF NOT EXISTS makes a table only if it has no row
                yield Emptying(True)
        elif isinstance(step, Emptied) and effect.verb.startswith("TRUNCATE"):
            yield Emptying(False)
        elif (reason := REASONS.get(type(step))) is not None:
            yield Doubt(f"{reason}: {text}", forgets=not isinstance(step, Emptied | Exchanged))


def altered(alter: AlterTable, statement: bytes, text: str, generated: Names | None) -> Iterator[Deed]:
    """Yield what an ALTER TABLE does to rows."""
    ignores = re.search(rb"\bIGNORE\b", statement, re.IGNORECASE) is not None
    modifies = any(isinstance(action, ModifyColumn) for action in alter.actions)
    if any(map(changes_primary_key, alter.actions)):
        yield Doubt(f"its primary key changed: {text}", forgets=True)
    elif modifies and generated is None:
        yield Doubt(f"columns were changed, and generated ones may follow them: {text}")
    elif ignores or alter.convert is not None or alter.versioned is not None:
        yield Doubt(f"its values may have changed: {text}")
    elif columns := {name.lower() for action in alter.actions for name in names_of(action) if name}:
        yield Alteration(frozenset(columns.union(generated or () if modifies else ())), alter.actions)


def changes_primary_key(action: Action) -> bool:
    if isinstance(action, DropKey):
        return action.name.upper() == "PRIMARY"
    keys = action.keys if isinstance(action, AddColumn | ModifyColumn) else ()
    return any(key.primary for key in ((action.key,) if isinstance(action, AddKey) else keys))


def origin_of(cells: Mapping[str, Any], gtid: str | None, time: int | None) -> Origin:
    """Return the place of a change, by the columns of the view rows and what is known of its transaction."""
    return Origin(cells["file"], cells["position"], gtid, time, cells["thread_id"], cells.get("query"))
