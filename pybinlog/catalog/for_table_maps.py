"""The part of a statement that rows and undo need: names and types of columns, the primary key, the engine."""

from dataclasses import replace
from typing import TypeVar

from pybinlog.schema import statement as definitions
from pybinlog.schema.column import PRIMARY, ROW_BOUNDS, Generated, Key, KeyPart
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.expression import Null

_OfTable = TypeVar("_OfTable", definitions.CreateTable, definitions.AlterTable)


def for_table_maps(statement: _OfTable) -> _OfTable:
    """Return the statement without what no row needs.

    Of keys only the primary one counts. Of a generated column, the expression is omitted.
    """
    if isinstance(statement, definitions.CreateTable):
        columns = tuple(map(_column, statement.columns))
        return statement.replace(columns=columns, keys=_primary(statement.keys), options=_options(statement.options))
    actions = tuple(action for action in map(_action, statement.actions) if action is not None)
    return statement.replace(actions=actions, options=_options(statement.options))


def _column(declaration: Declaration) -> Declaration:
    generated = _generated(declaration.generated)
    if not declaration.has_default and not declaration.auto_increment and generated == declaration.generated:
        return declaration
    return replace(declaration, default=None, has_default=False, auto_increment=False, generated=generated)


def _generated(generated: Generated | None) -> Generated | None:
    """Return a bound of MariaDB's row versions as it is, and drop other expressions: two wordings of one are the same
    column.
    """
    if generated is None:
        return None
    return Generated(Null(), generated.text if generated.text in ROW_BOUNDS else "", generated.stored)


def _primary(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    return tuple(replace(key, parts=tuple(KeyPart(part.column) for part in key.parts)) for key in keys if key.primary)


def _options(options: definitions.TableOptions) -> definitions.TableOptions:
    return definitions.TableOptions(charset=options.charset, collate=options.collate, engine=options.engine)


def _action(action: definitions.Action) -> definitions.Action | None:
    if isinstance(action, definitions.AddColumn | definitions.ModifyColumn):
        return action.replace(declaration=_column(action.declaration), keys=_primary(action.keys))
    if isinstance(action, definitions.AddKey):
        keys = _primary((action.key,))
        return definitions.AddKey(*keys) if keys else None
    if isinstance(action, definitions.DropKey):
        return action if action.name.upper() == PRIMARY else None
    return None if isinstance(action, definitions.SetDefault) else action
