"""Storage: databases, and the whole of what a server stores."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybinlog.schema import default_collation, error
from pybinlog.simulate.tables.table import Row, Table

FIRST_TABLE_ID, FIRST_TABLE_ID_5_6 = 111, 63


@dataclass
class Database:
    """A database: its default collation and its tables by name."""

    name: str
    collation: int
    tables: dict[str, Table] = field(default_factory=dict)


class Storage:
    """All databases of one server of a version such as (9, 7) or (5, 6)."""

    def __init__(self, version: tuple[int, ...] = (9, 7)) -> None:
        self.version = version
        self.modern = version >= (8,)
        self.databases: dict[str, Database] = {}
        self.default_collation = default_collation("utf8mb4" if self.modern else "latin1", version)
        self._next_table_id = FIRST_TABLE_ID if self.modern else FIRST_TABLE_ID_5_6

    def rows(self) -> dict[str, list[Row]]:
        """Return the rows of all tables: "database.table" -> rows."""
        return {
            f"{database.name}.{table.name}": table.rows()
            for database in self.databases.values()
            for table in database.tables.values()
        }

    def database(self, name: str | None) -> Database:
        """Return a database by name. Raise errors 1046 and 1049."""
        if name is None:
            raise error("NO_DB")
        if name not in self.databases:
            raise error("BAD_DB", name)
        return self.databases[name]

    def find(self, database: str | None, name: str) -> Table | None:
        """Return a table by name; None if there is none."""
        home = self.databases.get(database or "")
        return home.tables.get(name) if home is not None else None

    def table(self, database: str | None, name: str) -> Table:
        """Return a table by name. Raise errors 1046, 1049 and 1146."""
        table = self.database(database).tables.get(name)
        if table is None:
            raise error("NO_SUCH_TABLE", f"{database}.{name}")
        return table

    def put(self, table: Table) -> None:
        """Add a table, or a new definition of one."""
        self.databases[table.database].tables[table.name] = table

    def new_table_id(self) -> int:
        """Return a number that no definition of a table has had."""
        self._next_table_id += 1
        return self._next_table_id - 1
