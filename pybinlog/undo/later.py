"""Rows that are not as their statement left them: changed again (LaterChanges), or by foreign keys (CascadedRows)."""

from dataclasses import dataclass

from pybinlog.undo.change import Change
from pybinlog.undo.head import UndoTally
from pybinlog.undo.problem import Place, Problems, UndoRequest
from pybinlog.undo.statement import overlaid
from pybinlog.undo.table import Literals

Key = tuple[str, tuple[bytes | None, ...]]


@dataclass
class OfTable:
    """Rows of a table that were changed again, and the first place where one was."""

    first: Place
    rows: int = 0


class LaterChanges:
    """Counts rows but those of tables that are left out; false if there is none."""

    def __init__(self, left_out: frozenset[str] = frozenset()) -> None:
        self._left_out = left_out
        self._tables: dict[str, OfTable] = {}

    def __bool__(self) -> bool:
        return bool(self._tables)

    def add(self, label: str, place: Place, rows: int) -> None:
        if label not in self._left_out:
            self._tables.setdefault(label, OfTable(place)).rows += rows

    def add_to(self, problems: Problems, tally: UndoTally, request: UndoRequest) -> None:
        """Note a problem for each table."""
        for label, later in self._tables.items():
            total = tally.tables[label].rows.total()
            rows = min(later.rows, total)  # a row that changed its key has two
            by = "" if later.first.gtid is None else f" by {later.first.gtid}"
            verb = "was" if rows == 1 else "were"
            what = f"{rows} of {total} rows of {label} {verb} changed again, here first{by}"
            way_out = "Take the later changes back first; --skip-changed leaves such rows out"
            if request.as_events:
                way_out += "; --overwrite-later-changes overwrites them"
            problems.add("later", label, later.first, what, way_out)


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
