"""LaterChanges: rows that are taken back and were changed again, by table."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.undo.problem import Place, Problems
    from pybinlog.undo.request import UndoRequest
    from pybinlog.undo.tally import UndoTally


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
            problems.add(
                "later",
                label,
                later.first,
                f"{rows} of {total} rows of {label} {verb} changed again, here first{by}",
                "Take the later changes back first; --skip-changed leaves such rows out"
                + ("; --overwrite-later-changes overwrites them" if request.as_events else ""),
            )
