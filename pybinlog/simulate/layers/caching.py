"""Layers 1 and 2 of WL#2687: rows or the statement, what is unsafe about it, and which of the two caches takes it.

A T-statement accesses T-tables (InnoDB) only, an N-statement N-tables (MyISAM) only, an M-statement both. Unsafe
statements are found as in servers since 5.5; docs/simulate-model.md lists the differences from the worklog's table.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pybinlog.event_types import EventFlag, EventType, RowsFlag
from pybinlog.schema import SqlError
from pybinlog.schema.table_map import table_map_body
from pybinlog.simulate.connection import Connection, query
from pybinlog.simulate.layers.caches import StmtCache
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.log.row_events import row_groups
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.sql.safety import unsafe_of
from pybinlog.simulate.sql.session import Effect, TableUse
from pybinlog.simulate.sql.syntax import Delete, Statement
from pybinlog.simulate.tables.table import RowChange
from pybinlog.simulate.transaction_state import XaState


class Decision(NamedTuple):
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
    reasons = remembered(connection, reasons, tables)
    if connection.binlog_format is BinlogFormat.ROW:
        return Decision(row=True, mixed_unsafe=mixed)
    needs_rows = not connection.repeatable and writes_t(tables)
    if connection.binlog_format is BinlogFormat.MIXED:
        needs_rows |= bool(reasons) or any(use.table.temporary for use in tables)
        if connection.procedure is not None:
            needs_rows = connection.procedure.is_row = connection.procedure.is_row or (writes and needs_rows)
        return Decision(row=writes and needs_rows, mixed_unsafe=mixed)
    if needs_rows:
        raise SqlError(
            1665,
            "Cannot execute statement: impossible to write to binary log since BINLOG_FORMAT = STATEMENT and at least "
            "one table uses a storage engine limited to row-based logging. InnoDB is limited to row-logging when "
            "transaction isolation level is READ COMMITTED or READ UNCOMMITTED.",
        )
    return Decision(row=False, unsafe=tuple(reasons) if writes else (), mixed_unsafe=mixed)


def remembered(connection: Connection, reasons: list[str], tables: Sequence[TableUse]) -> list[str]:
    """Return the reasons, with those that a statement of a procedure had when the connection ran it before.

    Servers keep them with the statement, until a stored program or one of its tables is defined anew.
    """
    if connection.procedure is None:
        return reasons
    known = connection.known_unsafe.setdefault((connection.procedure.key, *(use.table.id for use in tables)), [])
    known += [reason for reason in reasons if reason not in known]
    return known


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


ROW_EVENTS = {"write": EventType.WRITE_ROWS, "update": EventType.UPDATE_ROWS, "delete": EventType.DELETE_ROWS}
LAST_INSERT_ID, INSERT_ID = 1, 2
LATIN1 = 8
"""The collation of numbers in MariaDB's user variables."""


def cache_rows(connection: Connection, text: bytes, tables: Sequence[TableUse], effect: Effect) -> None:
    """CACHE_ROW of each changed row: those of T-tables into the trx-cache, those of N-tables into the stmt-cache.

    The Table_maps of all tables that the statement may change come first, and before them, once, its text (WL#4033).
    """
    if not effect.changes:
        return
    mapped = [use.table for use in tables if use.written and not use.table.temporary]
    text_due = connection.rows_query
    if connection.state.options.mariadb:  # the first to be written has the text
        mapped.sort(key=lambda table: table.transactional)
    for table in mapped:
        if table.transactional and effect.error is not None:  # it was in the trx-cache, and is gone again
            text_due = False
            continue
        cache = cache_of(connection, table.transactional)
        begin(connection, cache)
        if text_due:
            body = {"length": 0 if connection.state.options.modern else min(len(text), 255), "query": text}
            cache.add(connection.event(EventType.ROWS_QUERY, body, EventFlag.IGNORABLE))
            text_due = False
        options = connection.state.options
        body = table_map_body(table.definition, table.id, version=options.numbers, row_metadata=options.row_metadata)
        cache.add(connection.event(EventType.TABLE_MAP, body))
    for transactional in (False, True):
        changes = [change for change in effect.changes if change.table.transactional == transactional]
        if changes and not (transactional and effect.error is not None):
            add_row_events(connection, cache_of(connection, transactional), changes)


