"""The head of an undo or redo: comments that say what it does, and how to run it."""

from __future__ import annotations

from pybinlog.kernel.undo.turned_rows import binlog_statement
from pybinlog.undo.script import comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pybinlog.undo.problem import UndoRequest
    from pybinlog.undo.tally import UndoTally

SETTINGS = b"""
SET @pybinlog_client = @@character_set_client, @pybinlog_collation = @@collation_connection,
    @pybinlog_results = @@character_set_results, @pybinlog_zone = @@time_zone, @pybinlog_mode = @@sql_mode,
    @pybinlog_keys = @@foreign_key_checks;
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
Run it with the mysql or mariadb client, without --force. It stops at the first error, and its transaction is rolled
back. {checked}

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
CHECKED = "Error 1242 says that the row of the statement before it is not as it is expected: somebody changed it."
BY_EVENTS = (
    "A row is found by its key, or by all its values without one, and all its columns are set. A row that is "
    "not there ends the run with error 1032."
)
NOT_CHECKED = "Nothing checks that a statement finds its row, or that nobody changed it (--no-check-state)."


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
    """The statements before those of the changes."""
    if not request.as_events:
        return SETTINGS % (not request.redo)
    gtids = b"" if b"MariaDB" in format_description[:80] else b"SET gtid_next = 'AUTOMATIC';\n"
    return EVENT_SETTINGS + binlog_statement(format_description) + gtids + b"START TRANSACTION;\n"


def closing(request: UndoRequest) -> bytes:
    """The statements after them."""
    return EVENT_END if request.as_events else END


def counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
