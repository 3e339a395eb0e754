"""The way of a connection's statement: control statements, DDL, and the three layers for changes of rows."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from pybinlog.errors import UnsupportedStatement
from pybinlog.event_types import EventFlag
from pybinlog.layout import StatusVar
from pybinlog.schema import SqlError, default_collation, quoted
from pybinlog.schema import error as sql_error
from pybinlog.schema import statement as ddl
from pybinlog.simulate import gtid_next
from pybinlog.simulate.connection import Connection, query, xid
from pybinlog.simulate.control import run_control
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.layers import commit
from pybinlog.simulate.layers.caching import Decision, begin, cache_rows, cache_statement, decide, variables_of
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import BinlogFormat
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.execute import execute, values_of
from pybinlog.simulate.sql.parser import parse
from pybinlog.simulate.sql.routine import Routine, bound_statement
from pybinlog.simulate.sql.safety import check_tables, tables_of
from pybinlog.simulate.sql.session import Effect, LoggedText, TableUse
from pybinlog.simulate.tables.table import Table
from pybinlog.simulate.transaction_state import GtidNext, ProcedureRun, XaState
from pybinlog.simulate.variables import NOT_SET_IN_MARIADB, set_variables
from pybinlog.simulate.xa import abandon, wrong_state

NAMES_ITS_DATABASE = (ddl.CreateDatabase, ddl.DropDatabase, ddl.AlterDatabase)


def run_ddl(connection: Connection, statement: syntax.Statement) -> None:
    """DDL commits what was open, and is a group by itself (WL#2687, "Highlights", 5)."""
    commit.implicit_commit(connection)
    gtid_next.check_create_select(connection, statement)
    decision = decide(connection, statement, tables_of(statement, connection.session))
    copies = isinstance(statement.node, ddl.CreateTable) and connection.binlog_format is not BinlogFormat.STATEMENT
    effect = execute(statement, connection.session, row_format=decision.row or copies)
    connection.uses_temporary |= effect.temporary
    effect.logged &= not effect.temporary or connection.binlog_format is BinlogFormat.STATEMENT
    if effect.logged and (effect.error is None or effect.log_texts):
        connection.number_transaction()
        connection.effect = effect
        add_databases(statement, effect)
        if isinstance(statement.node, syntax.CreateSelect) and decision.row and effect.log_texts:
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


def add_databases(statement: syntax.Statement, effect: Effect) -> None:
    """Add the databases of a CREATE TABLE IF NOT EXISTS whose table exists: the server opens it as one to write."""
    if isinstance(statement.node, ddl.CreateTable) and statement.node.like is None and not effect.databases:
        effect.databases = list(dict.fromkeys(use.table.database for use in effect.tables))


def log_ddl(connection: Connection, statement: syntax.Statement, effect: Effect) -> None:
    """Log DDL as its text, with the transaction's number if the engine keeps it in one (atomic DDL)."""
    for event in ddl_events(connection, statement, effect):
        connection.write_group([*variables_of(connection, effect), event])


def ddl_events(connection: Connection, statement: syntax.Statement, effect: Effect) -> Iterator[LoggedEvent]:
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


def ddl_variables(
    connection: Connection, statement: syntax.Statement, effect: Effect, atomic: bool
) -> dict[StatusVar, Any]:
    """Return the status variables that only DDL has; all but the first came with 8.0."""
    variables: dict[StatusVar, Any] = {}
    node = statement.node
    if connection.state.options.mariadb and not isinstance(node, (ddl.CreateDatabase, ddl.TruncateTable)):
        variables[StatusVar.MARIA_XID] = connection.transaction_number
    if effect.timestamp_columns:
        variables[StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP] = int(connection.session.explicit_defaults_for_timestamp)
    if atomic:
        variables[StatusVar.DDL_LOGGED_WITH_XID] = connection.transaction_number
    if isinstance(node, (ddl.CreateTable, syntax.CreateSelect)) or (
        isinstance(node, ddl.AlterTable) and not node.index
    ):
        variables[StatusVar.SQL_REQUIRE_PRIMARY_KEY] = 0
    if isinstance(node, ddl.CreateDatabase):
        variables[StatusVar.DEFAULT_TABLE_ENCRYPTION] = 0
    return variables


def log_create_select(connection: Connection, statement: syntax.Statement, effect: Effect) -> None:
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
        commit.flush_stmt_cache(connection)
        return
    cache = connection.trx_cache
    begin(connection, cache)
    (logged,) = effect.log_texts
    text = logged.text.encode("utf-8", "surrogateescape")
    cache.add(query(connection, text, more={StatusVar.SQL_REQUIRE_PRIMARY_KEY: 0}))
    cache_rows(connection, statement.text, uses, effect)
    assert connection.transaction_number is not None
    commit.flush_trx_cache(connection, xid(connection, connection.transaction_number))


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
            4091, "XA: Temporary tables cannot be accessed inside XA transactions when xa_detach_on_prepare=ON"
        )


