"""Before a statement runs: the tables that it opens, and what makes it unsafe to log as a statement."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from .effect import TableUse, Unsafe
from .insert import target_of
from .routine import functions_of, parsed_body
from .session import Session
from .source import joined_tables
from .statement import Kind, Statement
from .table import Table

__all__ = ["tables_of", "unsafe_of"]

_UNSAFE_FUNCTIONS = frozenset(
    "CURRENT_ROLE CURRENT_USER FOUND_ROWS GET_LOCK IS_FREE_LOCK IS_USED_LOCK LOAD_FILE MASTER_POS_WAIT RAND "
    "RANDOM_BYTES RELEASE_ALL_LOCKS RELEASE_LOCK ROW_COUNT SESSION_USER SLEEP SYSDATE SYSTEM_USER USER UUID UUID_SHORT "
    "VERSION".split()
)
_LOGGED_VARIABLES = frozenset(
    "auto_increment_increment auto_increment_offset character_set_client character_set_connection "
    "character_set_database character_set_server collation_connection collation_database collation_server "
    "foreign_key_checks identity insert_id last_insert_id lc_time_names pseudo_thread_id sql_auto_is_null sql_mode "
    "time_zone timestamp unique_checks default_collation_for_utf8mb4".split()
)
"""The session variables whose values are logged with each statement."""


def _found(session: Session, node: Any) -> Table | None:
    database = node.db or session.database
    if database is None:
        return None
    temporary = session.temporary_tables.get((database, node.name))
    if temporary is not None:
        return temporary
    home = session.storage.databases.get(database)
    return home.tables.get(node.name) if home is not None else None


class _Uses:
    """The tables of a statement in the order in which they are opened."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.uses: list[TableUse] = []

    def add(self, node: Any, *, read: bool = False, written: bool = False) -> None:
        table = _found(self.session, node)
        if table is None:
            return
        for use in self.uses:
            if use.table is table:
                use.read |= read
                use.written |= written
                return
        self.uses.append(TableUse(table, read, written))

    def readers(self, tree: Any, known: list[Any]) -> None:
        """All other tables of a statement are read."""
        names = {item.alias.lower() for item in tree.find_all(exp.CTE)}
        for node in tree.find_all(exp.Table, bfs=False):
            is_name = not node.db and node.name.lower() in names
            if not is_name and all(node is not other for other in known):
                self.add(node, read=True)


def tables_of(statement: Statement, session: Session) -> list[TableUse]:
    """The tables that a statement opens, in order; those that do not exist are left out."""
    uses = _Uses(session)
    tree = statement.tree
    if tree is None:
        if statement.kind is Kind.RENAME_TABLE:
            return []
        return uses.uses
    known: list[Any] = []
    if statement.kind in (Kind.INSERT, Kind.REPLACE):
        node, _ = target_of(tree)
        known = [node]
        uses.add(node, written=True)
    elif statement.kind is Kind.UPDATE:
        known = _update_targets(uses, tree)
    elif statement.kind is Kind.DELETE:
        known = _delete_targets(uses, tree)
    elif statement.is_ddl:
        for node in tree.find_all(exp.Table, bfs=False):
            is_model = node.find_ancestor(exp.Select, exp.LikeProperty) is not None
            uses.add(node, read=is_model, written=not is_model)
        return uses.uses
    uses.readers(tree, known)
    for use in list(uses.uses):
        if use.written:
            for trigger in use.table.triggers:
                _substatements(uses, trigger.body)
    for routine in functions_of(session, tree):
        _substatements(uses, routine.body)
    return uses.uses


def _substatements(uses: _Uses, body: Any) -> None:
    for inner in parsed_body(body):
        for use in tables_of(inner, uses.session):
            if all(use.table is not other.table for other in uses.uses):
                uses.uses.append(use)
            else:
                known = next(other for other in uses.uses if other.table is use.table)
                known.read |= use.read
                known.written |= use.written


def _update_targets(uses: _Uses, tree: Any) -> list[Any]:
    nodes = [node for node, _ in joined_tables(tree.this, list(tree.args.get("joins") or []))]
    nodes = [node for node in nodes if isinstance(node, exp.Table)]
    if len(nodes) == 1:
        uses.add(nodes[0], read=True, written=True)
        return nodes
    for node in nodes:
        table = _found(uses.session, node)
        written = any(_names(assignment.this, node, table) for assignment in tree.expressions)
        uses.add(node, read=True, written=written)
    return nodes


