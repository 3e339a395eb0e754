"""Locks on a table and its rows, as far as one statement at a time can meet those of another transaction.

A statement that finds rows by the whole of a unique key locks these rows, another one the table as a whole: with
REPEATABLE READ, InnoDB locks all rows that it looks at and the gaps between them. Where the server would wait for
another transaction, the lock wait timeout has come: nobody else runs in the meantime.
"""

from __future__ import annotations

from collections.abc import Hashable

from pybinlog.schema import error


class Locks:
    """The locks on one table: of each transaction, the mode ("S", "X") by row, None for all rows."""

    def __init__(self) -> None:
        self._held: dict[Hashable, dict[Hashable | None, str]] = {}

    def take(self, transaction: Hashable, mode: str, row: Hashable | None = None) -> None:
        """Locks a row, or all of them, shared ("S") or exclusively ("X"). Raises error 1205."""
        for owner, held in self._held.items():
            met = (other for place, other in held.items() if row is None or place in (None, row))
            if owner is not transaction and any("X" in (mode, other) for other in met):
                raise error("LOCK_WAIT_TIMEOUT")
        own = self._held.setdefault(transaction, {})
        own[row] = max(own.get(row, ""), mode)

    def use(self, transaction: Hashable) -> None:
        """The table is used by the transaction, so that its definition stays."""
        self._held.setdefault(transaction, {})

    def redefine(self, transaction: Hashable) -> None:
        """The definition changes. Raises error 1205 where another transaction uses the table."""
        if any(owner is not transaction for owner in self._held):
            raise error("LOCK_WAIT_TIMEOUT")

    def release(self, transaction: Hashable) -> None:
        self._held.pop(transaction, None)
