"""ALTER TABLE, CREATE INDEX and DROP INDEX."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from .charset import named_collation
from .column import Column
from .convert import load, store
from .create import column_keys, finished_keys
from .definition import Definer, key_of, key_part
from .drop import move
from .error import error
from .execution import Execution
from .insert import duplicate_entry
from .row import default_of
from .table import ENGINES, Key, Table
from .transaction import Row

__all__ = ["alter_table", "create_index", "drop_index"]


class _Alteration:
    """A table's definition on its way to another one."""

    def __init__(self, execution: Execution, table: Table) -> None:
        self.execution = execution
        self.table = table
        self.columns: list[Column] = list(table.columns)
        self.origins: list[int | None] = list(range(len(table.columns)))
        self.keys: list[Key] = list(table.keys)
        self.engine = table.engine
        self.collation = table.collation
        self.rename: tuple[str, str] | None = None
        self.auto_increment: int | None = None
        self.definer = Definer(execution.session, execution.statement, table.collation)

    def place(self, name: str) -> int:
        """The place of a column. Raises error 1054."""
        for index, column in enumerate(self.columns):
            if column.name.lower() == name.lower():
                return index
        raise error("BAD_FIELD", name, self.table.name)

    def add(self, node: Any) -> None:
        column = self.definer.column(node)
        if any(other.name.lower() == column.name.lower() for other in self.columns):
            raise error("DUP_FIELDNAME", column.name)
        at = self._position(node)
        self.columns.insert(at, column)
        self.origins.insert(at, None)
        self.keys += column_keys(node)

    def _position(self, node: Any) -> int:
        position = node.args.get("position")
        if position is None:
            return len(self.columns)
        if (position.args.get("position") or "").upper() == "FIRST":
            return 0
        return self.place(position.this.name) + 1

    def modify(self, node: Any, old_name: str) -> None:
        index = self.place(old_name)
        column, origin = self.definer.column(node), self.origins[index]
        if any(part.column.lower() == old_name.lower() for key in self.keys if key.primary for part in key.parts):
            column = replace(column, nullable=False)
        del self.columns[index], self.origins[index]
        at = self._position(node) if node.args.get("position") is not None else index
        self.columns.insert(at, column)
        self.origins.insert(at, origin)
        self._renamed(old_name, column.name)
        self.keys += column_keys(node)

    def _renamed(self, old: str, new: str) -> None:
        self.keys = [
            replace(
                key,
                parts=tuple(replace(p, column=new) if p.column.lower() == old.lower() else p for p in key.parts),
            )
            for key in self.keys
        ]

    def rename_column(self, old: str, new: str) -> None:
        index = self.place(old)
        self.columns[index] = replace(self.columns[index], name=new)
        self._renamed(old, new)

    def drop(self, node: Any) -> None:
        name = (node.args.get("tables") or [node.this])[0].name
        if node.args["kind"] == "COLUMN":
            try:
                index = self.place(name)
            except Exception as problem:
                raise error("CANT_DROP_FIELD_OR_KEY", name) from problem
            del self.columns[index], self.origins[index]
            kept = [
                replace(key, parts=tuple(part for part in key.parts if part.column.lower() != name.lower()))
                for key in self.keys
            ]
            self.keys = [key for key in kept if key.parts]
        elif node.args["kind"] in ("INDEX", "KEY"):
            self.drop_key(name)
        else:
            raise UnsupportedStatement(f"ALTER TABLE ... DROP {node.args['kind']} is not in the model", missing="DROP")

    def drop_key(self, name: str) -> None:
        if not any(key.name.lower() == name.lower() for key in self.keys):
            raise error("CANT_DROP_FIELD_OR_KEY", name)
        self.keys = [key for key in self.keys if key.name.lower() != name.lower()]

    def finish(self) -> None:
        """Gives the table its new definition and its rows the new columns. Raises SqlError."""
        execution, old = self.execution, self.table
        columns, keys = finished_keys(self.columns, self.keys)
        new = Table(
            old.database,
            old.name,
            columns,
            keys,
            engine=self.engine,
            collation=self.collation,
            temporary=old.temporary,
            version=old.version,
            table_id=execution.session.storage.new_table_id(),
        )
        new.triggers, new.comment = old.triggers, old.comment
        new.next_auto_increment = max(old.next_auto_increment, self.auto_increment or 1)
        new.generated_primary_key = old.generated_primary_key
        for row in old.rows():
            changed = self._row(row, new)
            clash = new.duplicate(changed)
            if clash is not None:
                raise duplicate_entry(new, clash[0], changed)
            new.insert(changed)
        if old.temporary:
            execution.session.temporary_tables[old.database, old.name] = new
        else:
            execution.session.storage.databases[old.database].tables[old.name] = new
        if self.rename is not None:
            move(execution, new, *self.rename)
        effect = execution.effect
        effect.tables.clear()
        execution.use(new, written=True)
        both = old.transactional and new.transactional
        effect.atomic_ddl = both and not new.temporary and new.version >= (8,)
        effect.needs_log = not new.temporary or not execution.row_format

    def _row(self, row: Row, new: Table) -> Row:
        execution, values = self.execution, []
        for index, (column, origin) in enumerate(zip(new.columns, self.origins, strict=True)):
            if origin is None:
                if column.auto_increment:
                    values.append(new.next_auto_increment)
                    new.next_auto_increment += 1
                else:
                    values.append(default_of(execution, column))
                continue
            before = self.table.columns[origin]
            value = load(row[origin], before, execution.session.time_zone)
            values.append(row[origin] if before.type == column.type else store(value, column, execution.storing(new)))
            if before.type == column.type and before != column:
                values[index] = store(value, column, execution.storing(new))
        return tuple(values)