def _names(column: Any, node: Any, table: Table | None) -> bool:
    """Whether an assignment's column is one of this table."""
    if column.table:
        return column.table.lower() == (node.alias or node.name).lower()
    return table is not None and table.position(column.name) is not None


def _delete_targets(uses: _Uses, tree: Any) -> list[Any]:
    using = tree.args.get("using") or []
    named = list(tree.args.get("tables") or [])
    if using:
        named = [node for node, _ in joined_tables(tree.this, [])]
        nodes = [node for first in using for node, _ in joined_tables(first, [])]
    else:
        nodes = [node for node, _ in joined_tables(tree.this, list(tree.args.get("joins") or []))]
    wanted = {node.name.lower() for node in named}
    for node in nodes:
        written = not named or (node.alias or node.name).lower() in wanted
        uses.add(node, read=True, written=written)
    return [*nodes, *named]


def unsafe_of(statement: Statement, session: Session) -> list[Unsafe]:
    """What may let a statement do something else on a replica, in the server's order; empty for a safe one."""
    tree = statement.tree
    writes = statement.is_dml or statement.kind is Kind.CREATE_TABLE_SELECT
    routines = functions_of(session, tree) if tree is not None else []
    if tree is None or not (writes or routines):
        return []
    found: set[Unsafe] = set()
    uses = tables_of(statement, session)
    query = tree.expression if statement.kind in (Kind.INSERT, Kind.REPLACE, Kind.CREATE_TABLE_SELECT) else None
    selects = isinstance(query, exp.Query) and not isinstance(query, exp.Values)
    if tree.find(exp.Limit) is not None:
        found.add(Unsafe.LIMIT)
    found |= _of_expressions(tree)
    if selects and statement.ignore and statement.kind is Kind.INSERT:
        found.add(Unsafe.INSERT_IGNORE_SELECT)
    if selects and statement.kind is Kind.REPLACE:
        found.add(Unsafe.REPLACE_SELECT)
    conflict = tree.args.get("conflict") if statement.kind is Kind.INSERT else None
    if conflict is not None:
        if selects:
            found.add(Unsafe.INSERT_SELECT_UPDATE)
        if uses and len(uses[0].table.unique_keys) > 1:
            found.add(Unsafe.INSERT_TWO_KEYS)
    if statement.kind is Kind.UPDATE and statement.ignore:
        found.add(Unsafe.UPDATE_IGNORE)
    written = [use for use in uses if use.written]
    automatic = [use.table for use in written if use.table.auto_increment_column is not None]
    if automatic and any(use.read and not use.written for use in uses):
        found.add(Unsafe.WRITE_AUTOINC_SELECT)
    if any(_not_first(table) for table in automatic) and statement.kind in (Kind.INSERT, Kind.REPLACE):
        found.add(Unsafe.AUTOINC_NOT_FIRST)
    bodies = [routine.body for routine in routines]
    bodies += [trigger.body for use in written for trigger in use.table.triggers]
    for body in bodies:
        for inner in parsed_body(body):
            found |= set(unsafe_of(inner, session))
            inserts = inner.kind in (Kind.INSERT, Kind.REPLACE)
            if inserts and any(use.table.auto_increment_column is not None for use in tables_of(inner, session)):
                found.add(Unsafe.AUTOINC_COLUMNS)
    return [reason for reason in Unsafe if reason in found]


def _of_expressions(tree: Any) -> set[Unsafe]:
    found = set()
    for node in tree.find_all(exp.Anonymous):
        if str(node.this).upper() in _UNSAFE_FUNCTIONS:
            found.add(Unsafe.SYSTEM_FUNCTION)
    if tree.find(exp.CurrentUser) is not None:
        found.add(Unsafe.SYSTEM_FUNCTION)
    for node in tree.find_all(exp.SessionParameter):
        scope = (node.args.get("kind") or "").lower()
        if scope == "global" or node.this.name.lower() not in _LOGGED_VARIABLES:
            found.add(Unsafe.SYSTEM_VARIABLE)
    return found


def _not_first(table: Table) -> bool:
    """Whether the AUTO_INCREMENT column begins none of the keys that it is in."""
    column = table.auto_increment_column
    if column is None:
        return False
    return not any(key.parts[0].column.lower() == column.name.lower() for key in table.keys)
