"""CREATE and DROP of stored functions, triggers and events."""

from __future__ import annotations

import re
from typing import Any

from pybinlog.errors import UnsupportedStatement

from .charset import character_set, decode_text
from .column import Column
from .definition import Definer
from .error import SqlError, error
from .execution import Execution
from .routine import Function, Trigger, body_of, parsed_body
from .session import Session
from .show import declared, quoted
from .statement import tree_of

__all__ = ["create_event", "create_function", "create_trigger", "drop_event", "drop_function", "drop_trigger"]

_NAME = r"(?:`(?:[^`]|``)+`|[\w$\u0080-\uffff]+)"
_PATH = rf"(?:({_NAME})\s*\.\s*)?({_NAME})"
_DEFINER = re.compile(
    rf"CREATE\s+(?:DEFINER\s*=\s*\S+\s+)?(FUNCTION|TRIGGER|EVENT)\s+(?:IF\s+NOT\s+EXISTS\s+)?{_PATH}", re.I
)
_DROP = re.compile(rf"DROP\s+(FUNCTION|TRIGGER|EVENT)\s+(IF\s+EXISTS\s+)?{_PATH}$", re.I)
_CHARACTERISTICS = re.compile(
    r"\s*((?:NOT\s+)?DETERMINISTIC|NO\s+SQL|CONTAINS\s+SQL|READS\s+SQL\s+DATA|MODIFIES\s+SQL\s+DATA|LANGUAGE\s+SQL)",
    re.I,
)


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def create_function(execution: Execution, sql: str) -> None:
    """Runs CREATE FUNCTION name(x INT ...) RETURNS INT ... body."""
    session, statement = execution.session, execution.statement
    match = _DEFINER.match(sql)
    if match is None:
        raise UnsupportedStatement("this CREATE FUNCTION is not in the model", missing="CREATE FUNCTION")
    home = session.storage.database(_plain(match[2]) if match[2] else session.database)
    name = _plain(match[3])
    shape = re.match(r"\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*RETURNS\s+", sql[match.end() :], re.I)
    if shape is None:
        raise UnsupportedStatement("this CREATE FUNCTION is not in the model", missing="CREATE FUNCTION")
    rest = sql[match.end() + shape.end() :]
    returns = re.match(r"(\w+(?:\s+UNSIGNED)?(?:\s*\([^)]*\))?(?:\s+UNSIGNED)?(?:\s+CHARSET\s+\w+)?)", rest, re.I)
    if returns is None:
        raise UnsupportedStatement("this CREATE FUNCTION is not in the model", missing="RETURNS")
    rest = rest[returns.end() :]
    characteristics = []
    while word := _CHARACTERISTICS.match(rest):
        characteristics.append(" ".join(word[1].upper().split()))
        rest = rest[word.end() :]
    if name.lower() in home.routines:
        raise error("SP_ALREADY_EXISTS", "FUNCTION", name)
    definer = Definer(session, statement, home.collation)
    made = tree_of(
        f"CREATE TABLE f ({shape[1] or 'x INT'}, __returns {returns[1]})", statement.scanned, session.sql_mode
    )
    columns = [definer.column(node) for node in made.tree.this.expressions]
    parameters = tuple(columns[:-1]) if shape[1].strip() else ()
    body = body_of(rest, statement.scanned, session.sql_mode)
    home.routines[name.lower()] = Function(home.name, name, parameters, columns[-1], body)
    execution.effect.databases.append(home.name)
    execution.effect.atomic_ddl = session.storage.version >= (8,)
    original = _sent(execution)
    user, _, host = session.user.partition("@")
    text = re.match(rf"(?s).*?RETURNS\s+{re.escape(returns[1])}", original, re.I)
    tail = original[text.end() :] if text else rest
    while word := _CHARACTERISTICS.match(tail):
        tail = tail[word.end() :]
    lines = "".join(f"    {word}\n" for word in characteristics)
    execution.effect.log_text = (
        f"CREATE DEFINER={quoted(user)}@{quoted(host)} FUNCTION {quoted(name)}({shape[1]}) RETURNS "
        f"{_returned(columns[-1], session)}\n{lines}{tail.strip()}"
    )


def _returned(column: Column, session: Session) -> str:
    words = declared(column, session.storage.version)
    return f"{words} CHARSET {character_set(column.collation)}" if column.is_text and column.collation else words


def _sent(execution: Execution) -> str:
    return decode_text(execution.statement.text, execution.session.character_set_client).strip()


