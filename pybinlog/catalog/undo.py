"""Undoing: the tables before a statement, worked out of the tables after it.

RENAME and ADD of columns at the end are undone. What a statement has dropped, moved or given another type nobody can
tell from the definition after it, so before such a statement the table is not known. A definition that cannot be what
the statement left (it lacks a column that was added, or has one that was dropped) was not made after it.
"""

from __future__ import annotations

from dataclasses import replace

from pybinlog.catalog.journal import Altered, DatabaseDropped, DatabaseMade, Dropped, Entry, Lost, Made, Renamed
from pybinlog.catalog.tables import Key, Known, Unknown
from pybinlog.schema.charset import UNKNOWN
from pybinlog.schema.statement import AddColumn, AddKey, AlterTable, DropColumn, DropKey, ModifyColumn, RenameColumn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.schema.column import Column

__all__ = ["undo"]


class Contradiction(Exception):
    """The definition cannot be what the statement left."""


class CannotUndo(Exception):
    """What was there before the statement does not follow from what is there after it."""


def undo(tables: dict[Key, Known | Unknown], entry: Entry, where: str, wrong: set[Key]) -> None:
    """Make of the tables after a statement those before it.

    `where` is its place, as a part of a sentence. `wrong` gets the tables of the dump that contradict it.
    """
    if isinstance(entry, Made):
        if entry.replaces:
            tables[entry.key] = Unknown("CREATE OR REPLACE made it anew", where, origin_of(tables.get(entry.key)))
        elif not entry.keeps:
            tables.pop(entry.key, None)
    elif isinstance(entry, Dropped):
        found = tables.get(entry.key)
        contradict(found, wrong)
        tables[entry.key] = Unknown("it was dropped", where, origin_of(found))
    elif isinstance(entry, Altered):
        undo_alter(tables, entry, where, wrong)
    elif isinstance(entry, Renamed):
        found = tables.pop(entry.new, None)
        contradict(tables.get(entry.old), wrong)
        if isinstance(found, Known):
            database, name = entry.old
            tables[entry.old] = replace(found, table=replace(found.table, database=database, name=name))
        elif found is not None:
            tables[entry.old] = found
    elif isinstance(entry, Lost):
        for key in list(tables) if entry.key is None else [entry.key]:
            tables[key] = replace(entry.unknown, origin=origin_of(tables.get(key)))
    elif isinstance(entry, DatabaseMade):
        for key in [key for key in tables if key[0] == entry.name]:
            del tables[key]
    elif isinstance(entry, DatabaseDropped):
        for key in [key for key in tables if key[0] == entry.name]:
            contradict(tables[key], wrong)
            tables[key] = Unknown("its database was dropped", where, origin_of(tables[key]))


def contradict(found: Known | Unknown | None, wrong: set[Key]) -> None:
    """Note that a table of the dump is not as a statement left it."""
    origin = origin_of(found)
    if origin is not None:
        wrong.add(origin)


def origin_of(found: Known | Unknown | None) -> Key | None:
    return None if found is None else found.origin


def undo_alter(tables: dict[Key, Known | Unknown], entry: Altered, where: str, wrong: set[Key]) -> None:
    found = tables.get(entry.key)
    if not isinstance(found, Known):
        return
    try:
        columns = columns_before(found.table.columns, entry)
    except Contradiction:
        contradict(found, wrong)
    except CannotUndo as problem:
        tables[entry.key] = Unknown(str(problem), where, found.origin)
    else:
        tables[entry.key] = replace(found, table=replace(found.table, columns=columns))


def columns_before(columns: tuple[Column, ...], entry: Altered) -> tuple[Column, ...]:
    """The columns before ALTER TABLE. Raises Contradiction or CannotUndo."""
    statement = entry.statement
    after = [column.name.lower() for column in columns]
    check_against(statement, set(after))
    if statement.convert is not None:
        raise CannotUndo("a statement converted its character set")
    if statement.versioned is not None:
        raise CannotUndo("a statement added or dropped system versioning")
    added: list[AddColumn] = []
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
            added.append(action)
        elif isinstance(action, RenameColumn):
            if action.if_exists:
                raise CannotUndo(f"a statement may have renamed the column {action.old}")
            old_names[action.new.lower()] = action.old
    kept = len(columns) - len(added)
    for action, column in zip(added, columns[kept:], strict=True):
        declared = action.declaration.column(entry.settings, UNKNOWN)
        if (declared.name.lower(), declared.type) != (column.name.lower(), column.type):
            raise CannotUndo(f"a statement added the column {declared.name}, which is another one in the dump")
    return tuple(replace(column, name=old_names.get(column.name.lower(), column.name)) for column in columns[:kept])


def check_against(statement: AlterTable, after: set[str]) -> None:
    """Raise Contradiction if the columns cannot be those that the statement left."""
    made, gone = set(), set()
    for action in statement.actions:
        if isinstance(action, AddColumn):
            made.add(action.declaration.name.lower())
        elif isinstance(action, RenameColumn) and not action.if_exists:
            made.add(action.new.lower())
            gone.add(action.old.lower())
        elif isinstance(action, ModifyColumn) and not action.if_exists:
            made.add(action.declaration.name.lower())
            gone.add(action.name.lower())
        elif isinstance(action, DropColumn):
            gone.add(action.name.lower())
    if not made <= after or (gone - made) & after:
        raise Contradiction
