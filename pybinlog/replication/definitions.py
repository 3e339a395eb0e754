"""The tables of a live server, as it defines them now."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pybinlog.errors import SourceError
from pybinlog.replication.connection import Connection
from pybinlog.replication.options import ServerOptions

ATTEMPTS = 5
TABLES = (
    "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE IN ('BASE TABLE', "
    "'SYSTEM VERSIONED') AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema') "
    "ORDER BY TABLE_SCHEMA, TABLE_NAME"
)


@dataclass(frozen=True)
class ServerTables:
    """CREATE TABLE statements, and the place in the server's logs at which they hold."""

    text: str
    log: str
    position: int


def server_tables(options: ServerOptions) -> ServerTables:
    """Return the tables of a server, without its own.

    They are read before and after the place is asked for, and are the same, so they hold there. Raise SourceError if
    the server cannot be asked, or its tables change all the time.
    """

    with closing(Connection(options)) as connection:
        before = definitions(connection)
        for _ in range(ATTEMPTS):
            log, position = place(connection)
            after = definitions(connection)
            if before == after:
                return ServerTables(after, log, position)
            before = after
    raise SourceError(
        "tables are made or altered while they are read", file=options.address, hint="Try again when it is quiet"
    )


def place(connection: Connection) -> tuple[str, int]:
    """Return the position at which the server writes next."""
    log, position, *_ = log_status(connection)
    return str(log), int(position)


def log_status(connection: Connection) -> tuple[Any, ...]:
    """Return the log, the position at which the server writes next, and what else it says of these.

    Of MySQL, the last value is gtid_executed.
    """
    numbers = tuple(int(part) for part in connection.version.split(".")[:2] if part.isdecimal())
    is_new = not connection.is_mariadb and numbers >= (8, 2)
    found = connection.query("SHOW BINARY LOG STATUS" if is_new else "SHOW MASTER STATUS")
    if not found:
        raise SourceError("the server writes no binary log, so the time of its table definitions is unknown")
    return found[0]


def definitions(connection: Connection, renamed: tuple[str, str] | None = None) -> str:
    """Return the statements, each with its database; of `renamed`, old and new, those of new under the old name."""
    parts = []
    for database, table in connection.query(TABLES):
        if renamed is not None and database != renamed[1]:
            continue
        names = [str(name).replace("`", "``") for name in (database, table)]
        (row,) = connection.query(f"SHOW CREATE TABLE `{names[0]}`.`{names[1]}`")
        home = names[0] if renamed is None else renamed[0].replace("`", "``")
        parts.append(f"USE `{home}`;\n{row[1]};\n")
    return "".join(parts)
