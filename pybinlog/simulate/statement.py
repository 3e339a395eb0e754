"""What happens to a connection's statement: control statements, DDL, and the three layers for what changes rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pybinlog.event_types import EventFlag
from pybinlog.layout import StatusVar
from pybinlog.schema import SqlError
from pybinlog.schema.statement import (
    AlterDatabase,
    AlterTable,
    CreateDatabase,
    CreateTable,
    DropDatabase,
)
from pybinlog.simulate.caching import begin, cache_rows, cache_statement, variables_of
from pybinlog.simulate.commit import (
    commit_statement,
    flush_stmt_cache,
    flush_trx_cache,
    implicit_commit,
    roll_back_statement,
    roll_back_transaction,
)
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.control import run_control
from pybinlog.simulate.decision import Decision, decide, writes_n, writes_t
from pybinlog.simulate.query_event import query, xid
from pybinlog.simulate.sql.effect import Effect, LoggedText, TableUse
from pybinlog.simulate.sql.execute import execute
from pybinlog.simulate.sql.parser import parse
from pybinlog.simulate.sql.safety import tables_of, unsafe_of
from pybinlog.simulate.sql.syntax import CreateSelect, SetVariables, Statement
from pybinlog.simulate.transaction_state import XaState
from pybinlog.simulate.variables import set_variables
from pybinlog.simulate.xa import abandon, wrong_state

NAMES_ITS_DATABASE = (CreateDatabase, DropDatabase, AlterDatabase)


def run_statement(connection: Connection, text: bytes) -> None:
    """Run one statement. Raises SqlError where it fails as it would on a server; its traces are logged then.

    Raises ScenarioError or UnsupportedStatement where it is outside of the model.
    """
    if run_control(connection, text):
        return
    statement = parse(text, connection.session.character_set_client, connection.session.sql_mode)
    if isinstance(statement.node, SetVariables):
        set_variables(connection, statement, statement.node)
        return
    if connection.xa.state is not XaState.NONE and (statement.is_ddl or connection.xa.state is not XaState.ACTIVE):
        raise wrong_state(connection.xa.state)
    if statement.is_ddl:
        run_ddl(connection, statement)
    else:
        run_dml(connection, statement)


def close(connection: Connection) -> None:
    """The client went away: its transaction is rolled back."""
    if connection.xa.state is not XaState.NONE:
        abandon(connection)
    connection.explicit = False
    roll_back_transaction(connection)


def run_dml(connection: Connection, statement: Statement) -> None:
    """Decide, execute, cache, flush."""
    tables = tables_of(statement, connection.session)
    decision = decide_format(connection, statement, tables)
    check_gtid_consistency(connection, tables)
    if any(use.table.transactional for use in tables):
        connection.engine_begins()
    effect = execute(statement, connection.session, row_format=decision.row)
    if effect.error is None and effect.engine_written:
        connection.engine_changed = True
    if statement.is_dml and (effect.error is None or effect.changed_n):
        log_changes(connection, statement.text, tables, decision, effect)
    if effect.error is not None:
        roll_back_statement(connection, changed_n=effect.changed_n)
        raise effect.error
    commit_statement(connection)


def decide_format(connection: Connection, statement: Statement, tables: Sequence[TableUse]) -> Decision:
    reasons = [reason.value for reason in unsafe_of(statement, connection.session)]
    return decide(connection, tables, reasons, alone=statement.is_ddl)


def check_gtid_consistency(connection: Connection, tables: Sequence[TableUse]) -> None:
    """Error 1785: with enforce_gtid_consistency, N-tables are not changed together with T-tables."""
    options = connection.state.options
    if options.gtid and writes_n(tables) and (writes_t(tables) or not connection.trx_cache.empty):
        if options.enforce_gtid_consistency:
            raise SqlError(
                1785,
                "Statement violates GTID consistency: Updates to non-transactional tables can only be done in either "
                "autocommitted statements or single-statement transactions, and never in the same statement as updates "
                "to transactional tables.",
            )
        connection.state.warn(
            "Statement violates GTID consistency: a server with gtid_mode=ON refuses it (error 1785), as does "
            "enforce_gtid_consistency=on here"
        )


def log_changes(
    connection: Connection, text: bytes, tables: Sequence[TableUse], decision: Decision, effect: Effect
) -> None:
    """Put a statement's changes into the caches, in the format that was decided."""
    if decision.row:
        connection.effect = Effect(table_map_for_update=effect.table_map_for_update)
        if effect.error is not None:  # what it did to T-tables was in the trx-cache, and is gone again
            if any(change.table.transactional for change in effect.changes):
                connection.log_begins()
            effect.changes = [change for change in effect.changes if not change.table.transactional]
            tables = [use for use in tables if not use.table.transactional]
        cache_rows(connection, text, tables, effect)
        return
    connection.effect = effect
    for reason in decision.unsafe:
        connection.state.warn(f"Statement may not be safe to log in statement format: {reason}")
    cache_statement(connection, text, tables, decision, effect)


def run_ddl(connection: Connection, statement: Statement) -> None:
    """DDL commits what was open, and is a group by itself (WL#2687, "Highlights", 5)."""
    implicit_commit(connection)
    decision = decide_format(connection, statement, tables_of(statement, connection.session))
    effect = execute(statement, connection.session, row_format=decision.row)
    if effect.logged and (effect.error is None or effect.log_texts):
        connection.number_transaction()
        connection.effect = effect
        created = isinstance(statement.node, CreateTable) and statement.node.like is None
        if created and not decision.row and not effect.databases:
            # IF NOT EXISTS, and it does: opened like a table that is written
            effect.databases = list(dict.fromkeys(use.table.database for use in effect.tables))
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


def log_ddl(connection: Connection, statement: Statement, effect: Effect) -> None:
    """Log DDL as its text, with the transaction's number if the engine keeps it in one (atomic DDL)."""
    own = isinstance(statement.node, NAMES_ITS_DATABASE)
    texts = [(logged.text.encode("utf-8", "surrogateescape"), logged) for logged in effect.log_texts]
    for text, logged in texts or [(statement.text, LoggedText("", effect.atomic))]:
        event = query(
            connection,
            text,
            immediate=True,
            database=effect.databases[0] if own and effect.databases else None,
            suppress_use=own,
            more=ddl_variables(connection, statement, effect, logged.atomic),
            flags=EventFlag.THREAD_SPECIFIC if logged.thread_specific else 0,
        )
        connection.state.write_group([*variables_of(connection, effect), event])


def ddl_variables(connection: Connection, statement: Statement, effect: Effect, atomic: bool) -> dict[StatusVar, Any]:
    """The status variables that only DDL has; all but the first came with 8.0."""
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
