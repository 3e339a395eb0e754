"""Layer 1 of WL#2687, deciding the format: rows or the statement, and what is unsafe about the statement.

A T-statement accesses T-tables (InnoDB) only, an N-statement N-tables (MyISAM) only, an M-statement both. Unsafe
statements are found as in servers since 5.5; docs/simulate.md lists the differences from the worklog's table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pybinlog.schema import SqlError
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.sql.effect import TableUse
from pybinlog.simulate.sql.safety import unsafe_of
from pybinlog.simulate.sql.syntax import Statement
from pybinlog.simulate.transaction_state import XaState


@dataclass(frozen=True)
class Decision:
    """The format of a statement, and the reasons why it is unsafe to log it as a statement.

    `mixed_unsafe` is the reason that also sends a statement into the trx-cache (layer 2).
    """

    row: bool
    unsafe: tuple[str, ...] = ()
    mixed_unsafe: bool = False


MIXED_STATEMENT = "transactional and other tables in one statement, which changes some of them"
N_AFTER_T = "a non-transactional table changed after a transactional one, in the same transaction"
XA = "a change in an XA transaction"


def decide(connection: Connection, statement: Statement, tables: Sequence[TableUse]) -> Decision:
    """WL#2687's FORMAT(mode, stm): before a statement runs, decide how its changes are logged.

    DDL is a transaction by itself. Since 8.0, every change in an XA transaction is unsafe, and MIXED logs as rows what
    names a temporary table. Raise SqlError where the server refuses the statement.
    """
    several = connection.in_transaction and not statement.is_ddl
    changed = not connection.trx_cache.empty  # WL#2687's "T Before"
    writes = any(use.written for use in tables)
    mixed = mixed_is_unsafe(tables, several=several, changed=changed, repeatable=connection.repeatable)
    reasons = [reason.value for reason in unsafe_of(statement, connection.session)]
    if mixed:
        reasons.append(MIXED_STATEMENT)
    elif several and changed and not connection.direct and writes_n(tables):
        reasons.append(N_AFTER_T)
    if connection.xa.state is not XaState.NONE and connection.state.options.modern and writes:
        reasons.append(XA)
    if connection.binlog_format is BinlogFormat.ROW:
        return Decision(row=True, mixed_unsafe=mixed)
    needs_rows = not connection.repeatable and writes_t(tables)
    if connection.binlog_format is BinlogFormat.MIXED:
        temporary = any(use.table.temporary for use in tables)
        return Decision(row=writes and (needs_rows or bool(reasons) or temporary), mixed_unsafe=mixed)
    if needs_rows:
        raise SqlError(
            1665,
            "Cannot execute statement: impossible to write to binary log since BINLOG_FORMAT = STATEMENT and at least "
            "one table uses a storage engine limited to row-based logging. InnoDB is limited to row-logging when "
            "transaction isolation level is READ COMMITTED or READ UNCOMMITTED.",
        )
    return Decision(row=False, unsafe=tuple(reasons) if writes else (), mixed_unsafe=mixed)


def mixed_is_unsafe(tables: Sequence[TableUse], *, several: bool, changed: bool, repeatable: bool) -> bool:
    """Return True if an M-statement is unsafe in its place; `repeatable`: the isolation level is REPEATABLE READ or
    higher.

    In a transaction of several statements: if it changes a T-table; or if it changes an N-table by what it reads of a
    T-table, once a T-table was changed before. By itself: only the latter, below REPEATABLE READ, where nothing keeps
    the rows that it read.
    """
    if len({use.table.transactional for use in tables}) < 2:
        return False
    n_from_t = writes_n(tables)
    if several and (writes_t(tables) or (n_from_t and changed)):
        return True
    return n_from_t and not repeatable


def writes_t(tables: Iterable[TableUse]) -> bool:
    """Return True if a statement changes a T-table."""
    return any(use.written and use.table.transactional for use in tables)


def writes_n(tables: Iterable[TableUse]) -> bool:
    """Return True if a statement changes an N-table."""
    return any(use.written and not use.table.transactional for use in tables)
