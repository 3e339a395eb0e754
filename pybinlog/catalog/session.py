"""Session: what a statement depends on beside its text."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybinlog.catalog.tables import Key
from pybinlog.schema.column import Settings
from pybinlog.schema.cursor import Path
from pybinlog.schema.text import UNKNOWN, collation_of_number, decode_text

_MODES = {1: "REAL_AS_FLOAT", 4: "ANSI_QUOTES", 1 << 20: "NO_BACKSLASH_ESCAPES"}
"""The bits of sql_mode by which statements read otherwise. Source: the server's sql/query_options.h."""


class NoDatabase(Exception):
    """A statement names a table without its database, and there is no default."""


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


def session_of(
    database: bytes,
    charset: bytes,
    database_collation: int,
    sql_mode: int,
    explicit_defaults_for_timestamp: int,
    default_collation_for_utf8mb4: int,
    thread: int,
    where: str,
) -> Session:
    """Return the session of a Query event. `charset` are its six bytes for client, connection and server."""
    return Session(
        database=database.decode("utf-8", "surrogateescape"),
        where=where,
        settings=Settings(
            sql_mode=frozenset(name for bit, name in _MODES.items() if sql_mode & bit),
            explicit_defaults_for_timestamp=explicit_defaults_for_timestamp != 0,
            # (a number that no server has would be looked up in tables)
            default_collation_for_utf8mb4=max(collation_of_number(max(default_collation_for_utf8mb4, 0)), 0),
            lenient=True,
        ),
        server_collation=collation_of_number(int.from_bytes(charset[4:6], "little")),
        database_collation=collation_of_number(database_collation),
        thread=thread,
    )


def decoded(text: bytes, charset: bytes) -> str:
    """Return a statement's text, in the client's character set; bytes that are none become surrogates, which no name
    has.
    """
    if text.isascii():
        return text.decode("ascii")
    number = collation_of_number(int.from_bytes(charset[:2], "little"))
    return text.decode("utf-8", "surrogateescape") if number == UNKNOWN else decode_text(text, number)


def place(file: bytes, position: int) -> str:
    """Return a place in a log, as a part of a sentence."""
    return f"{file.decode('utf-8', 'replace')}, position {position}"
