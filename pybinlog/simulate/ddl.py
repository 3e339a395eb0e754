"""DDL: it commits what was open, and is a group by itself (WL#2687, "Highlights", 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pybinlog.event_types import EventFlag
from pybinlog.layout import StatusVar
from pybinlog.schema.statement import AlterDatabase, AlterTable, CreateDatabase, CreateTable, DropDatabase
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.gtid_next import check_create_select
from pybinlog.simulate.layers.caching import begin, cache_rows, decide, variables_of
from pybinlog.simulate.layers.commit import flush_stmt_cache, flush_trx_cache, implicit_commit
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.query_event import query, xid
from pybinlog.simulate.sql.execute import execute
from pybinlog.simulate.sql.safety import tables_of
from pybinlog.simulate.sql.session import Effect, LoggedText, TableUse
from pybinlog.simulate.sql.syntax import CreateSelect, Statement

NAMES_ITS_DATABASE = (CreateDatabase, DropDatabase, AlterDatabase)


def run_ddl(connection: Connection, statement: Statement) -> None:
    """DDL commits what was open, and is a group by itself (WL#2687, "Highlights", 5)."""
    implicit_commit(connection)
    check_create_select(connection, statement)
    decision = decide(connection, statement, tables_of(statement, connection.session))
    copies = isinstance(statement.node, CreateTable) and connection.binlog_format is not BinlogFormat.STATEMENT
    effect = execute(statement, connection.session, row_format=decision.row or copies)
    connection.uses_temporary |= effect.temporary
    effect.logged &= not effect.temporary or connection.binlog_format is BinlogFormat.STATEMENT
    if effect.logged and (effect.error is None or effect.log_texts):
        connection.number_transaction()
        connection.effect = effect
        add_databases(statement, effect)
        if isinstance(statement.node, CreateSelect) and decision.row and effect.log_texts:
            log_create_select(connection, statement, effect)
        else:
            log_ddl(connection, statement, effect)
    if connection.session.database not in connection.state.storage.databases:
        connection.session.database = None
    if effect.error is not None:
        connection.session.transaction.roll_back()
        connection.transaction_is_over()
        raise effect.error
    connection.session.transaction.commit()
    connection.transaction_is_over()


def add_databases(statement: Statement, effect: Effect) -> None:
    """Add the databases of a CREATE TABLE IF NOT EXISTS whose table exists: the server opens it as one to write."""
    if isinstance(statement.node, CreateTable) and statement.node.like is None and not effect.databases:
        effect.databases = list(dict.fromkeys(use.table.database for use in effect.tables))


def log_ddl(connection: Connection, statement: Statement, effect: Effect) -> None:
    """Log DDL as its text, with the transaction's number if the engine keeps it in one (atomic DDL)."""
    for event in ddl_events(connection, statement, effect):
        connection.write_group([*variables_of(connection, effect), event])


def ddl_events(connection: Connection, statement: Statement, effect: Effect) -> Iterator[LoggedEvent]:
    """Yield the Query event of each text that DDL is logged as."""
    own = isinstance(statement.node, NAMES_ITS_DATABASE)
    texts = [(logged.text.encode("utf-8", "surrogateescape"), logged) for logged in effect.log_texts]
    for text, logged in texts or [(statement.text, LoggedText("", effect.atomic))]:
        yield query(
            connection,
            text,
            immediate=not (statement.is_temporary and connection.in_transaction),
            database=effect.databases[0] if own and effect.databases else None,
            suppress_use=own,
            more=ddl_variables(connection, statement, effect, logged.atomic),
            flags=EventFlag.THREAD_SPECIFIC if logged.thread_specific else 0,
        )


def ddl_variables(connection: Connection, statement: Statement, effect: Effect, atomic: bool) -> dict[StatusVar, Any]:
    """Return the status variables that only DDL has; all but the first came with 8.0."""
    variables: dict[StatusVar, Any] = {}
    node = statement.node
    if effect.timestamp_columns:
        variables[StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP] = int(connection.session.explicit_defaults_for_timestamp)
    if atomic:
        variables[StatusVar.DDL_LOGGED_WITH_XID] = connection.transaction_number
    if isinstance(node, (CreateTable, CreateSelect)) or (isinstance(node, AlterTable) and not node.index):
        variables[StatusVar.SQL_REQUIRE_PRIMARY_KEY] = 0
    if isinstance(node, CreateDatabase):
        variables[StatusVar.DEFAULT_TABLE_ENCRYPTION] = 0
    return variables


def log_create_select(connection: Connection, statement: Statement, effect: Effect) -> None:
    """Log CREATE TABLE ... SELECT as rows.

    The definition and the rows of a T-table are one transaction. The definition of an N-table is a group by itself, as
    other DDL is, and its rows are the next one.
    """
    effect.databases = []
    created = dict.fromkeys(change.table for change in effect.changes)
    uses = [TableUse(table, written=True) for table in created]
    if not all(use.table.transactional for use in effect.tables if use.written):
        log_ddl(connection, statement, effect)
        cache_rows(connection, statement.text, uses, effect)
        flush_stmt_cache(connection)
        return
    cache = connection.trx_cache
    begin(connection, cache)
    (logged,) = effect.log_texts
    text = logged.text.encode("utf-8", "surrogateescape")
    cache.add(query(connection, text, more={StatusVar.SQL_REQUIRE_PRIMARY_KEY: 0}))
    cache_rows(connection, statement.text, uses, effect)
    assert connection.transaction_number is not None
    flush_trx_cache(connection, xid(connection, connection.transaction_number))
