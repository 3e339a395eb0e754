"""Databases, and the whole of what a server stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .charset import default_collation
from .error import error
from .table import Table
from .transaction import Transaction

__all__ = ["Database", "Storage"]


@dataclass
class Database:
    """A database: its default collation, tables, and stored functions."""

    name: str
    collation: int
    tables: dict[str, Table] = field(default_factory=dict)
    routines: dict[str, Any] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)


class Storage:
    """All databases of one server of a version such as (9, 7) or (5, 6)."""

    def __init__(self, version: tuple[int, ...] = (9, 7)) -> None:
        self.version = version
        self.databases: dict[str, Database] = {}
        self.active: set[Transaction] = set()
        self.default_collation = default_collation("utf8mb4" if version >= (8,) else "latin1", version)
        self.uuids = 0
        self._next_table_id = 111 if version >= (8,) else 63

    def database(self, name: str | None) -> Database:
        """A database by name. Raises errors 1046 and 1049."""
        if name is None:
            raise error("NO_DB")
        if name not in self.databases:
            raise error("BAD_DB", name)
        return self.databases[name]

    def new_table_id(self) -> int:
        """A number that no definition of a table has had."""
        self._next_table_id += 1
        return self._next_table_id - 1