def alter_table(execution: Execution, tree: Any) -> None:
    """Runs ALTER TABLE. Raises SqlError and UnsupportedStatement."""
    table = execution.table(tree.this.name, tree.this.db or None)
    table.locks.redefine(execution.session.transaction)
    execution.use(table, written=True)
    alteration = _Alteration(execution, table)
    for action in tree.args.get("actions") or []:
        _act(alteration, action)
    for option in tree.args.get("options") or []:
        _option(alteration, option)
    alteration.finish()


def _act(alteration: _Alteration, action: Any) -> None:
    if isinstance(action, exp.ColumnDef):
        alteration.add(action)
    elif isinstance(action, exp.AddConstraint):
        for node in action.expressions:
            key = key_of(node)
            if key is None:
                raise UnsupportedStatement("ALTER TABLE ... ADD of this kind is not in the model", missing="ADD")
            alteration.keys.append(key)
    elif isinstance(action, exp.Drop):
        alteration.drop(action)
    elif isinstance(action, exp.DropPrimaryKey):
        alteration.drop_key("PRIMARY")
    elif isinstance(action, exp.ModifyColumn):
        renamed = action.args.get("rename_from")
        alteration.modify(action.this, renamed.name if renamed is not None else action.this.name)
    elif isinstance(action, exp.RenameColumn):
        alteration.rename_column(action.this.name, action.args["to"].name)
    elif isinstance(action, exp.AlterRename):
        target = action.this
        alteration.rename = (target.db or alteration.table.database, target.name)
    elif isinstance(action, (exp.EngineProperty, exp.AutoIncrementProperty, exp.CollateProperty)):
        _option(alteration, action)
    else:
        word = type(action).__name__
        raise UnsupportedStatement(f"ALTER TABLE ... {word} is not in the model", missing=word)


def _option(alteration: _Alteration, option: Any) -> None:
    if isinstance(option, exp.EngineProperty):
        name = option.this.name
        if name.lower() not in ENGINES:
            raise error("UNKNOWN_STORAGE_ENGINE", name)
        alteration.engine = ENGINES[name.lower()][0]
    elif isinstance(option, exp.AutoIncrementProperty):
        alteration.auto_increment = int(option.this.this)
    elif isinstance(option, exp.CharacterSetProperty):
        alteration.collation = alteration.definer.charset(option.this.name)
    elif isinstance(option, exp.CollateProperty):
        alteration.collation = named_collation(option.this.name)
    elif not isinstance(option, exp.SchemaCommentProperty):
        word = type(option).__name__.removesuffix("Property")
        raise UnsupportedStatement(f"the table option {word} is not in the model", missing=word)


def create_index(execution: Execution, tree: Any) -> None:
    """Runs CREATE INDEX. Raises SqlError."""
    index = tree.this
    node = index.args["table"]
    table = execution.table(node.name, node.db or None)
    table.locks.redefine(execution.session.transaction)
    parts = tuple(map(key_part, index.args["params"].args["columns"]))
    alteration = _Alteration(execution, table)
    alteration.keys.append(Key(index.name, parts, bool(tree.args.get("unique"))))
    alteration.finish()


def drop_index(execution: Execution, tree: Any) -> None:
    """Runs DROP INDEX ... ON. Raises SqlError and UnsupportedStatement."""
    place = tree.args.get("cluster")
    if place is None:
        raise UnsupportedStatement("DROP INDEX without ON is not in the model", missing="DROP INDEX")
    table = execution.table(place.this.name, place.this.db or None)
    table.locks.redefine(execution.session.transaction)
    alteration = _Alteration(execution, table)
    alteration.drop_key((tree.args.get("tables") or [tree.this])[0].name)
    alteration.finish()
