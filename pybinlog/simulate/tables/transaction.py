"""Transaction: what a transaction has changed and locked, and how that is undone."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from pybinlog.simulate.tables.table import Gap, Row, Table


class RowChange(NamedTuple):
    """A row that was inserted (`before` is None), changed, or deleted (`after` is None).

    `slot` is where in its table the row lies, `written` the columns that the statement names; None where it names none,
    which means all.
    """

    table: Table
    before: Row | None
    after: Row | None
    slot: int
    written: frozenset[int] | None = None

    def undo(self) -> None:
        """Bring the table back to what it was before."""
        if self.before is None:
            self.table.remove(self.slot)
        else:
            self.table.put(self.slot, self.before)


class Transaction:
    """The uncommitted changes of one connection (or of a prepared XA transaction), and its locks.

    Only changes of transactional tables are here: the others cannot be undone.
    """

    def __init__(self) -> None:
        self.changes: list[RowChange] = []
        self.locked: set[Table] = set()

    def add(self, change: RowChange) -> None:
        """Add a change of a row in a transactional table."""
        self.changes.append(change)

    def lock(self, table: Table, mode: str, row: Hashable | None = None, gap: Gap | None = None) -> None:
        """Lock a table, or a row of it, until the end, if its engine does that. Raise error 1205.

        A row that is not there has a gap to lock.
        """
        if table.transactional:
            table.locks.acquire(self, mode, row, gap)
        else:
            table.locks.use(self)
        self.locked.add(table)

    def enter_gap(self, table: Table, row: Row) -> None:
        """Insert a row between others. Raise error 1205."""
        if table.stored_by is not None:
            table.locks.enter(self, table.key_values(table.stored_by, row))

    def mark(self) -> int:
        """Return the place of a savepoint: what `roll_back_to` can go back to."""
        return len(self.changes)

    def roll_back_to(self, mark: int) -> None:
        """Undo the changes since a mark. The locks stay."""
        while len(self.changes) > mark:
            self.changes.pop().undo()

    def roll_back(self) -> None:
        """Undo all changes, and release the locks."""
        self.roll_back_to(0)
        self._end()

    def commit(self) -> None:
        """Make the changes those of everybody, and release the locks."""
        self.changes.clear()
        self._end()

    def _end(self) -> None:
        for table in self.locked:
            table.locks.release(self)
        self.locked.clear()
