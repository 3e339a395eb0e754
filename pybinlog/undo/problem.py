"""UndoRequest: what is to be taken back; Problems: what prevents it, each with its place and the way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.views.options import ViewOptions

ROWS_PER_STATEMENT = 4000
"""With more, the statements take hardly less time."""
MOST = 100
"""Problems that are kept; one for each kind and table."""


class Place(NamedTuple):
    """A place in a log, and the GTID there."""

    file: str
    position: int
    gtid: str | None = None

    @classmethod
    def of(cls, cells: Mapping[str, Any]) -> Place:
        """Return the place of a change, by the columns of the view rows."""
        return cls(cells["file"], cells["position"], cells["gtid"])

    def __str__(self) -> str:
        return f"{self.file}, at {self.position}"


class Problem(NamedTuple):
    """Why changes cannot be taken back. `table` is the table's label; None if it is about all of the logs."""

    kind: str
    table: str | None
    place: Place
    what: str
    way_out: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}. {self.way_out}"


class Problems:
    """The first problem of each kind and table, in the order of the logs, and how many more there were."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str | None], Problem] = {}
        self._more: dict[tuple[str, str | None], int] = {}
        self.is_full = False

    def add(self, kind: str, table: str | None, place: Place, what: str, way_out: str) -> None:
        key = kind, table
        if key in self._found:
            self._more[key] = self._more.get(key, 0) + 1
        elif len(self._found) < MOST:
            self._found[key] = Problem(kind, table, place, what, way_out)
        else:
            self.is_full = True

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    @property
    def by_table(self) -> dict[str, str]:
        """A sentence for each table, if all problems are about tables; else nothing."""
        if self.is_full or any(problem.table is None for problem in self):
            return {}
        return {problem.table: str(problem) for problem in self if problem.table is not None}

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each problem."""
        for key, problem in self._found.items():
            more = self._more.get(key, 0)
            yield str(problem) + (f" ({more} more of this kind)" if more else "")
        if self.is_full:
            yield f"there are more problems than these {MOST}"


@dataclass(frozen=True)
class UndoRequest:
    """One undo, or redo.

    `options` are the filters, of the view rows. `redo`: make the changes again, in their order. `as_events`: write
    BINLOG statements. `checks_state`: a statement changes a row only if it is as it is expected. `command` is the
    command line, for the head. `rows_per_statement` are the most rows that one statement changes. `ignored_columns` are
    the names of columns that each UPDATE may change, in lower case.
    """

    options: ViewOptions
    redo: bool = False
    as_events: bool = False
    checks_state: bool = True
    allows_non_transactional: bool = False
    overwrites_later_changes: bool = False
    rows_per_statement: int = ROWS_PER_STATEMENT
    ignored_columns: frozenset[str] = frozenset()
    command: str = ""

    @property
    def word(self) -> str:
        return "redo" if self.redo else "undo"
