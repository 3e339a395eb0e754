"""What happens to a connection's statement: control statements, DDL, and the three layers for what changes rows."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.schema import SqlError
from pybinlog.schema.statement import DropTable
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.control import run_control
from pybinlog.simulate.ddl import run_ddl
from pybinlog.simulate.gtid_consistency import check_gtid_consistency
from pybinlog.simulate.layers.caching import cache_rows, cache_statement
from pybinlog.simulate.layers.commit import commit_statement, roll_back_statement, roll_back_transaction
from pybinlog.simulate.layers.decision import Decision, decide
from pybinlog.simulate.sql.effect import Effect, TableUse
from pybinlog.simulate.sql.execute import execute
from pybinlog.simulate.sql.parser import parse
from pybinlog.simulate.sql.safety import check_tables, tables_of
from pybinlog.simulate.sql.syntax import SetVariables, Statement
from pybinlog.simulate.temporary import check_temporary, drop_temporary, run_temporary
from pybinlog.simulate.transaction_state import XaState
from pybinlog.simulate.variables import set_variables
from pybinlog.simulate.xa import abandon, wrong_state


def run_statement(connection: Connection, text: bytes) -> None:
    """Run one statement. Raises SqlError where it fails as it would on a server; its traces are logged then.

    Raises ScenarioError or UnsupportedStatement where it is outside of the model.
    """
    connection.uses_temporary = False
    if run_control(connection, text):
        return
    statement = parse(text, connection.session.character_set_client, connection.session.sql_mode)
    if isinstance(statement.node, SetVariables):
        set_variables(connection, statement, statement.node)
        return
    tables = tables_of(statement, connection.session)
    creates = statement.is_temporary and not isinstance(statement.node, DropTable)
    connection.uses_temporary = creates or any(use.table.temporary for use in tables)
    check_temporary(connection)
    check_xa(connection, statement, tables)
    if statement.is_temporary:
        run_temporary(connection, statement)
    elif statement.is_ddl:
        run_ddl(connection, statement)
    else:
        run_dml(connection, statement, tables)


def close(connection: Connection) -> None:
    """The client went away: its transaction is rolled back, and its temporary tables are dropped."""
    if connection.xa.state is not XaState.NONE:
        abandon(connection)
    connection.explicit = False
    roll_back_transaction(connection)
    drop_temporary(connection)


def check_xa(connection: Connection, statement: Statement, tables: Sequence[TableUse]) -> None:
    """Raise error 1399 for a statement that may not stand in the XA transaction."""
    if connection.xa.state is XaState.ACTIVE:
        wrong = statement.is_ddl and not statement.is_temporary
    else:
        wrong = connection.xa.state is not XaState.NONE and bool(statement.is_dml or statement.is_ddl or tables)
    if wrong:
        raise wrong_state(connection.xa.state)


def run_dml(connection: Connection, statement: Statement, tables: Sequence[TableUse]) -> None:
    """Decide, execute, cache, flush."""
    check_tables(statement.node, connection.session)
    if any(use.table.transactional for use in tables):
        connection.engine_begins()
    try:
        decision = decide(connection, statement, tables)
        check_gtid_consistency(connection, tables, decision)
    except SqlError:
        roll_back_statement(connection, stays=False)
        raise
    effect = execute(statement, connection.session, row_format=decision.row)
    if effect.error is None and effect.engine_written:
        connection.engine_changed = True
    if statement.is_dml and (effect.error is None or effect.changed_n):
        log_changes(connection, statement.text, tables, decision, effect)
    if effect.error is not None:
        roll_back_statement(connection, stays=effect.changed_n and not decision.row)
        raise effect.error
    commit_statement(connection)


def log_changes(
    connection: Connection, text: bytes, tables: Sequence[TableUse], decision: Decision, effect: Effect
) -> None:
    """Put a statement's changes into the caches, in the format that was decided."""
    if decision.row:
        connection.effect = Effect(table_map_for_update=effect.first_table_map)
        effect.changes = [change for change in effect.changes if not change.table.temporary]
        if effect.error is not None:  # what it did to T-tables was in the trx-cache, and is gone again
            if any(change.table.transactional for change in effect.changes):
                connection.log_begins()
            effect.changes = [change for change in effect.changes if not change.table.transactional]
            tables = [use for use in tables if not use.table.transactional]
        cache_rows(connection, effect.first_text, tables, effect)
        connection.effect.table_map_for_update = effect.table_map_for_update
        return
    connection.effect = effect
    for reason in decision.unsafe:
        connection.state.warn(f"Statement may not be safe to log in statement format: {reason}")
    cache_statement(connection, text, tables, decision, effect)