def run_temporary(connection: Connection, statement: syntax.Statement) -> None:
    """CREATE and DROP TEMPORARY TABLE commit nothing. They are logged only where statements are.

    In a transaction they wait as its statements do, and ROLLBACK does not take them back.
    """
    logged = connection.binlog_format is BinlogFormat.STATEMENT
    session, before = connection.session, set(connection.session.temporary)
    effect = execute(statement, session, row_format=not logged)
    if isinstance(statement.node, syntax.CreateSelect) and any(use.table.transactional for use in effect.tables):
        connection.engine_begins()
    if effect.error is not None:
        commit.roll_back_statement(connection, stays=False)
        raise effect.error
    made = [use.table for use in effect.tables if use.written]
    made += [table for name, table in session.temporary.items() if name not in before]
    if made or isinstance(statement.node, ddl.DropTable):
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
    commit.commit_statement(connection)


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


def run_statement(connection: Connection, text: bytes, statement: syntax.Statement | None = None) -> None:
    """Run one statement, which may have been read already. Raise SqlError if it fails as it would on a server; its
    traces are logged then.

    Raise ScenarioError or UnsupportedStatement where it is outside of the model.
    """
    connection.uses_temporary = False
    try:
        if statement is None and run_control(connection, text):
            return
        session = connection.session
        run_in_group(connection, statement or parse(text, session.character_set_client, session.sql_mode))
    except SqlError as error:
        gtid_next.release_after(connection, error)
        raise


def run_in_group(connection: Connection, statement: syntax.Statement) -> None:
    """Run a statement if gtid_next admits it, and end the group if it does. A procedure's statements do so, too."""
    connection.uses_temporary = False
    if connection.state.options.mariadb:
        check_mariadb(statement)
    role = role_of(connection, statement)
    if gtid_next.admits(connection, role):
        run_parsed(connection, statement)
    if role & gtid_next.GtidRole.ENDS_GROUP:
        gtid_next.end_group(connection)


NOT_OF_MARIADB = (
    syntax.CreateSelect,
    syntax.CreateTrigger,
    syntax.DropTrigger,
    syntax.CreateRoutine,
    syntax.DropRoutine,
    syntax.CallProcedure,
)


def check_mariadb(statement: syntax.Statement) -> None:
    """Raise ScenarioError for a statement that the model has for MySQL only."""
    node = statement.node
    sets = {setting.name for setting in node.settings} if isinstance(node, syntax.SetVariables) else set()
    if isinstance(node, NOT_OF_MARIADB) or statement.is_temporary or sets & set(NOT_SET_IN_MARIADB):
        words = statement.text.decode("utf-8", "replace").split()
        raise ScenarioError(f"{' '.join(words[:3])[:60]!r} of MariaDB is not in the model")


