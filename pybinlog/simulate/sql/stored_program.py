"""Triggers, procedures and functions: what defines them and takes them away."""

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError, character_set, collation_name, default_collation, error, quoted
from pybinlog.schema.cursor import Path
from pybinlog.simulate.sql.evaluator import check_expressions
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.routine import Routine, check_type
from pybinlog.simulate.sql.session import LoggedText
from pybinlog.simulate.sql.syntax import CreateRoutine, CreateTrigger, DropRoutine, DropTrigger, row_names
from pybinlog.simulate.tables.table import Table

_CREATE = "CREATE DEFINER=`root`@`localhost` "
_IMAGES = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
"""The rows that the body of a trigger may name, by its event."""


def create_trigger(execution: Execution, node: CreateTrigger) -> None:
    """Run CREATE TRIGGER, which is logged with the account of its definer. Raise SqlError."""
    effect, table = execution.effect, execution.table(node.table)
    if table.temporary:
        raise SqlError(1361, f"Trigger's '{table.name}' is view or temporary table")
    effect.invoker = execution.session.storage.modern
    effect.databases.append(table.database)
    text = f"{_CREATE}{node.rest}"
    table.locks.redefine(execution.session.transaction)
    if _find(execution, node.path, table.database) is not None:
        if not node.if_not_exists:
            raise SqlError(1359, "Trigger already exists")
        effect.log_texts = [LoggedText(text)]
        return
    for part in node.body:
        check_expressions(part.node)
    for name in row_names(node.body):
        if name.table.upper() not in _IMAGES[node.event]:
            raise SqlError(1363, f"There is no {name.table.upper()} row in on {node.event} trigger")
        if table.position(name.column) is None:
            raise error("BAD_FIELD", name.column, name.table.upper())
    effect.created_now = execution.session.storage.modern
    effect.log_texts = [LoggedText(text, atomic=effect.created_now)]
    execution.session.storage.programs += 1
    table.triggers = [*table.triggers, node.replace(sql_mode=execution.session.sql_mode)]


def drop_trigger(execution: Execution, node: DropTrigger) -> None:
    """Run DROP TRIGGER. Raise error 1360."""
    session = execution.session
    database = session.storage.database(node.path[0] or session.database)
    table = _find(execution, node.path, database.name)
    if table is None:
        if not node.if_exists:
            raise SqlError(1360, "Trigger does not exist")
        return
    table.locks.redefine(session.transaction)
    session.storage.programs += 1
    table.triggers = [trigger for trigger in table.triggers if trigger.path[1] != node.path[1]]
    execution.effect.databases.append(database.name)
    execution.effect.atomic = session.storage.modern


def _find(execution: Execution, path: Path, database: str) -> Table | None:
    """Return the table that has the trigger."""
    tables = execution.session.storage.database(path[0] or database).tables.values()
    return next((table for table in tables if any(one.path[1] == path[1] for one in table.triggers)), None)


_SAFE = ("DETERMINISTIC", "NO SQL", "READS SQL DATA")


def create_routine(execution: Execution, node: CreateRoutine) -> None:
    """Run CREATE PROCEDURE or CREATE FUNCTION, which is logged in the server's form. Raise SqlError."""
    session, effect = execution.session, execution.effect
    if not session.storage.modern:
        raise UnsupportedStatement(f"a {node.kind} of 5.6 is not in the model", missing=node.kind)
    database = session.storage.database(node.path[0] or session.database)
    if node.kind == "FUNCTION" and node.result is None:
        raise SqlError(1320, f"No RETURN found in FUNCTION {database.name}.{node.path[1]}")
    if node.kind == "FUNCTION" and not any(words in _SAFE for words in node.characteristics):
        raise SqlError(
            1418,
            "This function has none of DETERMINISTIC, NO SQL, or READS SQL DATA in its declaration and binary logging "
            "is enabled (you *might* want to use the less safe log_bin_trust_function_creators variable)",
        )
    columns = [declared.column(session.settings, database.collation) for declared in node.parameters]
    returns = None if node.returns is None else check_type(node.returns.column(session.settings, database.collation))
    for part in node.body if returns is not None else ():
        check_expressions(part.node)
    routine = Routine(node, database.name, tuple(map(check_type, columns)), returns, session.sql_mode)
    effect.invoker = True
    effect.databases.append(database.name)
    key = (node.kind, node.path[1].lower())
    exists = key in database.routines
    effect.log_texts = [LoggedText(_text(routine, session.storage.version), atomic=not exists)]
    if not exists:
        session.storage.programs += 1
        database.routines[key] = routine
    elif not node.if_not_exists:
        effect.log_texts = []
        raise SqlError(1304, f"{node.kind} {node.path[1]} already exists")


def _text(routine: Routine, version: tuple[int, ...]) -> str:
    """Return CREATE PROCEDURE or CREATE FUNCTION as the server logs it."""
    node, returns = routine.created, ""
    if (column := routine.returns) is not None:
        returns = f" RETURNS {column.declared}"
        if column.is_text:
            charset = character_set(column.charset)
            returns += f" CHARSET {charset}"
            if column.charset != default_collation(charset, version):
                returns += f" COLLATE {collation_name(column.charset)}"
    if_not_exists = "IF NOT EXISTS " if node.if_not_exists else ""
    name = ".".join(quoted(part) for part in node.path if part is not None)
    lines = "".join(f"    {words}\n" for words in node.characteristics)
    return f"{_CREATE}{node.kind} {if_not_exists}{name}({node.listed}){returns}\n{lines}{node.text}"


def drop_routine(execution: Execution, node: DropRoutine) -> None:
    """Run DROP PROCEDURE or DROP FUNCTION. Raise error 1305."""
    session = execution.session
    home = node.path[0] or session.database
    if session.routine(node.kind, node.path) is None:
        if not node.if_exists:
            raise error("SP_DOES_NOT_EXIST", node.kind, f"{home}.{node.path[1]}")
        return
    session.storage.programs += 1
    del session.storage.database(home).routines[node.kind, node.path[1].lower()]
    execution.effect.databases.append(session.storage.database(home).name)
    execution.effect.atomic = True
