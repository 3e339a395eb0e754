"""Stored functions and triggers of a simple kind: statements in a row, SET NEW.x, RETURN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement

from .convert import load, store
from .error import SqlError, error
from .execution import Execution
from .scanner import Scanned
from .session import Session
from .statement import Statement, tree_of
from .table import Table
from .transaction import Row
from .value import Value

__all__ = [
    "Function",
    "Trigger",
    "body_of",
    "call_function",
    "find_function",
    "fire",
    "functions_of",
    "parsed_body",
]


_FLOW = re.compile(r"(IF|CASE|LOOP|WHILE|REPEAT|DECLARE|CALL|OPEN|FETCH|LEAVE|ITERATE|SIGNAL)\b(?!\s*\()", re.I)


@dataclass(frozen=True)
class Body:
    """The statements of a routine, as text for the parser, with the literals of the statement that created it.

    They run with the `sql_mode` that it was created with (manual: CREATE PROCEDURE and CREATE FUNCTION Statements).
    """

    statements: tuple[str, ...]
    scanned: Scanned
    sql_mode: frozenset[str]


@dataclass(frozen=True)
class Function:
    """A stored function."""

    database: str
    name: str
    parameters: tuple[Any, ...]
    returns: Any
    body: Body


@dataclass(frozen=True)
class Trigger:
    """A trigger."""

    name: str
    timing: str
    event: str
    body: Body


def body_of(sql: str, scanned: Scanned, sql_mode: frozenset[str]) -> Body:
    """The statements of a body. Raises UnsupportedStatement for loops, conditions and variables."""
    block = re.fullmatch(r"\s*BEGIN\b(.*)\bEND\s*", sql, re.I | re.S)
    parts = block[1].split(";") if block else [sql]
    statements = tuple(part.strip() for part in parts if part.strip())
    for statement in statements:
        match = _FLOW.match(statement)
        if match:
            word = match[1].upper()
            raise UnsupportedStatement(f"{word} in a stored routine is not in the model", missing=word)
    return Body(statements, scanned, sql_mode)


def parsed_body(body: Body) -> list[Statement]:
    """The statements of a body that work on tables."""
    parsed = []
    for text in body.statements:
        if not re.match(r"(RETURN|SET)\b", text, re.I):
            parsed.append(tree_of(text, body.scanned, body.sql_mode))
    return parsed


def find_function(session: Session, database: str | None, name: str) -> Function | None:
    """A stored function by name."""
    home = session.storage.databases.get(database or session.database or "")
    return home.routines.get(name.lower()) if home is not None else None


def functions_of(session: Session, tree: Any) -> list[Function]:
    """The stored functions that a statement calls."""
    found = []
    for node in tree.find_all(exp.Anonymous):
        parent = node.parent
        database = parent.this.name if isinstance(parent, exp.Dot) else None
        function = find_function(session, database, str(node.this))
        if function is not None and function not in found:
            found.append(function)
    return found


def call_function(execution: Execution, database: str | None, name: str, values: list[Value]) -> Value:
    """Calls a stored function with values. Raises SqlError."""
    function = find_function(execution.session, database, name)
    if function is None:
        full = f"{database or execution.session.database}.{name}"
        raise error("SP_DOES_NOT_EXIST", "FUNCTION", full)
    if len(values) != len(function.parameters):
        raise SqlError(
            1318,
            "ER_SP_WRONG_NO_OF_ARGS",
            f"Incorrect number of arguments for FUNCTION {function.database}.{function.name}; expected "
            f"{len(function.parameters)}, got {len(values)}",
        )
    names = {}
    for column, value in zip(function.parameters, values, strict=True):  # stored as the caller's mode has it
        names[column.name.lower()] = load(store(value, column, execution.storing()), column)
    with _sql_mode(execution.session, function.body.sql_mode):
        return _run(execution, function.body, names, function.returns)


@contextmanager
def _sql_mode(session: Session, mode: frozenset[str]) -> Iterator[None]:
    callers, session.sql_mode = session.sql_mode, mode
    try:
        yield
    finally:
        session.sql_mode = callers


def _run(execution: Execution, body: Body, names: dict[str, Value], returns: Any = None) -> Value:
    """Runs the statements of a body within the statement around; gives what RETURN says."""
    from .execute import run
    from .expression import Evaluator

    outer = execution.statement, execution.locals, execution.common_tables
    before = execution.last_insert_id_before
    execution.depth += 1
    try:
        for text in body.statements:
            word = text.split(None, 1)[0].upper()
            if word in ("RETURN", "SET"):
                expression = text.split(None, 1)[1]
                statement = tree_of(f"SELECT {expression}" if word == "RETURN" else text, body.scanned, body.sql_mode)
                execution.statement, execution.locals, execution.common_tables = statement, names, {}
                if word == "RETURN":
                    value = Evaluator(execution).evaluate(statement.tree.expressions[0])
                    return load(store(value, returns, execution.storing()), returns)
                _assign_new(execution, statement, names)
                continue
            execution.statement = tree_of(text, body.scanned, body.sql_mode)
            execution.locals, execution.common_tables = names, {}
            run(execution)
    finally:
        execution.depth -= 1
        execution.statement, execution.locals, execution.common_tables = outer
        execution.last_insert_id_before = before
    return None


def _assign_new(execution: Execution, statement: Statement, names: dict[str, Value]) -> None:
    """SET NEW.x = expression in a BEFORE trigger."""
    from .expression import Evaluator

    for item in statement.tree.expressions:
        target = item.this.this
        key = f"{target.table}.{target.name}".lower() if isinstance(target, exp.Column) else ""
        if not key.startswith("new.") or key not in names:
            raise UnsupportedStatement("SET of this kind in a routine is not in the model", missing="SET")
        names[key] = Evaluator(execution).evaluate(item.this.expression)


def fire(execution: Execution, trigger: Trigger, table: Table, old: Row | None, new: Row | None) -> Row | None:
    """Runs a trigger for a row; gives the new row as the trigger leaves it."""
    zone = execution.session.time_zone
    names: dict[str, Value] = {}
    for index, column in enumerate(table.columns):
        for word, row in (("old", old), ("new", new)):
            if row is not None:
                names[f"{word}.{column.name.lower()}"] = load(row[index], column, zone)
    given = dict(names)
    with _sql_mode(execution.session, trigger.body.sql_mode):
        _run(execution, trigger.body, names)
        if new is None:
            return None
        values = list(new)
        for index, column in enumerate(table.columns):
            key = f"new.{column.name.lower()}"
            if names[key] is not given[key]:
                values[index] = store(names[key], column, execution.storing(table))
        return tuple(values)
