"""Work: random statements of several clients on a server: rows, definitions, XA, engines, compressed transactions."""

from collections.abc import Callable
from random import Random

from tests.undo.session import Session

CLIENTS = 3
DATABASES = ("a", "b")
TABLES = ("t", "u", "v")
LOCKED = "(1205,"
"""The error of a statement that waited too long for a lock."""


class Work:
    """The clients of a server. Statements may fail; only the server knows what they did."""

    def __init__(self, kind: str, connect: Callable[[], Session], chance: Random, *, has_myisam: bool = True):
        self.kind, self.chance = kind, chance
        self._engines = ["", "", "", " ENGINE=InnoDB", " ENGINE=MyISAM" if has_myisam else ""]
        self._connect = connect
        self._clients = [self._client() for _ in range(CLIENTS)]
        self._prepared: list[str] = []
        self._prefix = f"x{chance.randrange(10**6)}n"
        """Of XA transactions: a server may keep the names of those of a run before."""
        self._numbers = iter(range(1, 10**6))

    def _client(self) -> Session:
        client = self._connect()
        seconds = 1 if self.kind == "mysql" else 0
        client.run(f"SET SESSION lock_wait_timeout = {seconds}, innodb_lock_wait_timeout = {seconds}")
        return client

    def begin(self) -> None:
        """Make the databases and their first tables."""
        first = self._clients[0]
        for database in DATABASES:
            first.run(f"CREATE DATABASE {database}")
            for table in TABLES:
                first.attempt(self._create(database, table))
        first.run("CREATE TABLE a.victim (id INT PRIMARY KEY, n INT, s VARCHAR(20))")
        first.run("INSERT INTO a.victim VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')")
        if self.kind == "mysql":
            for client in self._clients[1:]:
                client.attempt("SET binlog_transaction_compression = ON")

    def victim(self, session: Session) -> None:
        """Change the table that is going to be harmed."""
        number = next(self._numbers)
        session.run(f"INSERT INTO a.victim VALUES ({number + 100}, {number}, 'new')")
        session.run("UPDATE a.victim SET s = CONCAT(s, '.') WHERE id = 1")

    def run(self, count: int, *, after_harm: bool = False) -> None:
        for _ in range(count):
            self._step()
        for client in self._clients:
            client.attempt("COMMIT")
        if not after_harm and self.chance.random() < 0.5:
            self._clients[0].run("FLUSH BINARY LOGS")

    def decide(self) -> None:
        """Decide all prepared XA transactions."""
        client = self._clients[0]
        for row in client.select("XA RECOVER"):
            client.attempt(f"XA COMMIT '{row[3]}'")
        self._prepared.clear()

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def _step(self) -> None:
        chance, client = self.chance, self.chance.choice(self._clients)
        kind = chance.random()
        if kind < 0.70:
            self._transaction(client)
        elif kind < 0.85:
            client.attempt(self._definition())
        elif kind < 0.90:
            self._xa(client)
        elif kind < 0.93:
            client.attempt("FLUSH BINARY LOGS")
        elif kind < 0.96 and self.kind == "mariadb":
            client.attempt(f"SET binlog_format = {chance.choice(('ROW', 'MIXED', 'STATEMENT'))}")
        else:
            client.attempt(f"CALL {self._database()}.p1({chance.randrange(20)})")

    def _database(self) -> str:
        return self.chance.choice(DATABASES)

    def _table(self) -> str:
        return f"{self._database()}.{self.chance.choice(TABLES)}"

    def _create(self, database: str, table: str) -> str:
        chance = self.chance
        key = chance.choice(("id INT PRIMARY KEY", "id INT PRIMARY KEY AUTO_INCREMENT", "id INT", "id INT NULL UNIQUE"))
        more = chance.choice(("", ", d DATETIME(3) NULL", ", j JSON", ", f DOUBLE, g INT AS (n + 1) STORED"))
        engine = chance.choice(self._engines)
        return f"CREATE TABLE {database}.{table} ({key}, n INT, s VARCHAR(20){more}){engine}"

    def _transaction(self, client: Session) -> None:
        chance = self.chance
        client.attempt("BEGIN")
        for _ in range(chance.randrange(1, 4)):
            table, number = self._table(), chance.randrange(40)
            error = client.attempt(
                chance.choice(
                    (
                        f"INSERT INTO {table} (id, n, s) VALUES ({number}, {chance.randrange(9)}, 'é{number}')",
                        f"INSERT INTO {table} (id, n, s) VALUES ({number + 50}, 1, 'x'), ({number + 90}, 2, NULL)",
                        f"UPDATE {table} SET n = n + 1 WHERE id < {number}",
                        f"DELETE FROM {table} WHERE id = {number}",
                        f"REPLACE INTO {table} (id, n, s) VALUES ({number}, 5, 'r')",
                    )
                )
            )
            if error is not None and LOCKED in error:
                break  # only the end of a prepared XA transaction helps
        client.attempt(chance.choice(("COMMIT", "COMMIT", "COMMIT", "ROLLBACK")))
        if self._prepared and error is not None and LOCKED in error and chance.random() < 0.5:
            self._end_xa(client)

    def _xa(self, client: Session) -> None:
        chance = self.chance
        if self._prepared and chance.random() < 0.6:
            self._end_xa(client)
            return
        name = f"{self._prefix}{next(self._numbers)}"
        client.attempt(f"XA START '{name}'")
        client.attempt(f"INSERT INTO {self._table()} (id, n) VALUES ({chance.randrange(1000, 9999)}, 1)")
        client.attempt(f"XA END '{name}'")
        if chance.random() < 0.3:
            client.attempt(f"XA COMMIT '{name}' ONE PHASE")
        elif client.attempt(f"XA PREPARE '{name}'") is None:
            self._prepared.append(name)
            if self.kind == "mariadb":  # the session keeps it until its end
                self._clients.remove(client)
                client.close()
                self._clients.append(self._client())
        else:
            client.attempt(f"XA ROLLBACK '{name}'")

    def _end_xa(self, client: Session) -> None:
        name = self._prepared.pop(self.chance.randrange(len(self._prepared)))
        client.attempt(f"XA {self.chance.choice(('COMMIT', 'ROLLBACK'))} '{name}'")

    def _definition(self) -> str:
        chance, database = self.chance, self._database()
        table = self._table()
        every = "ON SCHEDULE EVERY 1 DAY STARTS '2040-01-01 00:00:00'"
        name = f"e{chance.randrange(3)}"
        change = chance.choice(("DISABLE", "ENABLE", "COMMENT 'x'"))
        trigger = f"{database}.g{chance.randrange(3)}"
        return chance.choice(
            (
                self._create(database, chance.choice(TABLES)),
                f"DROP TABLE {table}",
                f"TRUNCATE TABLE {table}",
                f"ALTER TABLE {table} ADD c{next(self._numbers)} INT DEFAULT 3",
                f"ALTER TABLE {table} MODIFY s VARCHAR(30)",
                f"RENAME TABLE {table} TO {self._table()}",
                f"CREATE INDEX i{next(self._numbers)} ON {table} (n)",
                f"CREATE EVENT {database}.{name} {every} {chance.choice(('', 'DISABLE', 'ENABLE'))} DO SELECT 1",
                f"ALTER EVENT {database}.{name} {change}",
                f"ALTER EVENT {database}.{name} RENAME TO {self._database()}.e{chance.randrange(3)}",
                f"DROP EVENT {database}.{name}",
                f"CREATE TRIGGER {trigger} BEFORE INSERT ON {table} FOR EACH ROW SET NEW.n = NEW.n + 10",
                f"DROP TRIGGER {trigger}",
                f"CREATE PROCEDURE {database}.p1(x INT) INSERT INTO {database}.t (id, n) VALUES (x + 200, x)",
                f"DROP PROCEDURE {database}.p1",
                f"CREATE OR REPLACE VIEW {database}.w AS SELECT id, n FROM {table} WHERE n > {chance.randrange(5)}",
                f"CREATE TABLE {database}.s{next(self._numbers)} AS SELECT id, n FROM {table}",
            )
        )
