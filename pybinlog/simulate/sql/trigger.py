"""CREATE TRIGGER and DROP TRIGGER; `Execution.fire` runs the body of a trigger."""

from __future__ import annotations

from pybinlog.schema import SqlError, error
from pybinlog.schema.cursor import Path
from pybinlog.simulate.sql.evaluator import check_expressions
from pybinlog.simulate.sql.execution import Execution
from pybinlog.simulate.sql.session import LoggedText
from pybinlog.simulate.sql.syntax import CreateTrigger, DropTrigger, row_names
from pybinlog.simulate.tables.table import Table

_IMAGES = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
"""The rows that the body of a trigger may name, by its event."""


def create_trigger(execution: Execution, node: CreateTrigger) -> None:
    """Run CREATE TRIGGER, which is logged with the account of its definer. Raise SqlError."""
    effect, table = execution.effect, execution.table(node.table)
    if table.temporary:
        raise SqlError(1361, f"Trigger's '{table.name}' is view or temporary table")
    effect.invoker = execution.session.storage.modern
    effect.databases.append(table.database)
    text = f"CREATE DEFINER=`root`@`localhost` {node.rest}"
    table.locks.redefine(execution.session.transaction)
    if _find(execution, node.path, table.database) is not None:
        if not node.if_not_exists:
            raise SqlError(1359, "Trigger already exists")
        effect.log_texts = [LoggedText(text)]
        return
    check_expressions(node.body)
    for name in row_names(node.body):
        if name.table.upper() in ("NEW", "OLD"):
            if name.table.upper() not in _IMAGES[node.event]:
                raise SqlError(1363, f"There is no {name.table.upper()} row in on {node.event} trigger")
            if table.position(name.column) is None:
                raise error("BAD_FIELD", name.column, name.table.upper())
    effect.created_now = execution.session.storage.modern
    effect.log_texts = [LoggedText(text, atomic=effect.created_now)]
    table.triggers = [*table.triggers, node]


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
    table.triggers = [trigger for trigger in table.triggers if trigger.path[1] != node.path[1]]
    execution.effect.databases.append(database.name)
    execution.effect.atomic = session.storage.modern


def _find(execution: Execution, path: Path, database: str) -> Table | None:
    """Return the table that has the trigger."""
    tables = execution.session.storage.database(path[0] or database).tables.values()
    return next((table for table in tables if any(one.path[1] == path[1] for one in table.triggers)), None)
