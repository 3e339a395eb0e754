"""Rows of a table written: defaults, locks, unique keys, and the record of each change; INSERT and REPLACE."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import Column, Key, SqlError, error
from pybinlog.schema.expression import Default, Expression, Name, walk
from pybinlog.schema.expression_parser import is_now
from pybinlog.simulate.sql.evaluator import Evaluator
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.select import select_for
from pybinlog.simulate.sql.session import Environment, Frame, Source
from pybinlog.simulate.sql.syntax import Assignment, Insert
from pybinlog.simulate.tables.table import Row, Table
from pybinlog.values.convert import load, store
from pybinlog.values.temporal import from_utc, round_to
from pybinlog.values.value import Value, context, to_text


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


_MOST_DOUBLINGS = 16
_MOST_RESERVED = (1 << _MOST_DOUBLINGS) - 1


def next_value(after: int, increment: int, offset: int) -> int:
    """Return the smallest value above `after` of the series offset, offset + increment ..."""
    if increment == 1:
        return after + 1
    if offset > increment:
        offset = 0
    return max(0, (after + increment - offset) // increment) * increment + offset


@dataclass
class AutoIncrement:
    """The values that one statement generates for one table; `expected` is how many rows it says that it inserts."""

    execution: Execution
    table: Table
    expected: int = 0
    reserved_end: int = 0
    next: int = 0
    intervals: int = 0
    generated: bool = False

    def value(self, explicit: int | None) -> tuple[int, bool]:
        """Return the value of a row and whether it was generated; `explicit` is that of the statement.

        Raise error 1467.
        """
        keeps_zero = "NO_AUTO_VALUE_ON_ZERO" in self.execution.session.sql_mode
        if explicit is not None and (explicit != 0 or keeps_zero):
            if self.generated and explicit >= self.next:
                self.next = next_value(explicit, *self._series())
            return explicit, False
        if self.next >= self.reserved_end:
            self._reserve()
        value = self.next
        if value > self._highest():
            raise error("AUTOINC_READ_FAILED")
        self.next = next_value(value, *self._series())
        self.generated = True
        return value, True

    def _highest(self) -> int:
        place = self.table.auto_increment_place
        assert place is not None
        return self.table.columns[place].integer_range[1]

    def _series(self) -> tuple[int, int]:
        session = self.execution.session
        return session.auto_increment_increment, session.auto_increment_offset

    def _reserve(self) -> None:
        session, table = self.execution.session, self.table
        increment, offset = self._series()
        if session.insert_id is not None:
            first, self.reserved_end = session.insert_id, 1 << 64
            session.insert_id = None
        else:
            first = next_value(max(table.next_auto_increment, self.next) - 1, increment, offset)
            if not table.transactional:
                self.reserved_end = 1 << 64
            else:
                first = min(first, self._highest())
                wanted = self.expected if not self.intervals and self.expected else 1 << min(self.intervals, 16)
                self.reserved_end = first + min(wanted, max(_MOST_RESERVED, self.expected)) * increment
                table.next_auto_increment = max(table.next_auto_increment, self.reserved_end)
        self.intervals += 1
        self.next = first
        effect = self.execution.effect
        if effect.intvar_insert_id is None and not self.execution.row_format:
            effect.intvar_insert_id = first

    def inserted(self, value: int, generated: bool) -> None:
        """Note a row with this value in the table."""
        table = self.table
        if value >= table.next_auto_increment and value > 0:
            table.next_auto_increment = next_value(value, *self._series()) if table.transactional else value + 1
        if generated and self.execution.first_insert_id is None:
            self.execution.first_insert_id = value


def insert(execution: Execution, node: Insert) -> None:
    """Run INSERT ... VALUES, SET and SELECT, and REPLACE. Raise SqlError and UnsupportedStatement."""
    table = execution.table(node.path)
    execution.effect.use(table, written=True)
    columns = _named_columns(table, node.columns)
    if node.query is not None:
        result, rows = select_for(node.query, Evaluator(execution), table)
        if len(result.columns) != len(columns):
            raise error("WRONG_VALUE_COUNT_ON_ROW", 1)
        insert_rows(execution, table, columns, rows, node)
        return
    for number, row in enumerate(node.value_rows, 1):
        if len(row) != len(columns) and (row or node.columns is not None):
            raise error("WRONG_VALUE_COUNT_ON_ROW", number)
    inserter = _Inserter(execution, table, columns, node, expected=len(node.value_rows))
    for number, row in enumerate(node.value_rows, 1):
        inserter.insert(inserter.values_of(row), number)


def insert_rows(
    execution: Execution, table: Table, columns: list[int], rows: Iterable[Sequence[Value]], node: Insert | None = None
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
            raise SqlError(1110, f"Column '{name}' specified twice")
        columns.append(index)
    return columns


class _Inserter:
    """Inserts the rows of one statement into one table."""

    def __init__(
        self, execution: Execution, table: Table, columns: list[int], node: Insert | None, *, expected: int = 0
    ) -> None:
        self.execution = execution
        self.evaluator = Evaluator(execution)
        self.table = table
        self.columns = columns
        self.replace = node is not None and node.replaces
        self.updates = node.updates if node is not None else ()
        written = None
        if node is not None and node.columns is not None:
            written = frozenset(columns) | {i for i, c in enumerate(table.columns) if c.auto_increment}
        self.writer = RowWriter(self.evaluator, table, written)
        self.writer.inserts = True
        self.auto = AutoIncrement(execution, table, expected)
        self.frame = Frame([Source(table.name, table)])

    def values_of(self, expressions: tuple[Expression, ...]) -> dict[int, Value]:
        """Return the values of one list of VALUES, by column. Raise UnsupportedStatement if one names a column."""
        given: dict[int, Value] = {}
        for index, node in zip(self.columns, expressions, strict=False):
            if not isinstance(node, Default):
                for name in (part for part in walk(node) if isinstance(part, Name)):
                    self.frame.find(name)
                    raise UnsupportedStatement(
                        f"{name} among the values of INSERT is not in the model", missing="VALUES"
                    )
                given[index] = self.evaluator.evaluate(node)
        return given

    def insert(self, given: dict[int, Value], number: int) -> None:
        """Insert a row with values for some columns. Raise SqlError, such as 1048, 1062 and 1364."""
        storing = self.execution.storing(self.table, row=number)
        row = []
        generated = False
        for index, column in enumerate(self.table.columns):
            if column.auto_increment:
                row.append(store(given.get(index), column, storing))
            elif index in given:
                row.append(self.writer.not_null(store(given[index], column, storing), column))
            else:
                row.append(default_of(self.evaluator, column))
        automatic = self.table.auto_increment_place
        self.execution.fire(self.table, "BEFORE", "INSERT", new=tuple(row))
        if automatic is not None:
            # The engine makes a value after all others proved right.
            row[automatic], generated = self.auto.value(row[automatic])
        self._store(tuple(row), generated)

    def _store(self, row: Row, generated: bool) -> None:
        """Insert the row, or deal with the rows that have its values in a unique key."""
        while (found := self.table.duplicate(row)) is not None:
            key, slot = found
            old = self.table.row(slot)
            assert old is not None
            self.execution.lock_row(self.table, old, slot, "X" if self.replace or self.updates else "S")
            self.execution.effect.engine_written |= self.table.in_engine
            if self.updates:
                self._update(slot, old, row, generated)
                return
            if not self.replace:
                raise duplicate_entry(self.table, key, row, self.execution.session.storage.version)
            watched = any(trigger.event == "DELETE" for trigger in self.table.triggers)
            if (
                key is self.table.unique_keys[-1] and not watched
            ):  # found by the last unique key, it is changed in place
                if old != row or not self.table.transactional:
                    self.writer.update(slot, old, row)
                self.execution.fire(self.table, "AFTER", "INSERT", new=row)
                break
            self.writer.delete(slot, old)
        else:
            self.writer.insert(row)
        place = self.table.auto_increment_place
        if place is not None:
            self.auto.inserted(row[place], generated)

    def _update(self, slot: int, old: Row, new: Row, generated: bool) -> None:
        """ON DUPLICATE KEY UPDATE."""
        place = self.table.auto_increment_place
        if place is not None and generated:
            self.auto.next = new[place]  # which was not inserted
        env = Environment(self.frame, self.evaluator.session.time_zone, (old,), (slot,))
        changed = self.writer.assigned(env, 0, self.updates)
        self.writer.write(slot, old, changed)
