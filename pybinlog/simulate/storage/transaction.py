"""What a transaction has changed and locked, and how that is undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .database import Storage
    from .table import Table

__all__ = ["Row", "RowChange", "Transaction"]

Row = tuple[Any, ...]
"""What a table stores of a row, by column."""


class RowChange(NamedTuple):
    """A row that was inserted (`before` is None), changed, or deleted (`after` is None)."""

    table: Table
    before: Row | None
    after: Row | None
    slot: int
    """Where in its table the row lies."""
    written: frozenset[int] | None = None
    """The columns that the statement names; None where it names none, which means all."""

    def undo(self) -> None:
        if self.before is None:
            self.table.remove(self.slot)
        else:
            self.table.put(self.slot, self.before)


class Transaction:
    """The uncommitted changes of one connection (or of a prepared XA transaction), and its locks.

    Only changes of transactional tables are here: the others cannot be undone.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.changes: list[RowChange] = []
        self.locked: set[Table] = set()

    def add(self, change: RowChange) -> None:
        self.changes.append(change)
        self.storage.active.add(self)

    def mark(self) -> int:
        """The place of a savepoint: what `roll_back` can go back to."""
        return len(self.changes)

    def roll_back(self, mark: int = 0) -> None:
        """Undoes the changes since a mark. Back to the very start it releases the locks, too."""
        while len(self.changes) > mark:
            self.changes.pop().undo()
        if mark == 0:
            self._end()

    def commit(self) -> None:
        """Makes the changes those of everybody, and releases the locks."""
        self.changes.clear()
        self._end()

    def _end(self) -> None:
        for table in self.locked:
            table.locks.release(self)
        self.locked.clear()
        self.storage.active.discard(self)
