"""Writers: several connections that write what a busy server's logs hold, and remember what was answered."""

import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

SCHEMA = """
CREATE DATABASE kills;
CREATE TABLE kills.orders (id VARCHAR(40) PRIMARY KEY, note LONGTEXT) ENGINE=InnoDB;
CREATE TABLE kills.lines (id VARCHAR(40), number INT, note LONGTEXT) ENGINE=InnoDB;
CREATE TABLE kills.plain (id VARCHAR(40), number INT, note LONGTEXT) ENGINE=MyISAM;
"""
KILOBYTE = 1 << 10
HUGE = 17 << 20
"""Bytes of a row that needs more than one packet of the protocol."""
LONGEST_PAUSE = 0.02


class Writers:
    """Connections that write until they are stopped, and connect again whenever their server is gone.

    Each transaction that changes `kills.orders` inserts one id there, and `answered` has the ids whose commit the
    server has answered: they must be in the logs once, any other at most once.
    """

    def __init__(self, socket: str, *, mariadb: bool, gtids: bool, random: Random, count: int = 4):
        self.answered: set[str] = set()
        self._stopping = threading.Event()
        self.writers = [
            Writer(socket, Random(random.random()), f"w{n}", self, mariadb=mariadb, gtids=gtids) for n in range(count)
        ]
        for writer in self.writers:
            writer.start()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def stop(self) -> None:
        """Wait for what is being written."""
        self._stopping.set()
        for writer in self.writers:
            writer.join(120)
            assert not writer.is_alive(), f"{writer.name} hangs"
        errors = [error for writer in self.writers for error in writer.errors]
        assert not errors, errors[:5]


