"""Temporary tables: CREATE and DROP TEMPORARY TABLE, and their end with the connection."""

from __future__ import annotations

from itertools import groupby

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError, default_collation, quoted
from pybinlog.schema.statement import DropTable
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.ddl import add_databases, ddl_events
from pybinlog.simulate.layers.caching import begin
from pybinlog.simulate.layers.commit import commit_statement, roll_back_statement
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.query_event import query
from pybinlog.simulate.sql.effect import Effect
from pybinlog.simulate.sql.execute import execute
from pybinlog.simulate.sql.syntax import CreateSelect, Statement
from pybinlog.simulate.transaction_state import XaState


def check_temporary(connection: Connection) -> None:
    """Refuse a statement that names a temporary table if a server, or the model, does not allow it."""
    if connection.uses_temporary and not connection.state.options.modern:
        if connection.binlog_format is not BinlogFormat.STATEMENT:
            raise UnsupportedStatement(
                "temporary tables of 5.6 are in the model with format=STATEMENT only", missing="TEMPORARY"
            )
    elif connection.uses_temporary and connection.xa.state is not XaState.NONE:
        connection.uses_temporary = False  # the server has not opened it
        raise SqlError(
            4091,
            "XA: Temporary tables cannot be accessed inside XA transactions when xa_detach_on_prepare=ON",
        )


def run_temporary(connection: Connection, statement: Statement) -> None:
    """CREATE and DROP TEMPORARY TABLE commit nothing. They are logged only where statements are.

    In a transaction they wait as its statements do, and ROLLBACK does not take them back.
    """
    logged = connection.binlog_format is BinlogFormat.STATEMENT
    session, before = connection.session, set(connection.session.temporary)
    effect = execute(statement, session, row_format=not logged)
    if isinstance(statement.node, CreateSelect) and any(use.table.transactional for use in effect.tables):
        connection.engine_begins()
    if effect.error is not None:
        roll_back_statement(connection, stays=False)
        raise effect.error
    made = [use.table for use in effect.tables if use.written]
    made += [table for name, table in session.temporary.items() if name not in before]
    if made or isinstance(statement.node, DropTable):
        connection.begun = True
    if logged and effect.logged:
        connection.effect = effect
        add_databases(statement, effect)
        events = ddl_events(connection, statement, effect)
        if connection.in_transaction:
            delayed = not connection.trx_cache.empty or any(table.transactional for table in made)
            cache = connection.trx_cache if delayed else connection.stmt_cache
            begin(connection, cache)
            for event in events:
                cache.add(event)
            connection.trx_cache.cannot_roll_back |= delayed
        else:
            for event in events:
                connection.write_group([event])
    commit_statement(connection)


def drop_temporary(connection: Connection) -> None:
    """Log that the temporary tables of a connection are gone, the latest first, with names of one database together."""
    session = connection.session
    tables = list(reversed(session.temporary.values()))
    session.temporary.clear()
    if connection.binlog_format is not BinlogFormat.STATEMENT:
        return
    connection.effect, connection.uses_temporary = Effect(), True
    utf8mb3, client = default_collation("utf8", session.storage.version), session.character_set_client
    for database, group in groupby(tables, key=lambda table: table.database):
        found = list(group)
        session.character_set_client = utf8mb3
        for transactional in (True, False):
            names = ",".join(quoted(table.name) for table in found if table.transactional == transactional)
            if names:
                text = f"DROP /*!40005 TEMPORARY */ TABLE IF EXISTS {names}".encode("utf-8", "surrogateescape")
                connection.write_group([query(connection, text, immediate=True, database=database)])
                session.character_set_client = client