def cache_of(connection: Connection, transactional: bool) -> StmtCache:
    return connection.trx_cache if transactional else connection.stmt_cache


def add_row_events(connection: Connection, cache: StmtCache, changes: list[RowChange]) -> None:
    """Add the row events of one statement in one cache; the last of them ends the statement."""
    session, options = connection.session, connection.state.options
    modern = options.modern and not options.mariadb
    flags = (
        (0 if session.foreign_key_checks else RowsFlag.NO_FOREIGN_KEY_CHECKS)
        | (0 if session.unique_checks else RowsFlag.RELAXED_UNIQUE_CHECKS)
        | (RowsFlag.USE_SQL_FOREIGN_KEY if modern else 0)
    )
    groups = list(row_groups(changes, row_image=connection.row_image, modern=modern))
    for group in groups:
        last = RowsFlag.STMT_END if group is groups[-1] else 0
        body = group.body(group.table.id, flags | last)
        cache.add(connection.event(ROW_EVENTS[group.kind], body, source=group.changes))


def cache_statement(
    connection: Connection, statement: Statement, tables: Sequence[TableUse], decision: Decision, effect: Effect
) -> None:
    """CACHE_STMT: the statement's text, and before it the values that it takes from the session.

    It goes into the trx-cache if it changes a T-table, or is a mixed statement that is unsafe, or if something is in
    there already: so statements keep their order (requirement 1). Otherwise the stmt-cache takes it.
    """
    delayed = not connection.trx_cache.empty and not connection.direct
    cache = cache_of(connection, writes_t(tables) or decision.mixed_unsafe or delayed)
    begin(connection, cache)
    for event in variables_of(connection, effect):
        cache.add(event)
    made_temporary = connection.state.options.mariadb and isinstance(statement.node, Delete) and statement.node.targets
    flags = EventFlag.THREAD_SPECIFIC if made_temporary else 0  # a DELETE of several tables makes one of its own
    cache.add(query(connection, statement.logged_text or statement.text, source=statement, flags=flags))
    if cache is connection.trx_cache and effect.changed_n and writes_n(tables):
        connection.trx_cache.cannot_roll_back = True


def variables_of(connection: Connection, effect: Effect) -> list[LoggedEvent]:
    """Return the events that give a statement what it took from the session, in the server's order."""
    numbers = ((LAST_INSERT_ID, effect.intvar_last_insert_id), (INSERT_ID, effect.intvar_insert_id))
    events = [
        connection.event(EventType.INTVAR, {"type": kind, "value": value})
        for kind, value in numbers
        if value is not None
    ]
    if effect.rand is not None:
        events.append(connection.event(EventType.RAND, {"seed1": effect.rand[0], "seed2": effect.rand[1]}))
    for variable in effect.user_variables:
        body = variable.body()
        if connection.state.options.mariadb and variable.value is not None:
            is_text = isinstance(variable.value, (str, bytes))
            storage = connection.session.storage
            body["charset"] = storage.logged_collation(variable.collation) if is_text else LATIN1
        events.append(connection.event(EventType.USER_VAR, body, source=variable))
    return events


def begin(connection: Connection, cache: StmtCache) -> None:
    """Begin a cache if it is empty: BEGIN comes first, and the binary log takes part in the transaction."""
    connection.trx_cache.mark_statement()
    connection.log_begins()
    connection.trace.cached.add("T" if cache is connection.trx_cache else "S")
    if cache.empty:
        word = b"BEGIN"
        active = connection.xa.state is XaState.ACTIVE and connection.state.options.modern
        if active and cache is connection.trx_cache:
            word = f"XA START {connection.xa.xid}".encode()
        cache.add(query(connection, word, content=False))