class Writer(threading.Thread):
    """One connection."""

    def __init__(self, socket: str, random: Random, name: str, writers: Writers, *, mariadb: bool, gtids: bool):
        super().__init__(name=name, daemon=True)
        self._socket, self._random, self._writers = socket, random, writers
        self._mariadb, self._gtids = mariadb, gtids
        self._number = 0
        self._cursor: Any = None
        self.errors: list[str] = []
        """Errors that a server in good health should not give."""

    def run(self) -> None:
        import pymysql

        while not self._writers.stopping:
            try:
                connection = pymysql.connect(
                    unix_socket=self._socket, user="root", autocommit=True, charset="utf8mb4", read_timeout=60
                )
            except (pymysql.MySQLError, OSError):
                self._writers.pause(0.2)
                continue
            try:
                with connection, connection.cursor() as self._cursor:
                    self._write()
            except (pymysql.err.OperationalError, pymysql.err.InterfaceError, OSError, ValueError, AttributeError):
                pass  # the server is gone, or will be in a moment: so the connection is, however PyMySQL puts it
            except pymysql.MySQLError as error:
                self.errors.append(f"{self.name}: {error}")
            self._writers.pause(0.05)

    def _write(self) -> None:
        actions: list[tuple[Callable[[], None], int]] = [
            (self._one_row, 30),
            (self._several_statements, 25),
            (self._big_row, 5),
            (self._many_rows, 5),
            (self._not_transactional, 8),
            (self._savepoint, 4),
            (self._xa, 8),
            (self._definitions, 4),
            (self._statements, 4),
            (self._next_log, 2),
        ]
        if not self._mariadb:
            actions.append((self._compressed, 5))
        if not self._gtids:  # MySQL's refuse two engines in one transaction
            actions += [(self._mixed, 5), (self._mixed_and_rolled_back, 3)]
        self._forget_prepared()
        while not self._writers.stopping:
            self._random.choices([action for action, _ in actions], [weight for _, weight in actions])[0]()
            time.sleep(self._random.random() * LONGEST_PAUSE)

    def _do(self, *statements: str) -> None:
        for statement in statements:
            self._cursor.execute(statement)

    def _id(self) -> str:
        self._number += 1
        return f"{self.name}-{self._number}"

    def _order(self, id: str, size: int = 20) -> None:
        self._do(f"INSERT INTO kills.orders VALUES ('{id}', REPEAT('{id[-1]}', {size}))")

    def _answered(self, id: str) -> None:
        self._writers.answered.add(id)

    # ---- what they write

    def _one_row(self) -> None:
        id = self._id()
        self._order(id)
        self._answered(id)

    def _several_statements(self) -> None:
        id = self._id()
        self._do("BEGIN")
        self._order(id)
        for number in range(self._random.randint(1, 12)):
            self._do(f"INSERT INTO kills.lines VALUES ('{id}', {number}, REPEAT('x', {self._random.randint(0, 300)}))")
        self._do(f"UPDATE kills.orders SET note = 'changed' WHERE id = '{id}'")
        if self._random.random() < 0.1:
            self._do("ROLLBACK")
            return
        self._do("COMMIT")
        self._answered(id)

    def _big_row(self) -> None:
        id = self._id()
        self._order(id, HUGE if self._random.random() < 0.02 else self._random.randint(1, 700) * KILOBYTE)
        self._answered(id)

    def _many_rows(self) -> None:
        id = self._id()
        self._do("BEGIN")
        self._order(id)
        rows = ", ".join(f"('{id}', {number}, REPEAT('y', 50))" for number in range(2000))
        self._do(f"INSERT INTO kills.lines VALUES {rows}", "COMMIT")
        self._answered(id)

    def _not_transactional(self) -> None:
        self._do(f"INSERT INTO kills.plain VALUES ('{self._id()}', 1, 'a'), ('{self._id()}', 2, 'b')")

    def _mixed(self) -> None:
        id = self._id()
        self._do("BEGIN", f"INSERT INTO kills.plain VALUES ('{id}', 1, 'a')")
        self._order(id)
        self._do(f"INSERT INTO kills.plain VALUES ('{id}', 2, 'b')", "COMMIT")
        self._answered(id)

    def _mixed_and_rolled_back(self) -> None:
        id = self._id()
        self._do("BEGIN")
        self._do(f"INSERT INTO kills.lines VALUES ('{id}', 1, 'a')")
        self._do(f"INSERT INTO kills.plain VALUES ('{id}', 1, 'stays')", "ROLLBACK")

    def _savepoint(self) -> None:
        id = self._id()
        self._do("BEGIN")
        self._order(id)
        self._do("SAVEPOINT a", f"INSERT INTO kills.lines VALUES ('{id}', 1, 'a')")
        self._do("ROLLBACK TO a", f"INSERT INTO kills.lines VALUES ('{id}', 2, 'b')", "COMMIT")
        self._answered(id)

    def _xa(self) -> None:
        id = self._id()
        self._do(f"XA START '{id}'")
        self._order(id)
        self._do(f"XA END '{id}'")
        if self._random.random() < 0.3:
            self._do(f"XA COMMIT '{id}' ONE PHASE")
        else:
            self._do(f"XA PREPARE '{id}'")
            time.sleep(self._random.random() * LONGEST_PAUSE)
            if self._random.random() < 0.2:
                self._do(f"XA ROLLBACK '{id}'")
                return
            self._do(f"XA COMMIT '{id}'")
        self._answered(id)

    def _forget_prepared(self) -> None:
        """End what this writer had prepared when its server went."""
        self._do("XA RECOVER")
        for *_, xid in self._cursor.fetchall():
            text = xid.decode() if isinstance(xid, bytes) else xid
            if text.startswith(f"{self.name}-"):
                self._do(f"XA ROLLBACK '{text}'")

    def _definitions(self) -> None:
        table = f"kills.t_{self._id().replace('-', '_')}"
        self._do(f"CREATE TABLE {table} (x INT, y TEXT)", f"INSERT INTO {table} VALUES (1, 'a')")
        self._do(f"ALTER TABLE {table} ADD z INT", f"CREATE TABLE {table}_copy SELECT * FROM {table}")
        self._do(f"TRUNCATE {table}", f"DROP TABLE {table}, {table}_copy")

    def _statements(self) -> None:
        self._do("SET SESSION binlog_format = 'STATEMENT'", "SET @note = 'from a variable'")
        self._do(f"INSERT INTO kills.lines VALUES ('{self._id()}', 1, @note)")
        self._do(f"INSERT INTO kills.lines VALUES ('{self._id()}', RAND() * 100, 'random')")
        self._do("SET SESSION binlog_format = 'ROW'")

    def _compressed(self) -> None:
        self._do("SET SESSION binlog_transaction_compression = ON")
        self._several_statements()
        self._do("SET SESSION binlog_transaction_compression = OFF")

    def _next_log(self) -> None:
        self._do("FLUSH BINARY LOGS")
