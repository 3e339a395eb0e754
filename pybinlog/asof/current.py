"""The rows of a table of a live server now, as a base; and the logs that lead there."""

from __future__ import annotations

import os
from contextlib import closing
from typing import Any

from pybinlog.asof.base import Base, known_table
from pybinlog.asof.base_log import BaseLog
from pybinlog.asof.literals import Literal, stored
from pybinlog.asof.moment import Moment
from pybinlog.catalog import Catalog, Coordinates
from pybinlog.catalog.answers import ADDRESSES
from pybinlog.column_types import ColumnType
from pybinlog.errors import BinlogError, Hint, SourceError
from pybinlog.log.executed import wanted_set
from pybinlog.replication.server_log import DumpRequest, ServerLog
from pybinlog.replication.snapshot import LOCK, Snapshot
from pybinlog.schema.column import STRING_TYPES
from pybinlog.source import LogObject, open_source
from pybinlog.source.followed import clear_in_use
from pybinlog.source.log_series import LogName
from pybinlog.source.server import logs_in_words, open_server_log
from pybinlog.undo.table import TRANSACTIONAL, quoted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Self

    from pybinlog.asof.deeds import Key
    from pybinlog.catalog.tables import Known
    from pybinlog.replication.options import ServerOptions
    from pybinlog.schema.column import Column
    from pybinlog.source import Source

ATTEMPTS = 5
"""How often a snapshot is made, if the log had transactions that were not committed."""
BEGINNING = 1 << 16
"""Bytes by which a log is known to be the server's own."""
NUMBERED = frozenset({ColumnType.ENUM, ColumnType.SET, ColumnType.BIT})
REAL = frozenset({ColumnType.FLOAT, ColumnType.DOUBLE})


class NotOwnLogsError(BinlogError):
    """The logs are not those of the server, or do not reach those that it has."""


class RestOfLogs(LogObject):
    """A log on a server by the name that it would have beside those that are given."""

    log: ServerLog

    def __new__(cls, log: ServerLog, name: str) -> Self:
        made = str.__new__(cls, name)
        made.log = log
        return made

    @property
    def read_once(self) -> bool:
        return False

    def open(self) -> Source:
        return open_server_log(self.log)


def current_base(snapshot: Snapshot, key: Key) -> Base:
    """Return all rows of a table in a snapshot. Raise BinlogError if the server has no such table that can be read."""
    catalog = Catalog()
    catalog.read(snapshot.address, snapshot.tables)
    catalog.coordinates = Coordinates(snapshot.log, snapshot.position)
    known = known_table(catalog, key, snapshot.address)
    if known.engine is not None and known.engine.lower() not in TRANSACTIONAL:
        raise BinlogError(
            f"{'.'.join(key)} is a table of {known.engine}, of which a snapshot does not hold the rows",
            file=snapshot.address,
            hint=Hint("Dump the table while it is locked, and give {--base}=FILE"),
        )
    return Base(
        snapshot.address,
        log_of_rows(snapshot, known).finish(),
        Moment(f"{snapshot.log}:{snapshot.position}", place=(snapshot.log, snapshot.position)),
        catalog,
        is_keyless=not any(one.primary for one in known.table.keys),
        executed=None if snapshot.executed is None else wanted_set(snapshot.executed),
    )


def expression_of(column: Column) -> str:
    """Return the expression that gives a column's value as the log has it."""
    name = quoted_name(column.name).decode("utf-8", "surrogateescape")
    if column.type in NUMBERED:
        return f"{name} + 0"
    if column.type in REAL:  # as a DOUBLE, which is printed with all its digits
        return f"{name} * 1e0"
    if column.declared in ADDRESSES:
        return f"CAST({name} AS CHAR)"
    if column.type in STRING_TYPES or column.type == ColumnType.VECTOR:
        return f"CAST({name} AS BINARY)"
    return name


def log_of_rows(snapshot: Snapshot, known: Known, condition: str = "") -> BaseLog:
    """Return a log of rows that a snapshot has."""
    log = BaseLog(known.table, mariadb=snapshot.is_mariadb)
    columns = known.table.columns
    path = b".".join(map(quoted_name, (known.table.database, known.table.name))).decode("utf-8", "surrogateescape")
    for row in snapshot.rows(f"SELECT {', '.join(map(expression_of, columns))} FROM {path}{condition}"):
        log.add([None if data is None else value_of(data, column) for data, column in zip(row, columns, strict=True)])
    return log


def value_of(data: bytes, column: Column) -> Any:
    """Return the value of a column, of which a server has sent the text of its expression."""
    return stored(Literal(data, "binary", is_number=column.type in NUMBERED), column)


def reaching(names: Sequence[str], options: ServerOptions, snapshot: Snapshot) -> list[str]:
    """Return logs of the server, and those of its own that lead from their end to the place of a snapshot.

    Raise NotOwnLogsError if these logs are not of that server, or if it has removed the logs that follow them.
    """
    there = list(snapshot.connection.logs())
    given = names[-1]
    last = LogName.of(str(given)).base
    if last not in there:
        raise NotOwnLogsError(
            f"the server has no log {last}, so these logs do not lead to its rows of now",
            file=snapshot.address,
            hint=f"Name also the later logs, or none: then its own are read; {logs_in_words(there)}",
        )

    def on_server(log: str) -> str:
        found = ServerLog(options, DumpRequest(log))
        return found if isinstance(given, ServerLog) else RestOfLogs(found, os.path.join(os.path.dirname(given), log))

    here, its_own = beginning(given), beginning(on_server(last))
    size = min(len(here), len(its_own))
    if here[:size] != its_own[:size]:
        raise NotOwnLogsError(
            f"{given} is not the log of that name on {snapshot.address}", hint="Give logs of this server"
        )
    later = there[there.index(last) : there.index(snapshot.log) + 1]
    return [*names[:-1], *map(on_server, later)]


def beginning(name: str) -> bytes:
    """Return the first bytes of a log, without the flag of a log in use."""
    with open_source(name, head=True) as source:
        found = bytearray(source.read_up_to(BEGINNING))
    clear_in_use(memoryview(found), 0)
    return bytes(found)


def snapshots(options: ServerOptions, *, locks: bool) -> Iterator[Snapshot]:
    """Yield one snapshot after the other, for a caller that leaves with the first one of which all is settled."""
    for _ in range(ATTEMPTS):
        with closing(Snapshot(options, locks=locks)) as snapshot:
            yield snapshot
    raise SourceError(
        "transactions of the table were being committed whenever a snapshot was made", file=options.address, hint=LOCK
    )
