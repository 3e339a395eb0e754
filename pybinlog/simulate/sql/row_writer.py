"""RowWriter: rows of a table changed: defaults, locks, unique keys, and the record of each change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.schema import Column, Key, SqlError, error
from pybinlog.schema.expression import Default
from pybinlog.schema.expression_parser import is_now
from pybinlog.simulate.sql.evaluator import Evaluator
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.session import Environment
from pybinlog.simulate.sql.syntax import Assignment
from pybinlog.simulate.tables.table import Row, Table
from pybinlog.values.convert import load, store
from pybinlog.values.temporal import from_utc, round_to
from pybinlog.values.value import context, to_text


def default_of(evaluator: Evaluator, column: Column) -> Any:
    """Return the value that a column stores if the statement names none. Raise error 1364."""
    execution = evaluator.execution
    if column.default is None:
        if not column.nullable:
            raise execution.storing().nothing(error("NO_DEFAULT_FOR_FIELD", column.name))
        return None
    if is_now(column.default):
        return present_time(execution, column)
    return store(evaluator.evaluate(column.default), column, execution.storing())


def present_time(execution: Execution, column: Column) -> datetime:
    """Return the time of the statement, as a TIMESTAMP or DATETIME column stores it."""
    seconds, microseconds = execution.session.now
    context().microseconds_used |= column.decimals > 0
    moment = datetime.fromtimestamp(seconds, timezone.utc) + timedelta(microseconds=microseconds)
    if column.type != ColumnType.TIMESTAMP2:
        moment = from_utc(moment, execution.session.time_zone)
    return round_to(moment, column.decimals, truncate=True)


def duplicate_entry(table: Table, key: Key, row: Row, version: tuple[int, ...]) -> SqlError:
    """Error 1062, whose message names the values and the key; from 8.0.19 on the key's table, too."""
    texts = []
    for part in key.parts:
        place = table.position(part.column) or 0
        value = load(row[place], table.columns[place])
        text = "NULL" if value is None else str(value) if isinstance(value, float) else to_text(value)
        texts.append(text[: part.prefix] if part.prefix else text)
    name = f"{table.name}.{key.name}" if version >= (8, 0, 19) else key.name
    return error("DUP_ENTRY", "-".join(texts), name)


class RowWriter:
    """Changes rows of one table for one statement; `written` are the columns that the statement names."""

    def __init__(self, evaluator: Evaluator, table: Table, written: frozenset[int] | None = None) -> None:
        self.evaluator = evaluator
        self.execution = evaluator.execution
        self.table = table
        self.written = written
        self.inserts = False

    def insert(self, row: Row) -> None:
        """Insert a row that has no duplicate. Raise error 1205 if its place is locked."""
        slot = self.table.insert(row)
        try:
            self.execution.session.transaction.enter_gap(self.table, row)
            self.execution.lock_row(self.table, row, slot)
        except SqlError:
            self.table.remove(slot)
            raise
        self.execution.change(self.table, None, row, slot, self.written)
        self.execution.fire(self.table, "AFTER", "INSERT", new=row)

    def write(self, slot: int, old: Row, new: Row) -> None:
        """Do what UPDATE does with a row: triggers, and a change unless it stays as it was. Raise error 1062."""
        self.execution.fire(self.table, "BEFORE", "UPDATE", old, new)
        if new != old:
            found = self.table.duplicate(new, slot)
            if found is not None:
                raise duplicate_entry(self.table, found[0], new, self.execution.session.storage.version)
            self.update(slot, old, new)
        self.execution.fire(self.table, "AFTER", "UPDATE", old, new)

    def update(self, slot: int, old: Row, new: Row) -> None:
        """Change a row."""
        self.execution.lock_row(self.table, old, slot)
        self.execution.lock_row(self.table, new, slot)
        self.table.put(slot, new)
        self._count(old, new)
        self.execution.change(self.table, old, new, slot, self.written)

    def _count(self, old: Row, new: Row) -> None:
        """AUTO_INCREMENT continues after a larger value; InnoDB's did so for INSERT alone before 8.0."""
        table, place = self.table, self.table.auto_increment_place
        modern = self.execution.session.storage.modern
        if place is None or (table.transactional and not modern and not self.inserts):
            return
        if new[place] != old[place] and new[place] >= table.next_auto_increment:
            table.next_auto_increment = new[place] + 1

    def delete(self, slot: int, old: Row) -> None:
        """Delete a row."""
        self.execution.fire(self.table, "BEFORE", "DELETE", old)
        self.execution.lock_row(self.table, old, slot)
        self.table.remove(slot)
        self.execution.change(self.table, old, None, slot)
        self.execution.fire(self.table, "AFTER", "DELETE", old)

    def not_null(self, stored: Any, column: Column) -> Any:
        """Return a stored value, if the column may have it. Raise error 1048."""
        if stored is None and not column.nullable:
            if column.type == ColumnType.TIMESTAMP2 and not self.execution.session.explicit_defaults_for_timestamp:
                return present_time(self.execution, column)
            raise self.execution.storing(self.table).nothing(error("BAD_NULL", column.name))
        return stored

    def assigned(self, env: Environment, place: int, assignments: Sequence[Assignment], number: int = 1) -> Row:
        """Return the row of the source at `place` after assignments, each of which sees those before it."""
        old = env.rows[place]
        values = list(old)
        storing = self.execution.storing(self.table, row=number)
        named = set()
        for assignment in assignments:
            index = self.table.position(assignment.column)
            if index is None:
                raise error("BAD_FIELD", assignment.column, "field list")
            column = self.table.columns[index]
            named.add(index)
            if isinstance(assignment.value, Default):
                values[index] = default_of(self.evaluator, column)
            else:
                stored = store(self.evaluator.evaluate(assignment.value, env), column, storing)
                values[index] = self.not_null(stored, column)
            env = env.with_row(place, tuple(values))
        if tuple(values) != old:
            for index, column in enumerate(self.table.columns):
                if column.on_update_now and index not in named:
                    values[index] = present_time(self.execution, column)
                    named.add(index)
        self.written = frozenset(named | (self.written or frozenset()))
        return tuple(values)
