"""Undoing ALTER TABLE: the columns before a statement, worked out of those after it.

RENAME and ADD at the end are undone. The definition after a statement does not tell what it dropped, moved or gave
another type. A definition that cannot be what the statement left (it lacks a column that was added, or has one that was
dropped) was not made after it.
"""

from __future__ import annotations

from dataclasses import replace

from pybinlog.schema.column import Column, Settings
from pybinlog.schema.statement import AddColumn, AddKey, AlterTable, DropColumn, DropKey, ModifyColumn, RenameColumn
from pybinlog.schema.text import UNKNOWN


class Contradiction(Exception):
    """The definition cannot be what the statement left, or found."""


class CannotUndo(Exception):
    """The definition before the statement does not follow from the one after it."""


def columns_before(columns: tuple[Column, ...], statement: AlterTable, settings: Settings) -> tuple[Column, ...]:
    """Return the columns before ALTER TABLE. Raise Contradiction or CannotUndo."""
    check_result(columns, statement, settings)
    if statement.convert is not None:
        raise CannotUndo("a statement converted its character set")
    if statement.versioned is not None:
        raise CannotUndo("a statement added or dropped system versioning")
    added = 0
    old_names: dict[str, str] = {}
    for action in statement.actions:
        if isinstance(action, DropColumn):
            raise CannotUndo(f"a statement dropped the column {action.name}")
        if isinstance(action, ModifyColumn):
            raise CannotUndo(f"a statement changed the column {action.name}")
        if isinstance(action, (AddKey, DropKey)) or (isinstance(action, AddColumn) and action.keys):
            raise CannotUndo("a statement changed its primary key")
        if isinstance(action, AddColumn):
            if action.after is not None or action.if_not_exists:
                raise CannotUndo(f"a statement added the column {action.declaration.name} between others")
            added += 1
        elif isinstance(action, RenameColumn):
            if action.if_exists:
                raise CannotUndo(f"a statement may have renamed the column {action.old}")
            old_names[action.new.lower()] = action.old
    kept = columns[: len(columns) - added]
    return tuple(replace(column, name=old_names.get(column.name.lower(), column.name)) for column in kept)


def check_result(columns: tuple[Column, ...], statement: AlterTable, settings: Settings) -> None:
    """Raise Contradiction if the columns cannot be those that the statement left."""
    names = [column.name.lower() for column in columns]
    made, gone = set(), set()
    at_end: list[str] = []
    movers = sum(isinstance(one, AddColumn) or getattr(one, "after", None) is not None for one in statement.actions)
    for action in statement.actions:
        if isinstance(action, (AddColumn, ModifyColumn)):
            name = action.declaration.name.lower()
            if isinstance(action, ModifyColumn):
                if action.if_exists:
                    continue
                gone.add(action.name.lower())
            elif action.if_not_exists:
                continue
            made.add(name)
            if name not in names:
                raise Contradiction
            if action.declaration.column(settings, UNKNOWN).type != columns[names.index(name)].type:
                raise Contradiction
            if action.after is not None:
                check_place(names, name, action.after.lower(), alone=movers == 1)
            elif isinstance(action, AddColumn):
                at_end.append(name)
        elif isinstance(action, RenameColumn) and not action.if_exists:
            made.add(action.new.lower())
            gone.add(action.old.lower())
        elif isinstance(action, DropColumn):
            gone.add(action.name.lower())
    if not made <= set(names) or (gone - made) & set(names):
        raise Contradiction
    if at_end and movers == len(at_end) and names[-len(at_end) :] != at_end:
        raise Contradiction


def check_place(names: list[str], name: str, after: str, *, alone: bool) -> None:
    """Raise Contradiction if a column is not at its declared place: after another, or first ("").

    If the statement puts other columns somewhere, too, they may stand between.
    """
    if after and after not in names:
        raise Contradiction
    behind = names.index(name) - (names.index(after) + 1 if after else 0)
    if behind < 0 or (alone and behind > 0):
        raise Contradiction
