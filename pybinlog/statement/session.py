"""Session: what a statement depends on beside its text; LoggedStatement: a statement with what its Query event says."""

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from pybinlog.schema.column import Settings
from pybinlog.schema.dialect import ANY_SERVER, Dialect
from pybinlog.schema.text import UNKNOWN, collation_of_number, decode_text

Key = tuple[str, str]
"""A database and a table in it."""

_ORACLE = 1 << 9 | 1 << 33
"""ORACLE with SIMULTANEOUS_ASSIGNMENT, which MariaDB sets from 10.3 on: then it has Oracle's types."""
_MODES = {1: "REAL_AS_FLOAT", 4: "ANSI_QUOTES", 1 << 20: "NO_BACKSLASH_ESCAPES", _ORACLE: "ORACLE"}
"""The bits of sql_mode by which statements read otherwise. Source: the server's sql/query_options.h."""
_KNOWN_MODES = sum(_MODES)


@cache
def _names_of_modes(bits: int) -> frozenset[str]:
    return frozenset(name for bit, name in _MODES.items() if bits & bit == bit)


@dataclass(frozen=True)
class Session:
    """`where` is a part of a sentence. A dump's IF NOT EXISTS means what it says (`of_dump`)."""

    database: str
    where: str = ""
    settings: Settings = field(default_factory=lambda: Settings(lenient=True))
    server_collation: int = UNKNOWN
    database_collation: int = UNKNOWN
    thread: int = 0
    of_dump: bool = False
    dialect: Dialect = ANY_SERVER


class LoggedStatement(NamedTuple):
    """A statement of a log, with what its Query event says of the session.

    `charset` are the six bytes for client, connection and server. `thread` is a number of the connection among those of
    all servers. `server_version` is 0 if it is unknown, and so is `server_start`: when the server was started, in
    seconds since 1970.
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
    mariadb: bool = False
    server_version: int = 0
    server_start: int = 0

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
            dialect=Dialect(self.mariadb, self.server_version) if self.server_version else Dialect(),
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
