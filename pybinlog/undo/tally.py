"""UndoTally: how many rows of which tables are taken back, and when they were changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.undo.change import Change
    from pybinlog.undo.table import UndoTable


@dataclass
class Touched:
    """A table with rows that are taken back, by operation; `first` is the first one's place among all changes."""

    table: UndoTable
    first: int
    rows: Counter[str] = field(default_factory=Counter)


class UndoTally:
    """Counts the rows of one transaction after the other.

    `transaction` is the number of the current one; a prepared XA transaction can be forgotten when it is rolled back.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Touched] = {}
        self.transactions = 0
        self.transaction = 0
        self.first_time: datetime | None = None
        self.last_time: datetime | None = None
        self._current: Counter[tuple[str, str]] = Counter()
        self._prepared: dict[str, tuple[int, Counter[tuple[str, str]]]] = {}

    @property
    def transaction_rows(self) -> int:
        """The rows of the current transaction so far."""
        return self._current.total()

    @property
    def total(self) -> int:
        """The rows of all transactions that are through."""
        return sum(touched.rows.total() for touched in self.tables.values())

    def begin(self, change: Change, order: int) -> None:
        """Note a row event, and its place among all changes."""
        if change.table.label not in self.tables:
            self.tables[change.table.label] = Touched(change.table, order)
        time = change.cells["timestamp"]
        if time is not None:
            self._span(time)

    def _span(self, time: datetime) -> None:
        self.first_time = time if self.first_time is None else min(self.first_time, time)
        self.last_time = time if self.last_time is None else max(self.last_time, time)

    def add(
        self, rows: list[tuple[Change, int]], transactions: int = 0, first_time: int = 0, last_time: int = 0
    ) -> None:
        """Count rows of whole transactions, with the times in seconds of some of them; 0: none has a time."""
        for change, count in rows:
            self.tables[change.table.label].rows[change.operation] += count
        self.transactions += transactions
        if first_time:
            for seconds in (first_time, last_time):
                self._span(datetime.fromtimestamp(seconds, timezone.utc))

    def rows(self, change: Change, count: int) -> None:
        """Count rows of a row event."""
        self._current[change.table.label, change.operation] += count

    def end(self) -> None:
        """End the current transaction; another one begins."""
        if self._current:
            self._add(self._current, 1)
            self._current = Counter()
        self.transaction += 1

    def keep(self, xid: str) -> None:
        """Remember the current transaction, which is prepared."""
        self._prepared[xid] = self.transaction, Counter(self._current)

    def forget(self, xid: str) -> int | None:
        """Take back the counts of a prepared transaction, which was rolled back. Return its number."""
        transaction, rows = self._prepared.pop(xid, (None, Counter()))
        self._add(rows, -1)
        return transaction

    def _add(self, rows: Counter[tuple[str, str]], sign: int) -> None:
        self.transactions += sign if rows else 0
        for (label, operation), count in rows.items():
            self.tables[label].rows[operation] += sign * count
