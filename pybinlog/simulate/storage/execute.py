"""Running statements, and SET."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import localcontext
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from .alter import alter_table, create_index, drop_index
from .create import create_table
from .drop import alter_database, create_database, drop_database, drop_table, rename_table, truncate
from .effect import Effect
from .error import SqlError
from .execution import Execution
from .expression import Evaluator
from .insert import insert
from .modify import delete, update
from .operators import CONTEXT
from .routine import functions_of
from .routine_definition import (
    create_event,
    create_function,
    create_trigger,
    drop_event,
    drop_function,
    drop_trigger,
)
from .select import select
from .session import Session, UserVariable
from .statement import Kind, Statement, parse
from .time_use import TIME_USE, TimeUse
from .unsafe import unsafe_of
from .value import STRICT_NUMBERS

__all__ = ["DEFAULT", "Assignment", "assign", "execute", "run"]

_ON_TREES: dict[Kind, Callable[[Execution, Any], None]] = {
    Kind.INSERT: insert,
    Kind.REPLACE: insert,
    Kind.UPDATE: update,
    Kind.DELETE: delete,
    Kind.CREATE_DATABASE: create_database,
    Kind.DROP_DATABASE: drop_database,
    Kind.CREATE_TABLE: create_table,
    Kind.CREATE_TABLE_LIKE: create_table,
    Kind.CREATE_TABLE_SELECT: create_table,
    Kind.ALTER_TABLE: alter_table,
    Kind.DROP_TABLE: drop_table,
    Kind.TRUNCATE: truncate,
    Kind.CREATE_INDEX: create_index,
    Kind.DROP_INDEX: drop_index,
}
_ON_TEXT: dict[Kind, Callable[[Execution, str], None]] = {
    Kind.ALTER_DATABASE: alter_database,
    Kind.RENAME_TABLE: rename_table,
    Kind.CREATE_FUNCTION: create_function,
    Kind.DROP_FUNCTION: drop_function,
    Kind.CREATE_TRIGGER: create_trigger,
    Kind.DROP_TRIGGER: drop_trigger,
    Kind.CREATE_EVENT: create_event,
    Kind.DROP_EVENT: drop_event,
}


def run(execution: Execution) -> None:
    """Runs the execution's statement, which may be one of a routine. Raises SqlError and UnsupportedStatement."""
    statement = execution.statement
    if statement.kind in _ON_TREES:
        execution.writes = True
        _ON_TREES[statement.kind](execution, statement.tree)
    elif statement.kind in _ON_TEXT:
        _ON_TEXT[statement.kind](execution, statement.scanned.sql)
    elif statement.kind in (Kind.SELECT, Kind.DO):
        result = select(statement.tree, Evaluator(execution))
        execution.effect.columns, execution.effect.rows = result.columns, result.rows
    else:
        raise UnsupportedStatement(f"{statement.kind.value} is not run here", missing=statement.kind.value)


def execute(statement: Statement, session: Session, *, row_format: bool = False) -> Effect:
    """Runs a statement and tells what it did. `row_format`: its changes are logged as rows.

    It commits nothing. After an error the changes to transactional tables are undone; `effect.changes` then holds those
    to other tables, which stay. Raises UnsupportedStatement for what is not in the model, with the tables as they were.
    """
    execution = Execution(session, statement, row_format=row_format)
    effect = execution.effect
    transaction = session.transaction
    mark = transaction.mark()
    use = TimeUse()
    if statement.error is not None:
        effect.error, effect.needs_log = statement.error, False
        return effect
    effect.unsafe = unsafe_of(statement, session)
    routines = functions_of(session, statement.tree) if statement.tree is not None else []
    token = TIME_USE.set(use)
    strict = execution.storing().strict and not statement.ignore and (statement.is_dml or statement.is_ddl)
    strict_token = STRICT_NUMBERS.set(strict)
    try:
        with localcontext(CONTEXT):
            run(execution)
    except SqlError as problem:
        effect.error = problem
        _undo(execution, mark)
    except UnsupportedStatement:
        for change in reversed(effect.changes):
            change.undo()
        del transaction.changes[mark:]
        raise
    finally:
        TIME_USE.reset(token)
        STRICT_NUMBERS.reset(strict_token)
    # From 8.0.19 on, a date in text may name its time zone.
    reads_zones = session.storage.version >= (8, 0, 19)
    effect.time_zone_used |= use.time_zone or (use.parsed and reads_zones)
    effect.microseconds_used |= use.microseconds
    if statement.kind in (Kind.SELECT, Kind.DO):
        effect.needs_log = bool(routines) and any(use.written for use in effect.tables)
        if effect.needs_log:
            effect.log_text = _call_text(execution)
        session.found_rows = len(effect.rows)
    if statement.is_dml:
        effect.databases = [use.table.database for use in effect.tables]
    effect.databases = sorted(set(effect.databases), key=str.encode, reverse=True)
    _remember(execution)
    return effect


