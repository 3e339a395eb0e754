"""A connection to a real server that runs statements one by one, and says which of them failed."""

import re
from typing import Any


class Session:
    """A connection as root to a "mysql" or "mariadb" server. Values come as the server's texts."""

    def __init__(self, kind: str, socket: str):
        import pymysql

        self.kind = kind
        self.error = pymysql.MySQLError
        self._connection = pymysql.connect(
            unix_socket=socket, user="root", password="", charset="utf8mb4", autocommit=True, conv={}
        )
        self._cursor = self._connection.cursor()

    def run(self, statement: str) -> None:
        self._cursor.execute(statement)

    def attempt(self, statement: str) -> str | None:
        """Run a statement that may fail; return the error."""
        try:
            self._cursor.execute(statement)
        except self.error as error:
            return str(error)
        return None

    def select(self, query: str) -> list[tuple[str | None, ...]]:
        self._cursor.execute(query)
        return [tuple(None if value is None else text_of(value) for value in row) for row in self._cursor.fetchall()]

    def position(self) -> tuple[str, int]:
        """Return the log that the server writes, and its end."""
        status = "BINARY LOG" if self.kind == "mysql" else "MASTER"
        ((log, end, *_),) = self.select(f"SHOW {status} STATUS")
        return str(log), int(str(end))

    def last_gtid(self) -> tuple[str, int]:
        """Return the last GTID that the server wrote, in two parts: what precedes its number, and the number."""
        if self.kind == "mysql":
            text = str(self.select("SELECT @@global.gtid_executed")[0][0])
            numbers = re.findall(r"\d+", text.partition(":")[2])
            return f"{text.partition(':')[0]}:", int(numbers[-1]) if numbers else 0
        text = str(self.select("SELECT @@global.gtid_binlog_pos")[0][0])
        return "0-1-", int(text.rpartition("-")[2] or 0)

    def close(self) -> None:
        self._connection.close()


def text_of(value: Any) -> str:
    return value.decode("latin1") if isinstance(value, bytes) else str(value)
