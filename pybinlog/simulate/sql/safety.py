"""Before a statement runs: the tables that it opens, and what makes it unsafe to log as a statement."""

from collections.abc import Iterator
from enum import Enum
from itertools import product

from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Call, Subquery
from pybinlog.schema.statement import AlterTable, CreateTable, DropTable, TruncateTable
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.evaluator import UNSAFE, is_stored
from pybinlog.simulate.sql.execution import in_use_error
from pybinlog.simulate.sql.routine import Routine
from pybinlog.simulate.sql.session import Session, TableUse, add_use
from pybinlog.simulate.tables.table import Table


class Unsafe(Enum):
    """Why a statement may do something else on a replica when it is logged as a statement.

    The values are the explanations of the manual, "Determination of Safe and Unsafe Statements".
    """

    LIMIT = "a LIMIT clause: which rows it takes cannot be foretold"
    AUTOINC_COLUMNS = "a trigger that inserts into a table with an AUTO_INCREMENT column"
    SYSTEM_FUNCTION = "a system function that may return another value on the replica"
    INSERT_SELECT_UPDATE = "INSERT ... SELECT ... ON DUPLICATE KEY UPDATE: the order of the rows decides the updates"
    WRITE_AUTOINC_SELECT = "rows of another table written to a table with an AUTO_INCREMENT column: their order counts"
    REPLACE_SELECT = "REPLACE ... SELECT: the order of the rows decides which of them are replaced"
    INSERT_TWO_KEYS = "INSERT ... ON DUPLICATE KEY UPDATE on a table with more than one unique key"
    AUTOINC_NOT_FIRST = "an AUTO_INCREMENT column that is not the first of its key"


def tables_of(statement: syntax.Statement, session: Session) -> list[TableUse]:
    """Return the tables that a statement opens, in order; those that do not exist are omitted.

    Those of its triggers follow, of each trigger once, so that a table may be there several times.
    """
    return [use for node, home in bodies_of(statement.node, session) for use in _own_tables(node, home, session)]


def bodies_of(node: syntax.Node, session: Session) -> Iterator[tuple[syntax.Node, str | None]]:
    """Yield a statement, and those of the functions and triggers that it may run, each with its default database."""
    waiting: list[tuple[syntax.Node, str | None]] = [(node, session.database)]
    for function in functions_of(node, session):
        waiting += [(part.node, function.database) for part in function.created.body]
    triggers: list[syntax.CreateTrigger] = []
    for body, home in waiting:
        yield body, home
        for use in (
            _own_tables(body, home, session) if isinstance(body, (syntax.Insert, syntax.Update, syntax.Delete)) else ()
        ):
            for event, time in product(_events_of(body), ("BEFORE", "AFTER")) if use.written else ():
                for trigger in use.table.triggers:
                    if (trigger.time, trigger.event) == (time, event) and trigger not in triggers:
                        triggers.append(trigger)
                        waiting += [(part.node, use.table.database) for part in trigger.body]


def functions_of(node: syntax.Node, session: Session) -> list[Routine]:
    """Return the stored functions that a statement calls, each once."""
    calls = [part for part in syntax.expressions_of(node) if isinstance(part, Call) and is_stored(part, session)]
    return [session.routine("FUNCTION", (None, name)) for name in dict.fromkeys(call.name for call in calls)]


def _events_of(node: syntax.Node) -> list[str]:
    """Return the events for which a statement runs triggers."""
    if not isinstance(node, syntax.Insert):
        return ["UPDATE" if isinstance(node, syntax.Update) else "DELETE"]
    return ["INSERT", *(["UPDATE"] if node.updates else []), *(["DELETE"] if node.replaces else [])]


def check_tables(node: syntax.Node, session: Session) -> None:
    """See that the tables of a statement exist. Raise errors 1046, 1049 and 1146.

    Raise error 1442 if a function that it calls changes one of them.
    """
    for path, _, _ in _paths(node, session):
        if session.find(path) is None:
            session.storage.table(path[0] or session.database, path[1])
    own = [use.table for use in _own_tables(node, session.database, session)]
    for function in functions_of(node, session):
        for part in function.created.body:
            for use in _own_tables(part.node, function.database, session):
                if use.written and use.table in own:
                    raise in_use_error(use.table.name)


