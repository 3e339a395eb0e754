"""Running one statement, and the assignments of SET."""

from __future__ import annotations

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError
from pybinlog.schema.expression import Default, Subquery
from pybinlog.schema.statement import Definition
from pybinlog.simulate.sql.definition import run_definition
from pybinlog.simulate.sql.effect import Effect
from pybinlog.simulate.sql.evaluator import Evaluator, check_expressions
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.insert import insert
from pybinlog.simulate.sql.modify import delete, update
from pybinlog.simulate.sql.select import scalar, select
from pybinlog.simulate.sql.session import Session, UserVariable
from pybinlog.simulate.sql.syntax import (
    Delete,
    Insert,
    Select,
    Setting,
    Statement,
    Update,
    expressions_of,
)
from pybinlog.values.context import CONTEXT, Context
from pybinlog.values.value import Value, collation_of


def execute(statement: Statement, session: Session, *, row_format: bool = False) -> Effect:
    """Run a statement; what it did. `row_format`: its changes are logged as rows.

    It commits nothing. After an error the changes to transactional tables are undone; `effect.changes` still lists
    them, and those to other tables, which stay. Raise UnsupportedStatement for what is not in the model, with the
    tables as they were.
    """
    execution = Execution(session, statement, row_format, _run)
    effect, transaction = execution.effect, session.transaction
    mark = transaction.mark()
    context = Context()
    token = CONTEXT.set(context)
    try:
        _run(execution)
    except SqlError as problem:
        effect.error = problem
        transaction.roll_back_to(mark)
    except UnsupportedStatement:
        for change in reversed(effect.changes):
            change.undo()
        del transaction.changes[mark:]
        raise
    finally:
        CONTEXT.reset(token)
    # From 8.0.19 on, a date in text may name its time zone.
    reads_zones = session.storage.version >= (8, 0, 19)
    effect.time_zone_used = context.time_zone_used or (context.date_parsed and reads_zones)
    effect.microseconds_used = context.microseconds_used or effect.created_now
    if statement.is_dml:
        effect.databases = [use.table.database for use in effect.tables]
        session.insert_id = None
    effect.databases = sorted(set(effect.databases), key=str.encode, reverse=True)
    if effect.error is None:
        generated = execution.first_insert_id, execution.updated_insert_id, session.last_insert_id
        session.last_insert_id = next(value for value in generated if value is not None)
    return effect


def _run_subqueries(execution: Execution) -> None:
    check_expressions(execution.statement.node)
    for part in expressions_of(execution.statement.node):
        if isinstance(part, Subquery):
            execution.subqueries[part] = scalar(part.query, Evaluator(execution))


def _run(execution: Execution) -> None:
    """Run one statement, which may be the body of a trigger."""
    _run_subqueries(execution)
    node = execution.statement.node
    if isinstance(node, Insert):
        insert(execution, node)
    elif isinstance(node, Update):
        update(execution, node)
    elif isinstance(node, Delete):
        delete(execution, node)
    elif isinstance(node, Definition):
        run_definition(execution, node)
    elif isinstance(node, Select):
        execution.effect.rows = select(node, Evaluator(execution)).rows


def value_of(setting: Setting, statement: Statement, session: Session) -> Value:
    """Return the value that SET gives to a variable.

    A user variable is set at once. Raise SqlError, UnsupportedStatement.
    """
    if setting.value is None or isinstance(setting.value, Default):
        return None
    execution = Execution(session, statement)
    _run_subqueries(execution)
    value = Evaluator(execution).evaluate(setting.value)
    if setting.scope == "USER":
        value = bytes(value) if isinstance(value, bytes) else value
        variable = UserVariable(setting.name, value, collation_of(value, session.collation_connection))
        session.user_variables[setting.name.lower()] = variable
    return value
