"""Locks on a table and its rows, as far as one statement at a time can meet those of another transaction.

A statement that finds rows by the whole of a unique key locks these rows, another one the table as a whole: with
REPEATABLE READ, InnoDB locks all rows that it looks at and the gaps between them. Where the server would wait for
another transaction, the lock wait timeout has come: nobody else runs in the meantime.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from pybinlog.schema import error


@dataclass
class _Held:
    """What one transaction holds: the mode of its lock on all rows ("", "S", "X"), and its locked rows."""

    whole: str = ""
    rows: dict[Hashable, str] = field(default_factory=dict)

    def conflicts(self, mode: str, row: Hashable | None) -> bool:
        if "X" in (mode, self.whole) and self.whole:
            return True
        if row is None:
            return any("X" in (mode, held) for held in self.rows.values())
        held = self.rows.get(row)
        return held is not None and "X" in (mode, held)


class Locks:
    """The locks on one table."""

    def __init__(self) -> None:
        self._held: dict[Hashable, _Held] = {}

    def take(self, transaction: Hashable, mode: str, row: Hashable | None = None) -> None:
        """Locks a row, or all of them, shared ("S") or exclusively ("X"). Raises error 1205."""
        if any(held.conflicts(mode, row) for owner, held in self._held.items() if owner is not transaction):
            raise error("LOCK_WAIT_TIMEOUT")
        own = self._held.setdefault(transaction, _Held())
        if row is None:
            own.whole = max(own.whole, mode)
        else:
            own.rows[row] = max(own.rows.get(row, ""), mode)

    def use(self, transaction: Hashable) -> None:
        """The table is used by the transaction, so that its definition stays."""
        self._held.setdefault(transaction, _Held())

    def redefine(self, transaction: Hashable) -> None:
        """The definition changes. Raises error 1205 where another transaction uses the table."""
        if any(owner is not transaction for owner in self._held):
            raise error("LOCK_WAIT_TIMEOUT")

    def release(self, transaction: Hashable) -> None:
        self._held.pop(transaction, None)
