"""Tables: the definitions by database and table, and which tables are known not to be there.

A Session is what a statement depends on beside its text. The journal has what each statement of a log does to the
tables of a server, to be gone over backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from pybinlog.column_types import ColumnType
from pybinlog.record import Record
from pybinlog.schema.column import Column, Settings
from pybinlog.schema.cursor import Path
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.text import UNKNOWN, collation_of_number, decode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.schema.statement import AlterTable

Key = tuple[str, str]
"""A database and a table in it."""

_MOST_ABSENT = 4096
_VERSIONS = tuple(
    Column(name, ColumnType.TIMESTAMP2, "timestamp(6)", nullable=False, decimals=6, visible=False)
    for name in ("row_start", "row_end")
)
"""The columns that MariaDB adds to a table with system versioning."""


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
        self._absent: dict[Key, None] = {}  # tables that were dropped, the last of them
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

    @property
    def absent(self) -> list[Key]:
        """The tables that were dropped last."""
        return list(self._absent)

    def put(self, key: Key, what: Known | Unknown) -> None:
        self._touch(key)
        self._found[key] = what
        self._spelled[_lower(key)] = key
        self._absent.pop(key, None)

    def forget(self, key: Key) -> None:
        self._touch(key)
        self._found.pop(key, None)
        self._absent.pop(key, None)
        if self._spelled.get(_lower(key)) == key:
            del self._spelled[_lower(key)]

    def items(self) -> Iterator[tuple[Key, Known | Unknown]]:
        return iter(self._found.items())

    def drop(self, key: Key) -> None:
        self.forget(key)
        self._absent[key] = None
        if len(self._absent) > _MOST_ABSENT:
            del self._absent[next(iter(self._absent))]

    def lose_all(self, unknown: Unknown) -> None:
        """Nothing is known any more, neither of tables nor of their absence."""
        for key in self._found:
            self._touch(key)
            self._found[key] = unknown
        self._absent.clear()

    def other_spelling(self, key: Key, where: str) -> None:
        """A statement is about `key`: a table that is spelled otherwise here may be the one it means."""
        other = self._spelled.get(_lower(key))
        if other is not None and other != key and key not in self._found:
            self._touch(other)
            self._found[other] = Unknown(f"a statement changed the table {key[1]}, which may be this one", where)


def _lower(key: Key) -> Key:
    return key[0].lower(), key[1].lower()


_MODES = {1: "REAL_AS_FLOAT", 4: "ANSI_QUOTES", 1 << 20: "NO_BACKSLASH_ESCAPES"}
"""The bits of sql_mode by which statements read otherwise. Source: the server's sql/query_options.h."""
_KNOWN_MODES = sum(_MODES)


@cache
def _names_of_modes(bits: int) -> frozenset[str]:
    return frozenset(name for bit, name in _MODES.items() if bits & bit)


class NoDatabase(Exception):
    """A statement names a table without a database, and the session has no default database."""


@dataclass(frozen=True)
class Session:
    """`where` is a part of a sentence. A dump's IF NOT EXISTS means what it says (`of_dump`)."""

    database: str
    where: str
    settings: Settings = field(default_factory=lambda: Settings(lenient=True))
    server_collation: int = UNKNOWN
    database_collation: int = UNKNOWN
    thread: int = 0
    of_dump: bool = False

    def key(self, path: Path) -> Key:
        """Return the table that a statement names. Raise NoDatabase if its database is unknown."""
        database = path[0] or self.database
        if not database:
            raise NoDatabase(path[1])
        return database, path[1]


class LoggedStatement(NamedTuple):
    """A statement of a log, with what its Query event says of the session.

    `charset` are the six bytes for client, connection and server.
    """

    text: bytes
    database: bytes
    charset: bytes | None = None
    database_collation: int = 0
    sql_mode: int = 0
    explicit_defaults_for_timestamp: int = -1
    default_collation_for_utf8mb4: int = -1
    thread: int = 0
    file: bytes = b""
    position: int = 0

    @property
    def where(self) -> str:
        return place(self.file, self.position)

    @property
    def session(self) -> Session:
        """Return the session of the statement."""
        return Session(
            database=self.database.decode("utf-8", "surrogateescape"),
            where=self.where,
            settings=Settings(
                sql_mode=_names_of_modes(self.sql_mode & _KNOWN_MODES),
                explicit_defaults_for_timestamp=self.explicit_defaults_for_timestamp != 0,
                # (a number that no server has would be looked up in tables)
                default_collation_for_utf8mb4=max(collation_of_number(max(self.default_collation_for_utf8mb4, 0)), 0),
                lenient=True,
            ),
            server_collation=self._collation(4),
            database_collation=collation_of_number(self.database_collation),
            thread=self.thread,
        )

    @property
    def decoded(self) -> str:
        """Return the text, in the client's character set; bytes that are none become surrogates, which no name has."""
        if self.text.isascii():
            return self.text.decode("ascii")
        number = self._collation(0)
        return self.text.decode("utf-8", "surrogateescape") if number == UNKNOWN else decode_text(self.text, number)

    def _collation(self, at: int) -> int:
        return collation_of_number(int.from_bytes((self.charset or bytes(6))[at : at + 2], "little"))


def place(file: bytes, position: int) -> str:
    """Return a place in a log, as a part of a sentence."""
    return f"{file.decode('utf-8', 'replace')}, position {position}"


class Made(Record):
    """CREATE TABLE. With `keeps` (IF NOT EXISTS) the table may have been there, with `replaces` another one."""

    key: Key
    keeps: bool = False
    replaces: bool = False


class Dropped(Record):
    """DROP TABLE."""

    key: Key


class Altered(Record):
    """ALTER TABLE, without the new name that it may give."""

    key: Key
    statement: AlterTable
    settings: Settings


class Renamed(Record):
    """A table has another name from here on."""

    old: Key
    new: Key


class Lost(Record):
    """A statement that the parser does not know: it may have changed the table (None: any table) in any way."""

    key: Key | None
    unknown: Unknown


class DatabaseMade(Record):
    """CREATE DATABASE."""

    name: str


class DatabaseDropped(Record):
    """DROP DATABASE."""

    name: str


Entry = Made | Dropped | Altered | Renamed | Lost | DatabaseMade | DatabaseDropped
