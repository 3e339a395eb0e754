"""The tables that a logged statement is about, as the kernel's StatementTables asks for them."""

from collections.abc import Iterable

from pybinlog.statement.reader import read_logged
from pybinlog.statement.session import Key, LoggedStatement
from pybinlog.verbs import Operation

Name = tuple[bytes, bytes | None]
"""The names of a database and of a table in it, or None for all of its tables."""


def read_tables(
    text: bytes,
    database: bytes,
    charset: bytes | None,
    database_collation: int,
    sql_mode: int,
    mariadb: bool = False,
    server_version: int = 0,
) -> tuple[Operation, tuple[Name, ...] | None, tuple[Name, ...] | None]:
    """Return the operation of a statement, the tables that it is about, and those whose rows it changes.

    The latter come first among the tables. None stands for tables that the text does not tell. The arguments are as in
    LoggedStatement.
    """
    effect = read_logged(
        LoggedStatement(
            text, database, charset, database_collation, sql_mode, mariadb=mariadb, server_version=server_version
        )
    )
    return effect.operation, names_of(effect.tables), names_of(effect.changed)


def names_of(keys: Iterable[Key] | None) -> tuple[Name, ...] | None:
    if keys is None:
        return None
    return tuple((encoded(database), None if table is None else encoded(table)) for database, table in keys)


def encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
