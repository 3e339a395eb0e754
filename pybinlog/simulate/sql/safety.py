"""Before a statement runs: the tables that it opens, and what makes it unsafe to log as a statement."""

from __future__ import annotations

from enum import Enum

from pybinlog.schema.cursor import Path
from pybinlog.schema.expression import Call, Subquery
from pybinlog.schema.statement import AlterTable, CreateTable, DropTable, TruncateTable
from pybinlog.simulate.sql.effect import TableUse, add_use
from pybinlog.simulate.sql.functions import UNSAFE
from pybinlog.simulate.sql.session import Session
from pybinlog.simulate.sql.syntax import (
    CreateSelect,
    Delete,
    Insert,
    Joined,
    Statement,
    Update,
    expressions_of,
    rows_of,
)
from pybinlog.simulate.tables.table import Table


class Unsafe(Enum):
    """Why a statement may do something else on a replica when it is logged as a statement.

    The values are the explanations of the manual, "Determination of Safe and Unsafe Statements".
    """

    LIMIT = "a LIMIT clause: which rows it takes cannot be foretold"
    SYSTEM_FUNCTION = "a system function that may return another value on the replica"
    INSERT_SELECT_UPDATE = "INSERT ... SELECT ... ON DUPLICATE KEY UPDATE: the order of the rows decides the updates"
    WRITE_AUTOINC_SELECT = "rows of another table written to a table with an AUTO_INCREMENT column: their order counts"
    REPLACE_SELECT = "REPLACE ... SELECT: the order of the rows decides which of them are replaced"
    INSERT_TWO_KEYS = "INSERT ... ON DUPLICATE KEY UPDATE on a table with more than one unique key"
    AUTOINC_NOT_FIRST = "an AUTO_INCREMENT column that is not the first of its key"


def tables_of(statement: Statement, session: Session) -> list[TableUse]:
    """The tables that a statement opens, in order; those that do not exist are left out."""
    found: list[TableUse] = []

    def add(path: Path, *, read: bool = False, written: bool = False) -> None:
        table = session.storage.find(path[0] or session.database, path[1])
        if table is not None:
            add_use(found, table, read=read, written=written)

    node, rows = statement.node, rows_of(statement.node)
    create = node.create if isinstance(node, CreateSelect) else node
    if isinstance(create, (CreateTable, Insert, AlterTable, TruncateTable)):
        add(create.path, written=True)
    if isinstance(create, CreateTable) and create.like is not None:
        add(create.like, read=True)
    for path in node.paths if isinstance(node, DropTable) else ():
        add(path, written=True)
    for joined in rows.tables if rows is not None else ():
        written = isinstance(node, (Update, Delete)) and _is_target(session, node, joined)
        add(joined.path, read=True, written=written)
    for part in expressions_of(node):
        for joined in part.query.rows.tables if isinstance(part, Subquery) else ():
            add(joined.path, read=True)
    return found


def _is_target(session: Session, node: Update | Delete, joined: Joined) -> bool:
    """Whether an UPDATE or DELETE changes one of its tables."""
    if len(node.rows.tables) == 1:
        return True
    if isinstance(node, Delete):
        return joined.alias.lower() in (name.lower() for name in node.targets)
    table = session.storage.find(joined.path[0] or session.database, joined.path[1])
    return any(
        assignment.table.lower() == joined.alias.lower()
        if assignment.table
        else table is not None and table.position(assignment.column) is not None
        for assignment in node.assignments
    )


def unsafe_of(statement: Statement, session: Session) -> list[Unsafe]:
    """What may let a statement do something else on a replica, in the server's order; empty for a safe one."""
    node, rows = statement.node, rows_of(statement.node)
    if not statement.is_dml and not isinstance(node, CreateSelect):
        return []
    uses = tables_of(statement, session)
    automatic = [use.table for use in uses if use.written and use.table.auto_increment_place is not None]
    found: set[Unsafe] = set()
    if rows is not None and rows.limit is not None:
        found.add(Unsafe.LIMIT)
    if any(isinstance(part, Call) and part.name in UNSAFE for part in expressions_of(node)):
        found.add(Unsafe.SYSTEM_FUNCTION)
    if automatic and any(use.read and not use.written for use in uses):
        found.add(Unsafe.WRITE_AUTOINC_SELECT)
    if isinstance(node, Insert):
        if node.query is not None and node.replace:
            found.add(Unsafe.REPLACE_SELECT)
        if node.query is not None and node.updates:
            found.add(Unsafe.INSERT_SELECT_UPDATE)
        if node.updates and uses and len(uses[0].table.unique_keys) > 1:
            found.add(Unsafe.INSERT_TWO_KEYS)
        if any(map(_not_first, automatic)):
            found.add(Unsafe.AUTOINC_NOT_FIRST)
    return [reason for reason in Unsafe if reason in found]


def _not_first(table: Table) -> bool:
    """Whether the AUTO_INCREMENT column begins none of the keys that it is in."""
    name = table.columns[table.auto_increment_place or 0].name.lower()
    return not any(key.parts[0].column.lower() == name for key in table.definition.keys)
