"""CascadedRows: the rows that foreign keys have changed in the current statement."""

from __future__ import annotations

from pybinlog.undo.statement import overlaid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.undo.change import Change
    from pybinlog.undo.table import Literals

    Key = tuple[str, tuple[bytes | None, ...]]

MOST_ROWS = 100_000
"""Rows that are kept of one statement. Of one with more, the SQL may end at a row that is not as it is expected."""


class CascadedRows:
    """Keeps the UPDATEs of cascades, and puts right the row of a DELETE that comes after one.

    A statement may delete a row after its own cascade has set a foreign key of it to NULL: a DELETE of two tables, or
    of a row that refers to itself. MySQL 9.6 and later log the UPDATE, and then the DELETE with the values from before.
    """

    def __init__(self) -> None:
        self._rows: dict[Key, tuple[Literals, Literals]] = {}
        """The row before its first UPDATE and after its last one."""

    def row(self, change: Change, before: Literals, after: Literals | None) -> Literals:
        """Follow the change of a row, and return the row as it was just before."""
        if not self._rows and not change.is_cascade:
            return before
        key = change.table.label, tuple(before[place] for place in change.table.key) or tuple(before)
        first, last = self._rows.get(key, (before, before))
        if after is None:
            return [now if value == was else value for value, was, now in zip(before, first, last, strict=True)]
        if change.is_cascade and len(self._rows) < MOST_ROWS:
            self._rows[key] = first, overlaid(before, after)
        return before

    def end_statement(self) -> None:
        self._rows.clear()
