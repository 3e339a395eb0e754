"""Rows written: defaults, generated columns, locks, triggers, and the record of each change."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from pybinlog.layout import ColumnType

from .column import Column
from .convert import emptied, implicit_default, store
from .environment import Environment, Frame, Source
from .error import error
from .execution import Execution
from .table import Table
from .temporal import from_utc, round_to
from .time_use import time_use
from .transaction import Row

if TYPE_CHECKING:
    from .expression import Evaluator

__all__ = ["Writer", "default_of", "generated_values"]


def default_of(execution: Execution, column: Column) -> Any:
    """What a column stores where the statement names no value."""
    if column.default is None:
        return None if column.nullable or column.generated is not None else implicit_default(column)
    from .expression import Evaluator

    node = column.default
    if isinstance(node, exp.Expression):
        if _is_now(node):
            return present_time(execution, column)
        value = Evaluator(execution).evaluate(node)
        return store(value, column, execution.storing())
    return node


def _is_now(node: Any) -> bool:
    if isinstance(node, exp.CurrentTimestamp):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).upper() in ("NOW", "CURRENT_TIMESTAMP", "LOCALTIME")


def present_time(execution: Execution, column: Column) -> datetime:
    """The time of the statement, as a TIMESTAMP or DATETIME column stores it."""
    seconds, microseconds = execution.session.now
    time_use().microseconds |= column.decimals > 0
    moment = datetime.fromtimestamp(seconds, timezone.utc) + timedelta(microseconds=microseconds)
    if column.type != ColumnType.TIMESTAMP2:
        moment = from_utc(moment, execution.session.time_zone)
    rounded = round_to(moment, column.decimals, truncate=True)
    assert isinstance(rounded, datetime)
    return rounded


def generated_values(execution: Execution, table: Table, row: Row) -> Row:
    """The row with the values of its generated columns."""
    if not any(column.generated is not None for column in table.columns):
        return row
    from .expression import Evaluator

    evaluator = Evaluator(execution)
    values = list(row)
    frame = Frame([Source(table.name, table.database, [column.name for column in table.columns], table)])
    for index, column in enumerate(table.columns):
        if column.generated is not None:
            env = Environment(frame, [tuple(values)], execution.session.time_zone)
            values[index] = store(evaluator.evaluate(column.generated, env), column, execution.storing(table))
    return tuple(values)


class Writer:
    """Changes rows of one table for one statement."""

    def __init__(self, execution: Execution, table: Table) -> None:
        self.execution = execution
        self.table = table
        self.written: frozenset[int] | None = None
        self.inserting = False

    def has_triggers(self, event: str) -> bool:
        """Whether the table has triggers for INSERT, UPDATE or DELETE."""
        return any(trigger.event == event for trigger in self.table.triggers)

    def _fire(self, timing: str, event: str, old: Row | None, new: Row | None) -> Row | None:
        """Runs the triggers; gives the new row, which a BEFORE trigger may change."""
        if self.table.triggers:
            from .routine import fire

            for trigger in self.table.triggers:
                if (trigger.timing, trigger.event) == (timing, event):
                    new = fire(self.execution, trigger, self.table, old, new)
        return new

    def before_insert(self, row: Row) -> Row:
        """The row after the BEFORE INSERT triggers."""
        changed = self._fire("BEFORE", "INSERT", None, row)
        assert changed is not None
        return generated_values(self.execution, self.table, changed) if changed is not row else row

    def insert(self, row: Row) -> None:
        slot = self.table.insert(row)
        try:
            self.execution.lock_row(self.table, row, slot)
        except Exception:
            self.table.remove(slot)
            raise
        self.execution.change(self.table, None, row, slot, self.written)
        self._fire("AFTER", "INSERT", None, row)

    def update(self, slot: int, old: Row, new: Row, *, triggers: bool = True) -> None:
        if triggers:
            changed = self._fire("BEFORE", "UPDATE", old, new)
            assert changed is not None
            new = generated_values(self.execution, self.table, changed) if changed is not new else new
        self.execution.lock_row(self.table, old, slot)
        self.execution.lock_row(self.table, new, slot)
        self.table.put(slot, new)
        self._count(old, new)
        self.execution.change(self.table, old, new, slot, self.written)
        if triggers:
            self._fire("AFTER", "UPDATE", old, new)

    def _count(self, old: Row, new: Row) -> None:
        """AUTO_INCREMENT goes on behind a larger value; InnoDB's did so for INSERT alone before 8.0."""
        table, column = self.table, self.table.auto_increment_column
        if column is None or (table.transactional and table.version < (8,) and not self.inserting):
            return
        place = table.columns.index(column)
        if new[place] != old[place] and new[place] >= table.next_auto_increment:
            table.next_auto_increment = new[place] + 1

    def delete(self, slot: int, old: Row) -> None:
        self._fire("BEFORE", "DELETE", old, None)
        self.execution.lock_row(self.table, old, slot)
        self.table.remove(slot)
        self.execution.change(self.table, old, None, slot)
        self._fire("AFTER", "DELETE", old, None)

    def assigned(
        self, evaluator: Evaluator, env: Environment, old: Row, assignments: list[Any], ignore: bool, number: int = 1
    ) -> Row:
        """The row after assignments, each of which sees those before it. `env` holds the row at its table's place."""
        from .insert import is_default

        place = next(index for index, source in enumerate(env.frame.sources) if source.table is self.table)
        values = list(old)
        storing = self.execution.storing(self.table, row=number, ignore=ignore)
        named = set()
        for assignment in assignments:
            target = assignment.this
            index = self.table.position(target.name)
            if index is None:
                raise error("BAD_FIELD", target.name, "field list")
            column = self.table.columns[index]
            named.add(index)
            if is_default(assignment.expression):
                values[index] = default_of(self.execution, column)
            else:
                stored = store(evaluator.evaluate(assignment.expression, env), column, storing)
                if stored is None and not column.nullable:
                    storing.refuse(error("BAD_NULL", column.name))
                    stored = emptied(column)
                values[index] = stored
            env.rows[place] = tuple(values)
        if tuple(values) != old:
            for index, column in enumerate(self.table.columns):
                if column.on_update_now and index not in named:
                    values[index] = present_time(self.execution, column)
                    named.add(index)
        generated = {index for index, column in enumerate(self.table.columns) if column.generated is not None}
        self.written = frozenset(named | generated | (self.written or frozenset()))
        return generated_values(self.execution, self.table, tuple(values))