def role_of(connection: Connection, statement: syntax.Statement) -> gtid_next.GtidRole:
    """Return a statement's part in the group that gtid_next names."""
    if isinstance(statement.node, (syntax.SetVariables, syntax.Select)):
        return gtid_next.GtidRole.NONE
    if statement.is_temporary:
        return (
            gtid_next.GtidRole.IN_GROUP
            if connection.in_transaction
            else gtid_next.GtidRole.IN_GROUP | gtid_next.GtidRole.ENDS_GROUP
        )
    if statement.is_ddl:
        return gtid_next.GtidRole.IN_GROUP | gtid_next.GtidRole.COMMITS_FIRST | gtid_next.GtidRole.ENDS_GROUP
    return gtid_next.GtidRole.IN_GROUP


def run_parsed(connection: Connection, statement: syntax.Statement) -> None:
    """Run a statement that sets variables, defines tables or moves rows."""
    if isinstance(statement.node, syntax.SetVariables):
        set_variables(connection, statement, statement.node)
        return
    if isinstance(statement.node, syntax.CallProcedure):
        call(connection, statement, statement.node)
        return
    tables = tables_of(statement, connection.session)
    creates = statement.is_temporary and not isinstance(statement.node, ddl.DropTable)
    connection.uses_temporary = creates or any(use.table.temporary for use in tables)
    check(connection, statement, tables)
    for use in () if statement.is_ddl else tables:
        log_emptied(connection, use.table)
    if statement.is_temporary:
        run_temporary(connection, statement)
    elif statement.is_ddl:
        run_ddl(connection, statement)
    else:
        run_dml(connection, statement, tables)


def call(connection: Connection, statement: syntax.Statement, node: syntax.CallProcedure) -> None:
    """CALL: each statement of the procedure is decided on, logged and, outside of a transaction, committed by itself.

    Raise errors 1305 and 1318, and that of the first statement that fails.
    """
    session = connection.session
    routine: Routine | None = session.routine("PROCEDURE", node.path)
    if routine is None:
        name = f"{node.path[0] or session.database}.{node.path[1]}"
        raise sql_error("SP_DOES_NOT_EXIST", "PROCEDURE", name)
    arguments, storing = values_of(node.arguments, statement, session)
    bind = routine.bind(arguments, storing)
    line = connection.trace.line
    run = connection.procedure = ProcedureRun(None, is_row=connection.binlog_format is BinlogFormat.ROW)
    try:
        for place, part in enumerate(routine.created.body):
            inner = bound_statement(part, bind)
            if not run.is_row:  # the server has put the values in, even if it logs rows then
                inner = inner.replace(text=inner.logged_text)
            run.key = (session.storage.programs, routine.name, place)
            connection.begin_statement(line, inner.text)
            with session.within(routine.database, routine.sql_mode):
                run_in_group(connection, inner)
    finally:
        connection.procedure = None


def close(connection: Connection) -> None:
    """Close a client's connection: roll back its transaction, and drop its temporary tables."""
    if connection.xa.state is not XaState.NONE:
        abandon(connection)
    commit.roll_back_transaction(connection)
    connection.explicit = False
    connection.gtid_next = GtidNext()
    drop_temporary(connection)


def log_emptied(connection: Connection, table: Table) -> None:
    """Log that a MEMORY table is empty since the server was started, when it is first used."""
    if table.emptied:
        table.emptied = False
        name = f"{quoted(table.database)}.{quoted(table.name)}"
        text = f"TRUNCATE TABLE {name} /* generated by server, implicitly emptying in-memory table */"
        connection.write_group([query(connection, text.encode("utf-8", "surrogateescape"), immediate=True)])


def check(connection: Connection, statement: syntax.Statement, tables: Sequence[TableUse]) -> None:
    """Raise the error of a statement that may not stand in the XA transaction, or that names a missing table."""
    state = connection.xa.state
    if state is not XaState.NONE and statement.is_ddl and not statement.is_temporary:
        raise wrong_state(state)
    if statement.is_temporary and connection.binlog_format is BinlogFormat.STATEMENT:
        gtid_next.check_temporary_in_transaction(connection)
    check_temporary(connection)
    if not statement.is_ddl:
        check_tables(statement.node, connection.session)
    if state not in (XaState.NONE, XaState.ACTIVE) and (tables or statement.is_ddl):
        raise wrong_state(state)


