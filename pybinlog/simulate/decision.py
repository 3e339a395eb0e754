"""Layer 1 of WL#2687, deciding the format: rows or the statement, and what is unsafe about the statement.

A T-statement accesses T-tables (InnoDB) only, an N-statement N-tables (MyISAM) only, an M-statement both. What makes a
statement of these unsafe is worked out as servers since 5.5 do; docs/simulate.md says where that departs from the
worklog's table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pybinlog.schema import SqlError
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.sql.effect import TableUse


@dataclass(frozen=True)
class TransactionState:
    """What the decision needs to know of the transaction.

    `several_statements`: BEGIN was said, or autocommit is off. `changed`: the trx-cache is not empty, WL#2687's
    "T Before". `direct`: binlog_direct_non_transactional_updates. `repeatable`: the isolation level is REPEATABLE READ
    or higher. `xa`: the statement is part of an XA transaction.
    """

    several_statements: bool
    changed: bool
    direct: bool
    repeatable: bool = True
    xa: bool = False


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


def decide(
    binlog_format: BinlogFormat,
    tables: Sequence[TableUse],
    state: TransactionState,
    unsafe: Iterable[str] = (),
    *,
    modern: bool = True,
) -> Decision:
    """WL#2687's FORMAT(mode, stm): before a statement runs, decide how its changes are logged.

    `unsafe` are the reasons that lie in the statement alone, such as LIMIT; `modern` is a server since 8.0, for which
    every change in an XA transaction is unsafe, too. Raises SqlError where the server refuses the statement.
    """
    writes = any(use.written for use in tables)
    mixed = mixed_is_unsafe(tables, state)
    reasons = list(unsafe)
    if mixed:
        reasons.append(MIXED_STATEMENT)
    elif state.several_statements and state.changed and not state.direct and writes_n(tables):
        reasons.append(N_AFTER_T)
    if state.xa and modern and writes:
        reasons.append(XA)
    if binlog_format is BinlogFormat.ROW:
        return Decision(row=True, mixed_unsafe=mixed)
    needs_rows = not state.repeatable and writes_t(tables)
    if binlog_format is BinlogFormat.MIXED:
        return Decision(row=writes and (needs_rows or bool(reasons)), mixed_unsafe=mixed)
    if needs_rows:
        raise SqlError(
            1665,
            "Cannot execute statement: impossible to write to binary log since BINLOG_FORMAT = STATEMENT and at least "
            "one table uses a storage engine limited to row-based logging. InnoDB is limited to row-logging when "
            "transaction isolation level is READ COMMITTED or READ UNCOMMITTED.",
        )
    return Decision(row=False, unsafe=tuple(reasons) if writes else (), mixed_unsafe=mixed)


def mixed_is_unsafe(tables: Sequence[TableUse], state: TransactionState) -> bool:
    """Whether an M-statement is unsafe where it stands.

    In a transaction: if it changes a T-table; or if it changes an N-table by what it reads of a T-table, once a T-table
    was changed before. By itself: only the latter, below REPEATABLE READ, where nothing keeps the rows that it read.
    """
    accesses_n = any(not use.table.transactional for use in tables)
    accesses_t = any(use.table.transactional for use in tables)
    if not (accesses_n and accesses_t):
        return False
    n_from_t = writes_n(tables)
    if state.several_statements and (writes_t(tables) or (n_from_t and state.changed)):
        return True
    return n_from_t and not state.repeatable


def writes_t(tables: Iterable[TableUse]) -> bool:
    """Whether a statement changes a T-table."""
    return any(use.written and use.table.transactional for use in tables)


def writes_n(tables: Iterable[TableUse]) -> bool:
    """Whether a statement changes an N-table."""
    return any(use.written and not use.table.transactional for use in tables)