def _own_tables(node: syntax.Node, home: str | None, session: Session) -> list[TableUse]:
    """Return the tables that a statement names and that exist."""
    found: list[TableUse] = []
    for path, read, written in _paths(node, session):
        table = session.find((path[0] or home, path[1]))
        if table is not None:
            add_use(found, table, read=read, written=written)
    return found


def _paths(node: syntax.Node, session: Session) -> Iterator[tuple[Path, bool, bool]]:
    """Yield the path of each table in a statement, whether it is read and whether it is written."""
    rows = syntax.rows_of(node)
    create = node.create if isinstance(node, syntax.CreateSelect) else node
    if isinstance(create, (CreateTable, syntax.Insert, AlterTable, TruncateTable)):
        yield create.path, False, True
    if isinstance(create, CreateTable) and create.like is not None:
        yield create.like, True, False
    for path in node.paths if isinstance(node, DropTable) else ():
        yield path, False, True
    for joined in rows.tables if rows is not None else ():
        yield joined.path, True, isinstance(node, (syntax.Update, syntax.Delete)) and _is_target(session, node, joined)
    for part in syntax.expressions_of(node):
        for joined in part.query.rows.tables if isinstance(part, Subquery) else ():
            yield joined.path, True, False


def _is_target(session: Session, node: syntax.Update | syntax.Delete, joined: syntax.Joined) -> bool:
    """Return True if an UPDATE or DELETE changes one of its tables."""
    if len(node.rows.tables) == 1:
        return True
    if isinstance(node, syntax.Delete):
        return joined.alias.lower() in (name.lower() for name in node.targets)
    table = session.find(joined.path)
    return any(
        assignment.table.lower() == joined.alias.lower()
        if assignment.table
        else table is not None and table.position(assignment.column) is not None
        for assignment in node.assignments
    )


def unsafe_of(statement: syntax.Statement, session: Session) -> list[Unsafe]:
    """Return the reasons why a statement may have another effect on a replica, in the server's order; empty for a safe
    one.
    """
    if not isinstance(
        statement.node, (syntax.Insert, syntax.Update, syntax.Delete, syntax.Select, syntax.CreateSelect)
    ):
        return []
    found: set[Unsafe] = set()
    for node, home in bodies_of(statement.node, session):
        uses = _own_tables(node, home, session)
        found |= _unsafe(node, uses)
        if node is not statement.node and any(use.written and _automatic(use.table) for use in uses):
            found.add(Unsafe.AUTOINC_COLUMNS)
    return [reason for reason in Unsafe if reason in found]


def _unsafe(node: syntax.Node, uses: list[TableUse]) -> set[Unsafe]:
    """Return the reasons why one statement is unsafe, its triggers aside."""
    rows = syntax.rows_of(node)
    automatic = [use.table for use in uses if use.written and _automatic(use.table)]
    found: set[Unsafe] = set()
    if rows is not None and rows.limit is not None and not isinstance(node, syntax.Select):
        found.add(Unsafe.LIMIT)
    if any(isinstance(part, Call) and part.name in UNSAFE for part in syntax.expressions_of(node)):
        found.add(Unsafe.SYSTEM_FUNCTION)
    if automatic and any(use.read and not use.written for use in uses):
        found.add(Unsafe.WRITE_AUTOINC_SELECT)
    if isinstance(node, syntax.Insert):
        if node.query is not None and node.replaces:
            found.add(Unsafe.REPLACE_SELECT)
        if node.query is not None and node.updates:
            found.add(Unsafe.INSERT_SELECT_UPDATE)
        if node.updates and uses and len(uses[0].table.unique_keys) > 1:
            found.add(Unsafe.INSERT_TWO_KEYS)
        if any(map(_not_first, automatic)):
            found.add(Unsafe.AUTOINC_NOT_FIRST)
    return found


def _automatic(table: Table) -> bool:
    return table.auto_increment_place is not None


def _not_first(table: Table) -> bool:
    """Return True if the AUTO_INCREMENT column is not the first of any key."""
    name = table.columns[table.auto_increment_place or 0].name.lower()
    return not any(key.parts[0].column.lower() == name for key in table.definition.keys)