def _with_definer(execution: Execution, word: str) -> None:
    """The text that is logged: as it was sent, with the definer."""
    user, _, host = execution.session.user.partition("@")
    text = _sent(execution)
    if not re.match(r"CREATE\s+DEFINER", text, re.I):
        text = re.sub(rf"^CREATE\s+(?={word})", f"CREATE DEFINER={quoted(user)}@{quoted(host)} ", text, flags=re.I)
    execution.effect.log_text = text


def create_event(execution: Execution, sql: str) -> None:
    """Runs CREATE EVENT: it is kept by name and never fires, as nothing waits in the model."""
    match = _DEFINER.match(sql)
    if match is None:
        raise UnsupportedStatement("this CREATE EVENT is not in the model", missing="CREATE EVENT")
    session = execution.session
    home = session.storage.database(_plain(match[2]) if match[2] else session.database)
    if _plain(match[3]) in home.events:
        raise SqlError(1537, "ER_EVENT_ALREADY_EXISTS", f"Event '{_plain(match[3])}' already exists")
    home.events.add(_plain(match[3]))
    execution.effect.time_zone_used = True
    if session.storage.version < (8,):
        execution.effect.databases.append("mysql")  # where events are kept
    execution.effect.databases.append(home.name)
    execution.effect.atomic_ddl = session.storage.version >= (8,)
    _with_definer(execution, "EVENT")


def create_trigger(execution: Execution, sql: str) -> None:
    """Runs CREATE TRIGGER name BEFORE|AFTER event ON table FOR EACH ROW body."""
    match = _DEFINER.match(sql)
    shape = (
        re.match(
            rf"\s+(BEFORE|AFTER)\s+(INSERT|UPDATE|DELETE)\s+ON\s+{_PATH}\s+FOR\s+EACH\s+ROW\s+",
            sql[match.end() :],
            re.I,
        )
        if match is not None
        else None
    )
    if match is None or shape is None:
        raise UnsupportedStatement("this CREATE TRIGGER is not in the model", missing="CREATE TRIGGER")
    table = execution.table(_plain(shape[4]), _plain(shape[3]) if shape[3] else None)
    table.locks.redefine(execution.session.transaction)
    name = _plain(match[3])
    if any(trigger.name.lower() == name.lower() for trigger in table.triggers):
        raise error("TRG_ALREADY_EXISTS")
    body = body_of(sql[match.end() + shape.end() :], execution.statement.scanned, execution.session.sql_mode)
    parsed_body(body)
    storage = execution.session.storage
    new = table.redefined(storage.new_table_id())
    new.triggers.append(Trigger(name, shape[1].upper(), shape[2].upper(), body))
    storage.databases[table.database].tables[table.name] = new
    execution.use(new, written=True)
    execution.effect.microseconds_used = table.version >= (5, 7)
    execution.effect.atomic_ddl = table.version >= (8,)
    _with_definer(execution, "TRIGGER")


def _dropped(execution: Execution, sql: str) -> tuple[Any, str, bool]:
    match = _DROP.match(sql)
    if match is None:
        raise UnsupportedStatement("this DROP is not in the model", missing="DROP")
    session = execution.session
    home = session.storage.database(_plain(match[3]) if match[3] else session.database)
    execution.effect.databases.append(home.name)
    execution.effect.atomic_ddl = session.storage.version >= (8,)
    return home, _plain(match[4]), bool(match[2])


def drop_function(execution: Execution, sql: str) -> None:
    home, name, if_exists = _dropped(execution, sql)
    if home.routines.pop(name.lower(), None) is None:
        problem = error("SP_DOES_NOT_EXIST", "FUNCTION", f"{home.name}.{name}")
        if not if_exists:
            raise problem
        execution.effect.warnings.append(problem)


def drop_event(execution: Execution, sql: str) -> None:
    home, name, if_exists = _dropped(execution, sql)
    if name not in home.events:
        problem = SqlError(1539, "ER_EVENT_DOES_NOT_EXIST", f"Unknown event '{name}'")
        if not if_exists:
            raise problem
        execution.effect.warnings.append(problem)
    if execution.session.storage.version < (8,):
        execution.effect.databases.append("mysql")
    home.events.discard(name)


def drop_trigger(execution: Execution, sql: str) -> None:
    home, name, if_exists = _dropped(execution, sql)
    for table in home.tables.values():
        for trigger in table.triggers:
            if trigger.name.lower() == name.lower():
                new = table.redefined(execution.session.storage.new_table_id())
                new.triggers.remove(trigger)
                home.tables[table.name] = new
                return
    if not if_exists:
        raise error("TRG_DOES_NOT_EXIST")
    execution.effect.warnings.append(error("TRG_DOES_NOT_EXIST"))
