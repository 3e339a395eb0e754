"""INSERT and REPLACE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.schema import Column, Key, SqlError, error
from pybinlog.schema.expression import Default, Expression
from pybinlog.simulate.sql.auto_increment import AutoIncrement
from pybinlog.simulate.sql.environment import Environment, Frame, Source
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.row_writer import RowWriter, default_of, duplicate_entry
from pybinlog.simulate.sql.select import evaluator_of, select
from pybinlog.simulate.sql.syntax import Insert
from pybinlog.simulate.tables.table import Row, Table
from pybinlog.values.convert import emptied, implicit_default, load, store
from pybinlog.values.value import Value


def insert(execution: Execution, node: Insert) -> None:
    """Run INSERT ... VALUES, SET and SELECT, and REPLACE. Raises SqlError and UnsupportedStatement."""
    table = execution.table(node.table.path)
    execution.effect.use(table, written=True)
    columns = _named_columns(table, node.columns)
    if node.query is not None:
        result = select(node.query, evaluator_of(execution), locking=True)
        if len(result.columns) != len(columns):
            raise error("WRONG_VALUE_COUNT_ON_ROW", 1)
        insert_rows(execution, table, columns, result.rows, node)
        return
    for number, row in enumerate(node.rows, 1):
        if len(row) != len(columns) and (row or node.columns is not None):
            raise error("WRONG_VALUE_COUNT_ON_ROW", number)
    inserter = _Inserter(execution, table, columns, node, expected=len(node.rows))
    for number, row in enumerate(node.rows, 1):
        inserter.insert_expressions(row, number)


def insert_rows(
    execution: Execution, table: Table, columns: list[int], rows: Sequence[Sequence[Value]], node: Insert | None = None
) -> None:
    """Insert the rows of a query; `node` is None for those of CREATE TABLE ... SELECT."""
    inserter = _Inserter(execution, table, columns, node)
    for number, values in enumerate(rows, 1):
        inserter.insert(dict(zip(columns, values, strict=True)), number)


def _named_columns(table: Table, names: tuple[str, ...] | None) -> list[int]:
    if names is None:
        return [index for index, column in enumerate(table.columns) if column.visible]
    columns: list[int] = []
    for name in names:
        index = table.position(name)
        if index is None:
            raise error("BAD_FIELD", name, "field list")
        if index in columns:
            raise error("DUP_FIELDNAME", name)
        columns.append(index)
    return columns


class _Inserter:
    """Inserts the rows of one statement into one table."""

    def __init__(
        self, execution: Execution, table: Table, columns: list[int], node: Insert | None, *, expected: int = 0
    ) -> None:
        self.execution = execution
        self.evaluator = evaluator_of(execution)
        self.table = table
        self.columns = columns
        self.ignore = execution.ignore
        self.replace = node is not None and node.replace
        self.updates = node.updates if node is not None else ()
        self.expected = expected
        written = None
        if node is not None and node.columns is not None:
            written = frozenset(columns) | {i for i, c in enumerate(table.columns) if c.auto_increment}
        self.writer = RowWriter(self.evaluator, table, written)
        self.writer.inserts = True
        self.auto = AutoIncrement(execution, table, expected)
        self.frame = Frame([Source(table.name, table)])

    def insert_expressions(self, expressions: tuple[Expression, ...], number: int) -> None:
        """Insert one list of VALUES; an expression sees the columns before it."""
        given: dict[int, Value] = {}
        row: list[Any] = []
        for index, node in zip(self.columns, expressions, strict=False):
            if isinstance(node, Default):
                continue
            row = row or [default_of(self.evaluator, column) for column in self.table.columns]
            env = Environment(self.frame, [tuple(row)], self.evaluator.session.time_zone)
            given[index] = self.evaluator.evaluate(node, env)
            row[index] = self._stored_if_it_fits(self.table.columns[index], given[index])
        self.insert(given, number)

    def _stored_if_it_fits(self, column: Column, value: Value) -> Any:
        try:
            return store(value, column, self.execution.storing(self.table))
        except SqlError:
            return None

    def insert(self, given: dict[int, Value], number: int) -> None:
        """Insert a row with values for some columns."""
        storing = self.execution.storing(self.table, row=number)
        row: list[Any] = []
        generated = False
        for index, column in enumerate(self.table.columns):
            if column.auto_increment:
                row.append(store(given.get(index), column, storing))
            elif index in given:
                row.append(self._not_null(column, store(given[index], column, storing), number))
            elif column.has_default or column.nullable:
                row.append(default_of(self.evaluator, column))
            else:
                storing.refuse(error("NO_DEFAULT_FOR_FIELD", column.name))
                row.append(implicit_default(column))
        automatic = self.table.auto_increment_place
        if automatic is not None:
            # The engine is asked for a value when all others are fine.
            row[automatic], generated = self.auto.value(row[automatic])
        self._store(tuple(row), generated, number)

    def _not_null(self, column: Column, stored: Any, number: int) -> Any:
        if stored is not None or column.nullable:
            return stored
        if not self.execution.session.explicit_defaults_for_timestamp and column.on_update_now:
            return default_of(self.evaluator, column)  # a TIMESTAMP that takes NULL for the present time
        strict = self.execution.storing(self.table, row=number).strict
        if (self.expected == 1 or strict) and not self.ignore:
            raise error("BAD_NULL", column.name)
        self.execution.effect.warnings.append(error("BAD_NULL", column.name))
        return emptied(column)

    def _store(self, row: Row, generated: bool, number: int) -> None:
        """Insert the row, or deal with the rows that have its values in a unique key."""
        while (found := self.table.duplicate(row)) is not None:
            key, slot = found
            old = self.table.row(slot)
            assert old is not None
            self.execution.lock_row(self.table, old, slot)
            self.execution.effect.engine_written |= self.table.transactional
            if not self.replace:
                self._clash(key, slot, old, row, generated)
                return
            if key is self.table.unique_keys[-1]:  # found by the last unique key, it is changed in place
                if old != row:
                    self.writer.update(slot, old, row)
                self._counted(row, generated)
                return
            self.writer.delete(slot, old)
        self.writer.insert(row)
        self._counted(row, generated)

    def _clash(self, key: Key, slot: int, old: Row, row: Row, generated: bool) -> None:
        """A duplicate: an error, or with IGNORE a warning, or ON DUPLICATE KEY UPDATE."""
        place = self.table.auto_increment_place
        if (self.updates or self.ignore) and place is not None and generated:
            self.auto.give_back(row[place])
        if self.updates:
            self._update(slot, old, row)
            return
        problem = duplicate_entry(self.table, key, row, self.execution.session.storage.version)
        if not self.ignore:
            raise problem
        self.execution.effect.warnings.append(problem)

    def _counted(self, row: Row, generated: bool) -> None:
        place = self.table.auto_increment_place
        if place is not None:
            self.auto.inserted(row[place], generated)

    def _update(self, slot: int, old: Row, new: Row) -> None:
        """ON DUPLICATE KEY UPDATE."""
        env = Environment(self.frame, [old], self.evaluator.session.time_zone)

        def inserted(name: str) -> Value:
            index = self.table.position(name)
            if index is None:
                raise error("BAD_FIELD", name, "field list")
            return load(new[index], self.table.columns[index], env.time_zone)

        self.evaluator.inserted = inserted
        changed = self.writer.assigned(env, 0, old, self.updates)
        self.evaluator.inserted = None
        if changed == old:
            return
        clash = self.writer.clash(changed, slot)
        if clash is not None and not self.ignore:
            raise clash
        if clash is None:
            self.writer.update(slot, old, changed)
            place = self.table.auto_increment_place
            if place is not None and self.execution.first_insert_id is None:
                self.execution.updated_insert_id = changed[place]
