"""Real servers: one whose logs are served, and one that is a replica of `pybinlog serve`."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.serve.served import Served
from tests.server import Server, running

SECONDS = 60
GTIDS = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
SCHEMA = """
CREATE DATABASE shop;
CREATE TABLE shop.item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(99), number INT);
CREATE TABLE shop.blob_item (id INT PRIMARY KEY, data LONGBLOB);
"""


def workload(transactions: int, first: int = 0) -> str:
    """Return small transactions: inserts, updates and deletes."""
    statements = []
    for number in range(first, first + transactions):
        statements += [
            "BEGIN",
            f"INSERT INTO shop.item (name, number) VALUES ('item {number}', {number}), ('x', 1)",
            f"UPDATE shop.item SET number = number + 1 WHERE id BETWEEN {number} AND {number + 3}",
            *([f"DELETE FROM shop.item WHERE id = {number}"] if number % 5 == 0 else []),
            "COMMIT",
        ]
    return ";\n".join(statements) + ";\n"


def copy_of_logs(server: Server, to: Path) -> list[str]:
    """Copy all logs but the one in use; return their names."""
    server.sql("FLUSH BINARY LOGS")
    names = [line.split("\t")[0] for line in server.sql("SHOW BINARY LOGS").splitlines()][:-1]
    for name in names:
        shutil.copy(server.folder() / name, to)
    return names


def sums(server: Server) -> str:
    """Return the checksums of all tables of the workload's databases."""
    tables = server.sql(
        "SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables WHERE "
        "table_type = 'BASE TABLE' AND table_schema "
        "NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema') ORDER BY 1"
    ).split()
    return server.sql(f"CHECKSUM TABLE {', '.join(tables)}") if tables else ""


class Replica:
    """A server as a replica of whatever is served. `marker` is the name of its kind."""

    def __init__(self, kind: str, server: Server):
        self.kind, self.server = kind, server
        self._word = "REPLICA" if kind == "mysql" else "SLAVE"

    def clean(self) -> None:
        """Forget all that was replicated."""
        self.server.sql(f"STOP {self._word}; RESET {self._word} ALL", force=True)
        databases = self.server.sql("SHOW DATABASES").split()
        for name in set(databases) - {"mysql", "sys", "performance_schema", "information_schema"}:
            self.server.sql(f"SET sql_log_bin=0; DROP DATABASE `{name}`")
        reset = "RESET BINARY LOGS AND GTIDS" if self.kind == "mysql" else "RESET MASTER; SET GLOBAL gtid_slave_pos=''"
        self.server.sql(reset)

    def connect(self, served: Served, *, more: str = "", start: str = "") -> None:
        """Run the statement that `serve` has printed, with more of it, and start."""
        statement = served.statement.strip().rstrip(";") + more
        self.server.sql(f"{statement}; START {self._word} {start}")

    def status(self) -> dict[str, str]:
        lines = self.server.sql(f"SHOW {self._word} STATUS", "-E").splitlines()
        names = self.server.sql(f"SHOW {self._word} STATUS", "-E", "--column-names").splitlines()
        pairs = (line.partition(": ") for line in (names if ": " in "".join(names) else lines))
        return {name.strip(): value for name, _, value in pairs}

    def value(self, *names: str) -> str:
        """Return the first of these fields of its status."""
        status = self.status()
        return next(status[name] for name in names if name in status)

    def wait_until(self, statement: str, result: str, seconds: float = SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while (found := self.server.sql(statement).strip()) != result:
            assert time.monotonic() < deadline, (found, self.status())
            time.sleep(0.05)

    def wait_for_error(self) -> str:
        """Wait until the receiver has stopped; return its error."""
        deadline = time.monotonic() + SECONDS
        while not (error := self.value("Last_IO_Error")):
            assert time.monotonic() < deadline, self.status()
            time.sleep(0.05)
        return error

    def wait_for_sums(self, result: str) -> None:
        deadline = time.monotonic() + SECONDS
        while (found := sums(self.server)) != result:
            assert time.monotonic() < deadline, (found, result, self.status())
            time.sleep(0.1)

    @property
    def errors(self) -> str:
        """The server's error log."""
        return (self.server.folder().parents[2] / "tmp" / f"{self.server.name}.err").read_text(errors="replace")


@contextmanager
def replica(kind: str, *arguments: str) -> Iterator[Replica]:
    with running(kind, "replica", "--server-id=99", "--relay-log=relay", *arguments) as server:
        yield Replica(kind, server)