def _undo(execution: Execution, mark: int) -> None:
    """Statement rollback: transactional tables as they were, the others keep what was changed."""
    transaction = execution.session.transaction
    while transaction.mark() > mark:
        transaction.changes.pop().undo()


def _remember(execution: Execution) -> None:
    """What the next statement finds of this one: LAST_INSERT_ID(), ROW_COUNT()."""
    session, effect = execution.session, execution.effect
    if effect.error is None:
        if execution.first_insert_id is not None:
            session.last_insert_id = execution.first_insert_id
            session.auto_is_null_armed = True
        elif execution.updated_insert_id is not None:
            session.last_insert_id = execution.updated_insert_id
    session.row_count = -1 if execution.statement.kind is Kind.SELECT or effect.error else effect.affected_rows
    session.insert_id = None if execution.statement.is_dml else session.insert_id


def _call_text(execution: Execution) -> str:
    """How the server logs the call of a function that changes tables from a statement that does not."""
    from .show import quoted

    calls = []
    for node in execution.statement.tree.find_all(exp.Anonymous):
        for function in functions_of(execution.session, node):
            values = [Evaluator(execution).evaluate(argument) for argument in node.expressions]
            texts = [_literal(value) for value in values]
            calls.append(f"SELECT {quoted(function.database)}.{quoted(function.name)}({','.join(texts)})")
    if len(calls) != 1:
        raise UnsupportedStatement("more than one call of a stored function is not in the model", missing="SELECT f()")
    return calls[0]


def _literal(value: Any) -> str:
    from .value import to_text

    if value is None:
        return "NULL"
    if isinstance(value, (str, bytes)):
        return f"_utf8mb4'{to_text(value)}' COLLATE 'utf8mb4_0900_ai_ci'"
    return to_text(value)


class _Default:
    """The value DEFAULT of a SET statement."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT = _Default()


@dataclass(frozen=True)
class Assignment:
    """One assignment of a SET statement to a system variable.

    `name` is in lower case, `scope` SESSION, GLOBAL, PERSIST or PERSIST_ONLY. SET NAMES has the name "names" and the
    value (character set, collation or None), SET CHARACTER SET the name "character set". A word without quotes, such as
    ON, is text.
    """

    scope: str
    name: str
    value: Any


def assign(text: str | bytes, session: Session) -> list[Assignment]:
    """Runs a SET statement: user variables are set, assignments to system variables handed back in order.

    Raises SqlError and UnsupportedStatement.
    """
    statement = parse(text, session)
    if statement.error is not None:
        raise statement.error
    execution = Execution(session, statement)
    evaluator = Evaluator(execution)
    if not isinstance(statement.tree, exp.Set):
        raise UnsupportedStatement("this SET is not in the model", missing="SET")
    with localcontext(CONTEXT):
        return [made for item in statement.tree.expressions for made in _assigned(execution, evaluator, item)]


def _assigned(execution: Execution, evaluator: Evaluator, item: Any) -> list[Assignment]:
    """One assignment of a SET statement; nothing for a user variable, which is set at once."""
    session, statement = execution.session, execution.statement
    kind = (item.args.get("kind") or "").upper()
    if kind in ("NAMES", "CHARACTER SET", "CHARSET"):
        collate = item.args.get("collate")
        name = "names" if kind == "NAMES" else "character set"
        charset = _word(evaluator, item.this)
        return [Assignment("SESSION", name, (charset, _word(evaluator, collate) if collate else None))]
    equation = item.this
    if not isinstance(equation, (exp.EQ, exp.PropertyEQ)):
        raise UnsupportedStatement("this SET is not in the model", missing="SET")
    target, node = equation.this, equation.expression
    if isinstance(target, exp.Parameter):
        name = statement.scanned.variable(target.this.name)
        value = evaluator.evaluate(node)
        literal = isinstance(node.this if isinstance(node, exp.Neg) else node, exp.Literal)
        connection = session.collation_connection
        session.user_variables[name.lower()] = UserVariable.of(name, value, connection, literal=literal)
        return []
    scope = kind or "SESSION"
    if isinstance(target, exp.SessionParameter):
        scope = (target.args.get("kind") or "SESSION").upper()
    scope = {"LOCAL": "SESSION"}.get(scope, scope)
    return [Assignment(scope, target.name.lower(), _system_value(evaluator, node))]


def _word(evaluator: Evaluator, node: Any) -> str:
    return evaluator.text_of(node) if isinstance(node, exp.Literal) else str(node.name)


def _system_value(evaluator: Evaluator, node: Any) -> Any:
    """The value of an assignment to a system variable: a word stands for itself."""
    if isinstance(node, (exp.Var, exp.Column)) and not node.args.get("table"):
        return DEFAULT if node.name.upper() == "DEFAULT" else node.name
    if isinstance(node, exp.Boolean):
        return int(node.this)
    return evaluator.evaluate(node)
