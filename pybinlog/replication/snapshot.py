"""Snapshot: the rows of a server's tables at one moment, and the place in its logs that this moment has."""

from collections.abc import Iterator

from pybinlog.errors import Hint, ServerError, SourceError
from pybinlog.replication.connection import Connection
from pybinlog.replication.definitions import definitions, log_status, place
from pybinlog.replication.options import ServerOptions

ATTEMPTS = 5
PAUSES = 1000
"""How often a moment between two commits is looked for, which takes a part of a millisecond."""
SESSION = (
    "SET NAMES utf8mb4",
    "SET time_zone = '+00:00', sql_mode = '', transaction_isolation = 'REPEATABLE-READ'",
    "SET lock_wait_timeout = 10",
)
BEGIN = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
LOCK = Hint(
    "{--lock} holds all tables for the moment in which the snapshot is made: FLUSH TABLES WITH READ LOCK, which needs "
    "the privilege RELOAD (or FLUSH_TABLES)"
)


class Snapshot:
    """A transaction that only reads, on one connection.

    `log` and `position` are its place: it has all transactions that end there or before, and no other. `tables` are the
    CREATE TABLE statements. MariaDB says the place of a snapshot itself. Of MySQL, the place and gtid_executed are the
    same before the snapshot and after it, and `executed` is the latter: MySQL writes a transaction to its log before it
    commits it, so the snapshot may lack one that ends before its place and is not in this set. `locks`: all tables are
    locked while it is made.

    Raise SourceError if the server cannot be asked or does not let the account ask, or if its tables change all the
    time.
    """

    def __init__(self, options: ServerOptions, *, locks: bool = False):
        self.connection = Connection(options)
        self.address = self.connection.address
        self.version: str = self.connection.version
        self.is_mariadb = self.connection.is_mariadb
        self.executed: str | None = None
        self.log, self.position, self.tables = "", 0, ""
        try:
            self._begin(locks=locks)
        except BaseException:
            self.connection.close()
            raise

    def _begin(self, *, locks: bool) -> None:
        query = self.connection.query
        for statement in SESSION:
            query(statement.replace("transaction_isolation", "tx_isolation") if self._is_old else statement)
        self.tables = definitions(self.connection)
        for _ in range(ATTEMPTS):
            self._take(locks=locks)
            before, self.tables = self.tables, definitions(self.connection)
            if before == self.tables:
                return
            query("ROLLBACK")
        raise SourceError(
            "tables are made or altered while they are read", file=self.address, hint="Try again when it is quiet"
        )

    @property
    def _is_old(self) -> bool:
        """Return True for MariaDB before 11.1, whose variable has another name."""
        numbers = self.version.removeprefix("5.5.5-").split(".")
        return self.is_mariadb and tuple(map(int, numbers[:2])) < (11, 1)

    def _take(self, *, locks: bool) -> None:
        query = self.connection.query
        if self.is_mariadb:
            query(BEGIN)
            found = dict(query("SHOW STATUS LIKE 'binlog_snapshot_%'"))
            self.log, self.position = str(found.get("Binlog_snapshot_file", "")), 0
            if self.log:
                self.position = int(found["Binlog_snapshot_position"])
                return
            raise SourceError("the server writes no binary log", file=self.address)
        if locks:
            try:
                query("FLUSH TABLES WITH READ LOCK")
            except ServerError as error:
                raise SourceError(
                    f"the tables cannot be locked: {error.message}", file=self.address, hint=LOCK
                ) from None
            query(BEGIN)
            self.log, self.position = place(self.connection)
            query("UNLOCK TABLES")
            return
        if self.connection.variable("global.gtid_mode") != "ON":
            raise SourceError(
                "without GTIDs (gtid_mode=OFF) the server does not tell the place of a snapshot",
                file=self.address,
                hint=LOCK,
            )
        for _ in range(PAUSES):
            before = log_status(self.connection)
            query(BEGIN)
            if log_status(self.connection) == before:
                break
            query("ROLLBACK")
        else:
            raise SourceError("the server commits all the time", file=self.address, hint=LOCK)
        self.log, self.position, self.executed = str(before[0]), int(before[1]), str(before[-1])

    def rows(self, statement: str) -> Iterator[tuple[bytes | None, ...]]:
        """Yield the rows that a query gives, as they come; values are bytes, as the server sends them."""
        return self.connection.rows(statement)

    def close(self) -> None:
        self.connection.close()