def run_dml(connection: Connection, statement: syntax.Statement, tables: Sequence[TableUse]) -> None:
    """Decide, execute, cache, flush."""
    if isinstance(statement.node, syntax.Insert) and statement.node.delayed:
        warn_delayed(connection, "REPLACE" if statement.node.replaces else "INSERT")
    kinds = {"T" if use.table.transactional else "N" for use in tables}
    moves_rows = statement.is_dml or any(use.written for use in tables)
    if moves_rows:
        connection.trace.kind = "M" if len(kinds) > 1 else next(iter(kinds), "")
    if "T" in kinds:
        connection.engine_begins()
    try:
        decision = decide(connection, statement, tables)
        connection.trace.format = "R" if decision.row else "S"
        gtid_next.check_gtid_consistency(connection, tables, decision)
    except SqlError:
        connection.trace.unsafe = "E"
        commit.roll_back_statement(connection, stays=False)
        raise
    effect = execute(statement, connection.session, row_format=decision.row)
    connection.changed_n |= effect.changed_n
    if effect.error is None and effect.engine_written:
        connection.engine_changed = True
    if moves_rows and (effect.error is None or effect.changed_n or decision.row):
        log_changes(connection, statement, tables, decision, effect)
    if effect.error is not None:
        if decision.row or not effect.changed_n:  # what was in the caches is gone, or will be
            logged = (change.table.transactional for change in effect.changes if not change.table.temporary)
            connection.trace.cached |= {"T" if transactional else "S" for transactional in logged}
        commit.roll_back_statement(connection, stays=effect.changed_n and not decision.row)
        raise effect.error
    commit.commit_statement(connection)


def warn_delayed(connection: Connection, word: str) -> None:
    """Give warning 3005; 5.6 has rows that wait, and warns that a later version will not (1287)."""
    if not connection.state.options.modern:
        raise UnsupportedStatement(f"{word} DELAYED of 5.6 is not in the model", missing="DELAYED")
    connection.state.warn(f"{word} DELAYED is no longer supported. The statement was converted to {word}")


def finds_nothing(statement: syntax.Statement, tables: Sequence[TableUse], effect: Effect) -> bool:
    """Return True for an UPDATE of an N-table that is empty, which MariaDB does not log.

    Raise ScenarioError for one of several tables that changes nothing: the optimizer decides how that is logged.
    """
    if not isinstance(statement.node, syntax.Update) or effect.changes:
        return False
    if len(statement.node.rows.tables) > 1:
        raise ScenarioError("an UPDATE of several tables that changes no row is not in the model of MariaDB")
    return not tables[0].table.transactional and not tables[0].table.rows()


def log_changes(
    connection: Connection, statement: syntax.Statement, tables: Sequence[TableUse], decision: Decision, effect: Effect
) -> None:
    """Put a statement's changes into the caches, in the format that was decided."""
    if decision.row:
        connection.effect = Effect(table_map_for_update=effect.first_table_map)
        effect.changes = [change for change in effect.changes if not change.table.temporary]
        if effect.error is not None and any(change.table.transactional for change in effect.changes):
            connection.log_begins()
        cache_rows(connection, effect.first_text, tables, effect)
        connection.effect.table_map_for_update = effect.table_map_for_update
        return
    connection.effect = effect
    connection.trace.unsafe = "W" if decision.unsafe else "I"
    for reason in decision.unsafe:
        connection.state.warn(f"Statement may not be safe to log in statement format: {reason}")
    if statement.is_dml:
        if not (connection.state.options.mariadb and finds_nothing(statement, tables, effect)):
            cache_statement(connection, statement, tables, decision, effect)
        return
    if effect.error is not None:
        raise ScenarioError("a function that changes rows of an N-table and fails in a SELECT is not in the model")
    for function_call, taken in effect.calls:
        uses = tables_of(function_call, connection.session)
        taken.changed_n = effect.changed_n
        cache_statement(connection, function_call, uses, decision, taken)
