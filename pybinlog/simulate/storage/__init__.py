"""Tables in memory, and the SQL that works on them.

    storage = Storage((9, 7))
    session = Session(storage)
    effect = execute(parse("CREATE DATABASE d", session), session)
    session.database = "d"
    ...
    for change in effect.changes:
        print(change.table, change.before, change.after)

A statement is run at once and as a whole. `Effect` says all that the binary log needs of it; what was changed is part
of the session's `transaction`, which can be rolled back. `row_groups` and `table_map_body` make events of it.

Needs sqlglot (the extra `simulate`).
"""

from __future__ import annotations

from .charset import collation_id, collation_name, default_collation
from .database import Database, Storage
from .effect import Effect, TableUse, Unsafe
from .encode import RowGroup, row_groups, table_map_body
from .error import SqlError
from .execute import DEFAULT, Assignment, assign, execute
from .session import Session, UserVariable
from .statement import Kind, Statement, parse
from .table import Table
from .transaction import RowChange, Transaction
from .unsafe import tables_of, unsafe_of

__all__ = [
    "DEFAULT",
    "Assignment",
    "Database",
    "Effect",
    "Kind",
    "RowChange",
    "RowGroup",
    "Session",
    "SqlError",
    "Statement",
    "Storage",
    "Table",
    "TableUse",
    "Transaction",
    "Unsafe",
    "UserVariable",
    "assign",
    "collation_id",
    "collation_name",
    "default_collation",
    "execute",
    "parse",
    "row_groups",
    "table_map_body",
    "tables_of",
    "unsafe_of",
]
