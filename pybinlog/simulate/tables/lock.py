"""Locks on a table and its rows, as far as one statement at a time can meet those of another transaction.

A statement that finds rows by the whole of a unique key locks these rows, another one the table as a whole: with
REPEATABLE READ, InnoDB locks all rows that it looks at and the gaps between them. A key that is not there locks the gap
between its neighbours: nobody else inserts there. If the server would wait for another transaction, the lock wait times
out: no other connection runs meanwhile.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

from pybinlog.schema import error

Gap: TypeAlias = tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]
"""The keys of the rows before and after it; None at an end."""


class Locks:
    """The locks on one table: of each transaction, the mode ("S", "X") by row, None for all rows."""

    def __init__(self) -> None:
        self._held: dict[Hashable, dict[Hashable | None, str]] = {}
        self._gaps: list[tuple[Hashable, Gap]] = []

    def acquire(self, transaction: Hashable, mode: str, row: Hashable | None = None, gap: Gap | None = None) -> None:
        """Locks a row, or all of them, shared ("S") or exclusively ("X"). Raise error 1205.

        With `gap`, the row is not there: the gap is locked, which several transactions can do.
        """
        for owner, held in self._held.items():
            met = (other for place, other in held.items() if row is None or place in (None, row))
            if owner is not transaction and any("X" in (mode, other) for other in met):
                raise error("LOCK_WAIT_TIMEOUT")
        own = self._held.setdefault(transaction, {})
        if gap is not None:
            self._gaps.append((transaction, gap))
            return
        own[row] = max(own.get(row, ""), mode)

    def enter(self, transaction: Hashable, key: tuple[Any, ...]) -> None:
        """Insert a row of that key. Raise error 1205 where another transaction has locked the gap."""
        for owner, (low, high) in self._gaps:
            if owner is not transaction and (low is None or low < key) and (high is None or key < high):
                raise error("LOCK_WAIT_TIMEOUT")

    def use(self, transaction: Hashable) -> None:
        """Note that the transaction uses the table, so that its definition cannot change."""
        self._held.setdefault(transaction, {})

    def redefine(self, transaction: Hashable) -> None:
        """Lock the table for a change of its definition. Raise error 1205 where another transaction uses the table."""
        if any(owner is not transaction for owner in self._held):
            raise error("LOCK_WAIT_TIMEOUT")

    def release(self, transaction: Hashable) -> None:
        self._held.pop(transaction, None)
        self._gaps = [(owner, gap) for owner, gap in self._gaps if owner is not transaction]
