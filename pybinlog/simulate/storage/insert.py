"""INSERT and REPLACE."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from .auto_increment import AutoIncrement
from .column import Column
from .convert import emptied, implicit_default, store
from .environment import Environment, Frame, Source
from .error import SqlError, error
from .execution import Execution
from .expression import Evaluator
from .row import Writer, default_of, generated_values
from .select import select
from .statement import Kind
from .table import Key, Table
from .transaction import Row
from .value import Value, to_text

__all__ = ["insert", "insert_rows", "target_of"]


def target_of(tree: Any) -> tuple[Any, list[str] | None]:
    """The table of an INSERT and the columns that it names, None where it names none."""
    target = tree.this
    if isinstance(target, exp.Schema):
        names = [item.name for item in target.expressions]
        return target.this, names or None
    return target, None


def insert(execution: Execution, tree: Any) -> None:
    """Runs INSERT ... VALUES, SET and SELECT, and REPLACE. Raises SqlError and UnsupportedStatement."""
    evaluator = Evaluator(execution)
    node, names = target_of(tree)
    table = execution.table(node.name, node.db or None)
    execution.use(table, written=True)
    columns = _named_columns(table, names)
    source = tree.expression
    if isinstance(source, exp.Values):
        rows = [list(row.expressions) for row in source.expressions]
        for number, row in enumerate(rows, 1):
            if len(row) != len(columns) and not (not row and names is None):
                raise error("WRONG_VALUE_COUNT_ON_ROW", number)
        inserter = Inserter(execution, evaluator, tree, table, columns, expected=len(rows))
        for number, row in enumerate(rows, 1):
            inserter.insert_expressions(row, number)
        return
    result = select(source, evaluator, locking=True)
    if result.columns and len(result.columns) != len(columns):
        raise error("WRONG_VALUE_COUNT_ON_ROW", 1)
    inserter = Inserter(execution, evaluator, tree, table, columns)
    for number, values in enumerate(result.rows, 1):
        inserter.insert_values(list(values), number)


def insert_rows(execution: Execution, table: Table, rows: list[tuple[Value, ...]]) -> None:
    """Inserts the rows of CREATE TABLE ... SELECT into the new table's last columns."""
    evaluator = Evaluator(execution)
    width = len(rows[0]) if rows else 0
    columns = list(range(len(table.columns) - width, len(table.columns)))
    inserter = Inserter(execution, evaluator, None, table, columns)
    for number, values in enumerate(rows, 1):
        inserter.insert_values(list(values), number)


def _named_columns(table: Table, names: list[str] | None) -> list[int]:
    if names is None:
        return [index for index, column in enumerate(table.columns) if column.visible]
    columns = []
    for name in names:
        index = table.position(name)
        if index is None:
            raise error("BAD_FIELD", name, "field list")
        if index in columns:
            raise error("DUP_FIELDNAME", name)
        columns.append(index)
    return columns


