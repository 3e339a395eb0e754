"""Alteration: a table's definition on its way to the one that ALTER TABLE makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pybinlog.column_types import ColumnType
from pybinlog.schema import statement
from pybinlog.schema.column import Column, Key, Settings
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.error import SqlError, error
from pybinlog.schema.table import TableDefinition, collation_of, engine_of, finish


def alter(
    table: TableDefinition, change: statement.AlterTable, settings: Settings
) -> tuple[TableDefinition, list[int | None]]:
    """Return the definition after ALTER TABLE, and for each of its columns which one of `table` it was; None for a new
    one.

    The table's new name, if it gets one, is left to the caller. Raise SqlError as the server would (1054, 1060, 1061,
    1068, 1072, 1075, 1091, 1115, 1273, 1286) and UnsupportedStatement.
    """
    options = change.options
    alteration = _Alteration(table, settings)
    alteration.collation = collation_of(options.charset, options.collate, table.collation, settings)
    if change.convert is not None:
        converted = change.convert
        alteration.collation = collation_of(converted.charset, converted.collate, alteration.collation, settings)
    alteration.apply(change.actions)
    if change.convert is not None:
        alteration.convert()
    columns, keys = finish([place.column for place in alteration.places], alteration.keys)
    changed = replace(
        table,
        columns=columns,
        keys=keys,
        collation=alteration.collation,
        engine=engine_of(options.engine) if options.engine else table.engine,
        comment=table.comment if options.comment is None else options.comment,
        auto_increment=options.auto_increment or 1,
    )
    return changed, [place.origin for place in alteration.places]


@dataclass
class _Place:
    """A column, where it comes from, and its name before the statement; "" for a new one."""

    column: Column
    origin: int | None = None
    old_name: str = ""


class _Alteration:
    """The columns and keys so far.

    The server takes all changes of a statement at once: what is dropped, renamed or changed is called by its old name,
    so that two columns can swap names; then columns are added and moved, in order, and called by the new names: AFTER
    may name a column that is moved later.
    """

    def __init__(self, table: TableDefinition, settings: Settings) -> None:
        self.table = table
        self.settings = settings
        self.places = [_Place(column, place, column.name) for place, column in enumerate(table.columns)]
        self.keys: list[Key] = list(table.keys)
        self.collation = table.collation

    def convert(self) -> None:
        """Give all text the table's character set, whatever its declaration says.

        How long a TEXT is then is not known: length_bytes 0.
        """
        for place in self.places:
            column = place.column
            if column.is_text or column.members:
                length = 0 if column.type == ColumnType.BLOB else column.length_bytes
                place.column = replace(column, collation=self.collation, length_bytes=length)

    def apply(self, actions: Sequence[statement.Action]) -> None:
        """Make all changes."""
        actions = [action for action in actions if not self._is_void(action)]
        changed: dict[str, _Place] = {}
        for action in actions:
            self._change(action, changed)
        for action in actions:
            if isinstance(action, statement.AddColumn):
                self._insert(_Place(self._made(action.declaration)), action.after)
            elif isinstance(action, statement.ModifyColumn) and action.after is not None:
                moved = changed[action.name.lower()]
                self.places.remove(moved)
                self._insert(moved, action.after)
        self._keep_own_key_first()
        self._change_keys(actions)

    def _change(self, action: statement.Action, changed: dict[str, _Place]) -> None:
        """Change or drop a column that is there; one that gets another place stays until its turn."""
        if isinstance(action, statement.ModifyColumn):
            changed[action.name.lower()] = place = self._place(action.name)
            place.column = self._made(action.declaration)
        elif isinstance(action, statement.RenameColumn):
            place = self._place(action.old)
            place.column = replace(place.column, name=action.new)
        elif isinstance(action, statement.DropColumn):
            try:
                self.places.remove(self._place(action.name))
            except SqlError as problem:
                raise error("CANT_DROP_FIELD_OR_KEY", action.name) from problem
        elif isinstance(action, statement.SetVisibility):
            place = self._place(action.column)
            place.column = replace(place.column, visible=action.visible)
        elif isinstance(action, statement.SetDefault):
            place = self._place(action.column)
            has_default = action.default is not None
            place.column = replace(place.column, default=action.default, has_default=has_default)

    def _is_void(self, action: statement.Action) -> bool:
        """Return True if IF EXISTS or IF NOT EXISTS leaves all as it is."""
        if isinstance(action, statement.AddColumn) and action.if_not_exists:
            return self._has(action.declaration.name)
        if isinstance(action, statement.ModifyColumn | statement.DropColumn) and action.if_exists:
            return not self._has(action.name)
        return isinstance(action, statement.RenameColumn) and action.if_exists and not self._has(action.old)

    def _has(self, name: str) -> bool:
        return self.table.position(name) is not None

    def _place(self, name: str) -> _Place:
        """Return a column by its old name. Raise error 1054."""
        for place in self.places:
            if place.old_name.lower() == name.lower():
                return place
        raise error("BAD_FIELD", name, self.table.name)

    def _made(self, declaration: Declaration) -> Column:
        return declaration.column(self.settings, self.collation)

    def _keep_own_key_first(self) -> None:
        """Put the primary key that MySQL made itself (my_row_id) before all other columns, wherever it is."""
        if not self.table.columns or not self._is_own_key(self.table.columns[0]):
            return
        for place in self.places:
            if place.origin == 0:
                self.places.remove(place)
                self.places.insert(0, place)
                return

    def _is_own_key(self, column: Column) -> bool:
        is_number = column.type == ColumnType.LONGLONG and column.unsigned
        keys = [[part.column for part in key.parts] for key in self.table.keys if key.primary]
        return column.name == "my_row_id" and is_number and not column.visible and keys == [["my_row_id"]]

    def _insert(self, made: _Place, after: str | None) -> None:
        """Put a column at the end (None), first ("") or after another, by its new name. Raise error 1054."""
        if not after:
            self.places.insert(len(self.places) if after is None else 0, made)
            return
        for place, other in enumerate(self.places):
            if other.column.name.lower() == after.lower():
                self.places.insert(place + 1, made)
                return
        raise error("BAD_FIELD", after, self.table.name)

    def _change_keys(self, actions: Sequence[statement.Action]) -> None:
        """Let keys follow the names of their columns, and lose those that were dropped."""
        names = {place.old_name.lower(): place.column.name for place in self.places}
        for action in actions:
            if isinstance(action, statement.DropKey):
                self._drop_key(action.name)
        kept = [
            replace(
                key,
                parts=tuple(
                    replace(part, column=names[part.column.lower()])
                    for part in key.parts
                    if part.column.lower() in names
                ),
            )
            for key in self.keys
        ]
        self.keys = [key for key in kept if key.parts]
        for action in actions:
            if isinstance(action, statement.AddKey):
                self.keys.append(action.key)
            elif isinstance(action, statement.AddColumn | statement.ModifyColumn):
                self.keys += action.keys

    def _drop_key(self, name: str) -> None:
        if not any(key.name.lower() == name.lower() for key in self.keys):
            raise error("CANT_DROP_FIELD_OR_KEY", name)
        self.keys = [key for key in self.keys if key.name.lower() != name.lower()]
