"""Tables: the definitions by database and table, and which tables are known not to be there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pybinlog.column_types import ColumnType
from pybinlog.schema.column import Column
from pybinlog.schema.table import TableDefinition
from pybinlog.statement import Key
from pybinlog.statement.subjects import lower

SEQUENCE_COLUMNS = (
    "next_not_cached_value",
    "minimum_value",
    "maximum_value",
    "start_value",
    "increment",
    "cache_size",
    "cycle_option",
    "cycle_count",
)
"""The columns of MariaDB's sequences."""
_MOST_ABSENT = 4096
_VERSIONS = tuple(
    Column(name, ColumnType.TIMESTAMP2, "timestamp(6)", nullable=False, decimals=6, visible=False)
    for name in ("row_start", "row_end")
)
"""The columns that MariaDB adds to a table with system versioning."""
GONE = "the statements of the logs left no table of that name, so it was a temporary one, or logs are missing"
"""The reason if rows of a table come that was dropped or renamed, or that nothing made in a new database."""
NO_NAMES = "{where}: the columns of {table} have no names from here on: {reason}"


@dataclass(frozen=True)
class Known:
    """A table as it is defined. `engine` is the engine's name as a statement writes it; None if none does."""

    table: TableDefinition
    versioned: bool = False
    engine: str | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns + (_VERSIONS if self.versioned else ())


@dataclass(frozen=True)
class Unknown:
    """A table whose definition is lost. `reason` and `where` are parts of a sentence."""

    reason: str
    where: str


class Tables:
    """`get` a table, `put` it, `drop` it.

    A server may take names in any case: `other_spelling` is for tables that may be one under two names.
    """

    def __init__(self) -> None:
        self._found: dict[Key, Known | Unknown] = {}
        self._absent: dict[Key, bool] = {}  # the tables that were dropped last, and whether they were known
        self._spelled: dict[Key, Key] = {}  # by names in lower case
        self.touched: set[Key] | None = None
        """The table that is put, forgotten or lost; None: not needed."""
        self.changes = 0

    def copy(self) -> Tables:
        made = Tables()
        made._found = dict(self._found)
        made._absent = dict(self._absent)
        made._spelled = dict(self._spelled)
        return made

    def _touch(self, key: Key) -> None:
        self.changes += 1
        if self.touched is not None:
            self.touched.add(key)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, key: Key) -> bool:
        return key in self._found

    def __iter__(self) -> Iterator[Key]:
        return iter(self._found)

    def get(self, key: Key) -> Known | Unknown | None:
        return self._found.get(key)

    def is_absent(self, key: Key) -> bool:
        """Return True if the last statement about it dropped it."""
        return key in self._absent

    def was_known(self, key: Key) -> bool:
        """Return True if it is known, or was when the last statement about it dropped it."""
        return key in self._found or self._absent.get(key, False)

    @property
    def absent(self) -> list[Key]:
        """The tables that were dropped last."""
        return list(self._absent)

    def put(self, key: Key, what: Known | Unknown) -> None:
        self._touch(key)
        self._found[key] = what
        self._spelled[lower(key)] = key
        self._absent.pop(key, None)

    def forget(self, key: Key) -> None:
        self._touch(key)
        self._found.pop(key, None)
        self._absent.pop(key, None)
        if self._spelled.get(lower(key)) == key:
            del self._spelled[lower(key)]

    def items(self) -> Iterator[tuple[Key, Known | Unknown]]:
        return iter(self._found.items())

    def drop(self, key: Key) -> None:
        was_known = key in self._found
        self.forget(key)
        self._absent[key] = was_known
        if len(self._absent) > _MOST_ABSENT:
            del self._absent[next(iter(self._absent))]

    def lose_all(self, unknown: Unknown) -> None:
        """Forget all tables, and their absence."""
        for key in self._found:
            self._touch(key)
            self._found[key] = unknown
        self._absent.clear()

    def spelled_otherwise(self, key: Key) -> Key | None:
        """Return the table that has another spelling of a name that no table has."""
        other = self._spelled.get(lower(key))
        return None if key in self._found or other == key else other

    def other_spelling(self, key: Key, where: str) -> None:
        """Note that a statement is about `key`: it may mean a table that has another spelling here."""
        other = self.spelled_otherwise(key)
        if other is not None:
            self._lose(other, f"a statement changed the table {key[1]}, which may be this one", where)

    def other_database(self, name: str, where: str) -> None:
        """Note that a statement dropped a database: without tables here, it may be one that has another spelling."""
        if all(key[0] != name for key in self._found):
            for key in [key for key in self._found if key[0].lower() == name.lower()]:
                self._lose(key, f"a statement dropped the database {name}, which may be the one of this table", where)

    def _lose(self, key: Key, reason: str, where: str) -> None:
        self._touch(key)
        self._found[key] = Unknown(reason, where)