class Inserter:
    """Inserts the rows of one statement into one table."""

    def __init__(
        self,
        execution: Execution,
        evaluator: Evaluator,
        tree: Any,
        table: Table,
        columns: list[int],
        *,
        expected: int = 0,
    ) -> None:
        self.execution = execution
        self.evaluator = evaluator
        self.table = table
        self.columns = columns
        self.statement = execution.statement
        self.ignore = self.statement.ignore and execution.depth == 0
        self.replace = self.statement.kind is Kind.REPLACE and execution.depth == 0
        conflict = tree.args.get("conflict") if tree is not None else None
        self.updates: list[Any] = conflict.expressions if conflict is not None else []
        alias = tree.expression.args.get("alias") if tree is not None else None
        self.alias = alias.name if alias is not None and self.updates else None
        self.expected = expected
        self.writer = Writer(execution, table)
        self.writer.written = self._written(tree)
        self.writer.inserting = True
        self.auto = AutoIncrement(execution, table, expected)

    def _written(self, tree: Any) -> frozenset[int] | None:
        """The columns that the statement names, and those that get their values by themselves."""
        if tree is None or target_of(tree)[1] is None:
            return None
        own = {i for i, c in enumerate(self.table.columns) if c.auto_increment or c.generated is not None}
        return frozenset(self.columns) | own

    def insert_expressions(self, expressions: list[Any], number: int) -> None:
        """Inserts one list of VALUES; an expression sees the columns before it."""
        frame = Frame([Source(self.table.name, self.table.database, [c.name for c in self.table.columns], self.table)])
        row: list[Any] = [default_of(self.execution, column) for column in self.table.columns]
        env = Environment(frame, [tuple(row)], self.evaluator.session.time_zone)
        given: dict[int, Value] = {}
        for index, node in zip(self.columns, expressions, strict=False):
            column = self.table.columns[index]
            if is_default(node):
                continue
            if column.generated is not None:
                raise SqlError(
                    3105,
                    "ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN",
                    f"The value specified for generated column '{column.name}' in table '{self.table.name}' is not "
                    "allowed.",
                )
            given[index] = self.evaluator.evaluate(node, env)
            row[index] = self._loaded(column, given[index])
            env.rows[0] = tuple(row)
        self._insert(given, number)

    def _loaded(self, column: Column, value: Value) -> Any:
        try:
            return store(value, column, self.execution.storing(self.table, ignore=True))
        except SqlError:
            return None

    def insert_values(self, values: list[Value], number: int) -> None:
        """Inserts a row of a query."""
        self._insert(dict(zip(self.columns, values, strict=True)), number)

    def _insert(self, given: dict[int, Value], number: int) -> None:
        storing = self.execution.storing(self.table, row=number, ignore=self.ignore)
        row: list[Any] = []
        generated = False
        for index, column in enumerate(self.table.columns):
            if column.auto_increment:
                row.append(store(given.get(index), column, storing))
            elif index in given:
                stored = store(given[index], column, storing)
                row.append(self._not_null(column, stored, number))
            elif column.has_default or column.nullable or column.generated is not None or column.default is not None:
                row.append(default_of(self.execution, column))
            else:
                storing.refuse(error("NO_DEFAULT_FOR_FIELD", column.name))
                row.append(implicit_default(column))
        automatic = self.table.auto_increment_column
        if automatic is not None:
            # The engine is asked for a value when all others are fine.
            place = self.table.columns.index(automatic)
            row[place], generated = self.auto.value(row[place])
        complete = generated_values(self.execution, self.table, tuple(row))
        self._store(complete, generated, number)

    def _not_null(self, column: Column, stored: Any, number: int) -> Any:
        if stored is not None or column.nullable:
            return stored
        if _fills_null(self.execution, column):
            return default_of(self.execution, column)
        single = self.expected == 1
        strict = self.execution.storing(self.table, row=number, ignore=self.ignore).strict
        if (single or strict) and not self.ignore:
            raise error("BAD_NULL", column.name)
        self.execution.effect.warnings.append(error("BAD_NULL", column.name))
        return emptied(column)

    def _store(self, row: Row, generated: bool, number: int) -> None:
        """Inserts the row, or deals with the rows that have its values in a unique key."""
        row = self.writer.before_insert(row)
        while True:
            found = self.table.duplicate(row)
            if found is None:
                break
            key, slot = found
            old = self.table.row(slot)
            assert old is not None
            self.execution.lock_row(self.table, old, slot)
            self.execution.effect.engine_written |= self.table.transactional
            if self.replace:
                if self._replaces_in_place(key):
                    if old != row:
                        self.writer.update(slot, old, row, triggers=False)
                        self.execution.effect.affected_rows += 1
                    self.execution.effect.affected_rows += 1
                    self._counted(row, generated)
                    return
                self.writer.delete(slot, old)
                self.execution.effect.affected_rows += 1
                continue
            if self.updates or self.ignore:
                self._give_back(row, generated)
            if self.updates:
                self._update(slot, old, row, number)
                return
            problem = duplicate_entry(self.table, key, row)
            if not self.ignore:
                raise problem
            self.execution.effect.warnings.append(problem)
            return
        self.writer.insert(row)
        self.execution.effect.affected_rows += 1
        self._counted(row, generated)

    def _counted(self, row: Row, generated: bool) -> None:
        column = self.table.auto_increment_column
        if column is not None:
            self.auto.inserted(row[self.table.columns.index(column)], generated)

    def _give_back(self, row: Row, generated: bool) -> None:
        column = self.table.auto_increment_column
        if column is not None and generated:
            self.auto.give_back(row[self.table.columns.index(column)])

    def _replaces_in_place(self, key: Key) -> bool:
        """Whether REPLACE updates the row found: by the last unique key, with nobody who looks at deletions."""
        last = self.table.unique_keys[-1]
        return key is last and not self.writer.has_triggers("DELETE") and not self.table.referenced

    def _update(self, slot: int, old: Row, new: Row, number: int) -> None:
        """ON DUPLICATE KEY UPDATE."""
        names = [column.name for column in self.table.columns]
        sources = [Source(self.table.name, self.table.database, names, self.table)]
        rows: list[Row | None] = [old]
        if self.alias is not None:
            sources.append(Source(self.alias, None, names, self.table, hidden=frozenset(range(len(names)))))
            rows.append(new)
        env = Environment(Frame(sources), rows, self.evaluator.session.time_zone)

        def inserted(name: str) -> Value:
            index = self.table.position(name)
            if index is None:
                raise error("BAD_FIELD", name, "field list")
            return sources[0].value(new, index, env.time_zone)

        self.evaluator.inserted = inserted
        try:
            changed = self.writer.assigned(self.evaluator, env, old, self.updates, self.ignore, number)
        finally:
            self.evaluator.inserted = None
        if changed == old:
            return
        clash = self.table.duplicate(changed, slot)
        if clash is not None:
            if self.ignore:
                return
            raise duplicate_entry(self.table, clash[0], changed)
        self.writer.update(slot, old, changed)
        self.execution.effect.affected_rows += 2
        column = self.table.auto_increment_column
        if column is not None and self.execution.first_insert_id is None:
            self.execution.updated_insert_id = changed[self.table.columns.index(column)]


def is_default(node: Any) -> bool:
    """Whether an expression is the word DEFAULT."""
    return isinstance(node, (exp.Var, exp.Column)) and node.name.upper() == "DEFAULT" and not node.args.get("table")


def _fills_null(execution: Execution, column: Column) -> bool:
    """A TIMESTAMP that takes NULL for the present time (explicit_defaults_for_timestamp=0)."""
    return (
        column.type.name == "TIMESTAMP2"
        and not execution.session.explicit_defaults_for_timestamp
        and column.default is not None
    )


def duplicate_entry(table: Table, key: Key, row: Row) -> SqlError:
    """Error 1062, whose message names the values and the key; from 8.0.19 on the key's table, too."""
    from .convert import load

    texts = []
    for part in key.parts:
        index = table.position(part.column) or 0
        value = load(row[index], table.columns[index])
        text = "NULL" if value is None else to_text(value)
        texts.append(text[: part.prefix] if part.prefix else text)
    name = f"{table.name}.{key.name}" if table.version >= (8, 0, 19) else key.name
    return error("DUP_ENTRY", "-".join(texts), name)
