"""Alteration: a table's definition on its way to the one that ALTER TABLE makes of it."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.layout import ColumnType
from pybinlog.schema.column import Column
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.error import SqlError, error
from pybinlog.schema.key import Key
from pybinlog.schema.settings import Settings
from pybinlog.schema.statement import (
    Action,
    AddColumn,
    AddKey,
    AlterTable,
    DropColumn,
    DropKey,
    ModifyColumn,
    RenameColumn,
    SetDefault,
    TableOptions,
)
from pybinlog.schema.table import TableDefinition, collation_of, engine_of, finish


def alter(
    table: TableDefinition, statement: AlterTable, settings: Settings
) -> tuple[TableDefinition, list[int | None]]:
    """The definition after ALTER TABLE, and for each of its columns which one of `table` it was; None for a new one.

    The table's new name, if it gets one, is left to the caller. Raises SqlError as the server would (1054, 1060, 1061,
    1068, 1072, 1075, 1091, 1115, 1273, 1286) and UnsupportedStatement.
    """
    options = statement.options
    alteration = _Alteration(table, settings)
    alteration.collation = collation_of(options.charset, options.collate, table.collation, settings)
    if statement.convert is not None:
        alteration.convert(statement.convert)
    for action in statement.actions:
        alteration.apply(action)
    columns, keys = finish(alteration.columns, alteration.keys)
    changed = replace(
        table,
        columns=columns,
        keys=keys,
        collation=alteration.collation,
        engine=engine_of(options.engine) if options.engine else table.engine,
        comment=table.comment if options.comment is None else options.comment,
        auto_increment=options.auto_increment or 1,
    )
    return changed, alteration.origins


class _Alteration:
    """The columns and keys so far, and where each column comes from."""

    def __init__(self, table: TableDefinition, settings: Settings) -> None:
        self.table = table
        self.settings = settings
        self.columns: list[Column] = list(table.columns)
        self.origins: list[int | None] = list(range(len(table.columns)))
        self.keys: list[Key] = list(table.keys)
        self.collation = table.collation

    def convert(self, options: TableOptions) -> None:
        """Give all text another character set. How long a TEXT is then is not known: length_bytes 0."""
        self.collation = collation_of(options.charset, options.collate, self.collation, self.settings)
        for place, column in enumerate(self.columns):
            if column.is_text or column.members:
                length = 0 if column.type == ColumnType.BLOB else column.length_bytes
                self.columns[place] = replace(column, collation=self.collation, length_bytes=length)

    def apply(self, action: Action) -> None:
        """Make one change."""
        if self._is_void(action):
            return
        if isinstance(action, AddColumn):
            self._add(action)
        elif isinstance(action, ModifyColumn):
            self._modify(action)
        elif isinstance(action, RenameColumn):
            place = self._place(action.old)
            self.columns[place] = replace(self.columns[place], name=action.new)
            self._rename_in_keys(action.old, action.new)
        elif isinstance(action, DropColumn):
            self._drop_column(action.name)
        elif isinstance(action, SetDefault):
            place = self._place(action.column)
            has_default = action.default is not None
            self.columns[place] = replace(self.columns[place], default=action.default, has_default=has_default)
        elif isinstance(action, AddKey):
            self.keys.append(action.key)
        elif isinstance(action, DropKey):
            self._drop_key(action.name)

    def _is_void(self, action: Action) -> bool:
        """Whether IF EXISTS or IF NOT EXISTS leaves all as it is."""
        if isinstance(action, AddColumn) and action.if_not_exists:
            return self._has(action.declaration.name)
        if isinstance(action, ModifyColumn | DropColumn) and action.if_exists:
            return not self._has(action.name)
        return isinstance(action, RenameColumn) and action.if_exists and not self._has(action.old)

    def _has(self, name: str) -> bool:
        return any(column.name.lower() == name.lower() for column in self.columns)

    def _place(self, name: str) -> int:
        """The place of a column. Raises error 1054."""
        for place, column in enumerate(self.columns):
            if column.name.lower() == name.lower():
                return place
        raise error("BAD_FIELD", name, self.table.name)

    def _made(self, declaration: Declaration) -> Column:
        return declaration.column(self.settings, self.collation)

    def _insert(self, column: Column, origin: int | None, after: str | None, otherwise: int) -> None:
        place = otherwise if after is None else self._place(after) + 1 if after else 0
        self.columns.insert(place, column)
        self.origins.insert(place, origin)

    def _add(self, action: AddColumn) -> None:
        column = self._made(action.declaration)
        if self._has(column.name):
            raise error("DUP_FIELDNAME", column.name)
        self._insert(column, None, action.after, len(self.columns))
        self.keys += action.keys

    def _modify(self, action: ModifyColumn) -> None:
        place = self._place(action.name)
        column, origin = self._made(action.declaration), self.origins[place]
        if any(key.primary and key.has(action.name) for key in self.keys):
            column = replace(column, nullable=False)
        del self.columns[place], self.origins[place]
        self._insert(column, origin, action.after, place)
        self._rename_in_keys(action.name, column.name)
        self.keys += action.keys

    def _rename_in_keys(self, old: str, new: str) -> None:
        self.keys = [
            replace(
                key,
                parts=tuple(replace(p, column=new) if p.column.lower() == old.lower() else p for p in key.parts),
            )
            for key in self.keys
        ]

    def _drop_column(self, name: str) -> None:
        try:
            place = self._place(name)
        except SqlError as problem:
            raise error("CANT_DROP_FIELD_OR_KEY", name) from problem
        del self.columns[place], self.origins[place]
        kept = [
            replace(key, parts=tuple(part for part in key.parts if part.column.lower() != name.lower()))
            for key in self.keys
        ]
        self.keys = [key for key in kept if key.parts]

    def _drop_key(self, name: str) -> None:
        if not any(key.name.lower() == name.lower() for key in self.keys):
            raise error("CANT_DROP_FIELD_OR_KEY", name)
        self.keys = [key for key in self.keys if key.name.lower() != name.lower()]
