"""AutoIncrement: values reserved in intervals, as the server's handlers do."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.schema import error
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.tables.table import Table

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
        value, place = self.next, self.table.auto_increment_place
        if place is not None and value > self.table.columns[place].integer_range[1]:
            raise error("AUTOINC_READ_FAILED")
        self.next = next_value(value, *self._series())
        self.generated = True
        return value, True

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
