"""The head of an undo or redo: comments that say what it does, and how to run it.

UndoTally: how many rows of which tables are taken back, and when they were changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from pybinlog.kernel.undo.turned_rows import binlog_statement
from pybinlog.undo.change import Change
from pybinlog.undo.problem import UndoRequest
from pybinlog.undo.script import comment
from pybinlog.undo.table import UndoTable
from pybinlog.visible import counted

CLIENT = b"\\C utf8mb4\n"
"""Tells the client in which character set it finds the end of a value or a name. SET NAMES tells only the server: in
gbk, big5, sjis or cp932, part of a value could be a command of the client."""
SETTINGS = b"""
SET @pybinlog_client = @@character_set_client, @pybinlog_collation = @@collation_connection,
    @pybinlog_results = @@character_set_results, @pybinlog_zone = @@time_zone, @pybinlog_mode = @@sql_mode,
    @pybinlog_keys = @@foreign_key_checks, @pybinlog_taken = NULL;
SET NAMES utf8mb4;
SET time_zone = '+00:00', foreign_key_checks = %d,
    sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';
START TRANSACTION;
"""
EVENT_SETTINGS = b"""
SET @pybinlog_keys = @@foreign_key_checks;
SET foreign_key_checks = 0;
"""
EVENT_END = b"""
COMMIT;
SET foreign_key_checks = @pybinlog_keys;
"""
END = b"""
COMMIT;
SET character_set_client = @pybinlog_client, collation_connection = @pybinlog_collation,
    character_set_results = @pybinlog_results, time_zone = @pybinlog_zone, sql_mode = @pybinlog_mode,
    foreign_key_checks = @pybinlog_keys;
"""
RUN = """\
Run it with mysql --binary-mode or mariadb --binary-mode, without --force. It stops at the first error, and its
transaction is rolled back. {checked}

The server writes these changes to its binary log with new GTIDs, and replicas repeat them. SET sql_log_bin = 0 before
it keeps them out of the log.

{keys}"""
KEYS_CHECKED = (
    "Foreign keys are checked, but not for what a cascade changed, or for rows that refer to themselves. No row is\n"
    "deleted if others would be deleted with it."
)
KEYS_NOT_CHECKED = (
    "Foreign keys are not checked: a check would run cascades a second time. Look for rows that refer to none."
)
CHECKED = (
    "Error 1231 names a row that is not as expected: it has changed since. An\n"
    "UPDATE of a table with a primary key is compared by the columns that it changed."
)
BY_EVENTS = (
    "A row is found by its key, or by all its values without one, and all its columns are set. A row that\n"
    "is not there ends the run with error 1032."
)
NOT_CHECKED = "Nothing checks that a statement finds its row, or that the row is unchanged (--no-check-state)."


def head(request: UndoRequest, tally: UndoTally, logs: Sequence[str], notes: Sequence[str]) -> Iterator[bytes]:
    """Yield the lines: what is done, by which command, what was not looked at, how to run it."""
    rows = counted(tally.total, "row")
    yield comment(f"{request.word} of {counted(tally.transactions, 'transaction')}, {rows}, by pybinlog")
    if tally.first_time is not None and tally.last_time is not None:
        yield comment(f"from {tally.first_time:%Y-%m-%d %H:%M:%S} to {tally.last_time:%Y-%m-%d %H:%M:%S} UTC")
    for touched in tally.tables.values():
        if touched.rows.total():
            words = ", ".join(f"{counted(count, operation)}" for operation, count in touched.rows.items() if count)
            yield comment(f"  {touched.table.label}: {words}")
    yield comment(f"logs: {logs[0]}" if len(logs) == 1 else f"logs: {logs[0]} to {logs[-1]}")
    yield comment(f"command: {request.command}")
    for note in notes:
        yield comment(note)
    yield b"--\n"
    keys = KEYS_NOT_CHECKED if request.as_events or request.redo else KEYS_CHECKED
    checked = CHECKED if request.checks_state else NOT_CHECKED
    for line in RUN.format(checked=BY_EVENTS if request.as_events else checked, keys=keys).split("\n"):
        yield comment(line)


def opening(request: UndoRequest, format_description: bytes) -> bytes:
    """Return the statements before those of the changes."""
    if not request.as_events:
        return SETTINGS % (not request.redo)
    gtids = b"" if b"MariaDB" in format_description[:80] else b"SET gtid_next = 'AUTOMATIC';\n"
    return EVENT_SETTINGS + binlog_statement(format_description) + gtids + b"START TRANSACTION;\n"


def closing(request: UndoRequest) -> bytes:
    """Return the statements after them."""
    return EVENT_END if request.as_events else END


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
    def transaction_tables(self) -> list[str]:
        """The labels of the tables with rows of the current transaction."""
        return list(dict.fromkeys(label for label, _ in self._current))

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
