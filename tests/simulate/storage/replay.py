"""A workload of the corpus run on the storage alone, with as much of a server around it as that takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pybinlog.simulate.storage import (
    DEFAULT,
    Assignment,
    Effect,
    RowChange,
    Session,
    Storage,
    Transaction,
    assign,
    collation_id,
    default_collation,
    execute,
    parse,
)

__all__ = ["Replay", "statements"]

_QUOTES = b"'\"`"


def statements(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The workload's ("sql", statement) and (word of a `-- !` line, rest of it); see testdata/README.md."""
    index, delimiter = 0, b";"
    while index < len(data):
        if data[index : index + 1].isspace():
            index += 1
            continue
        line = data[index : data.find(b"\n", index) if b"\n" in data[index:] else len(data)]
        if line.startswith(b"-- !"):
            word, _, rest = line[4:].partition(b" ")
            yield word.decode(), rest
            index += len(line)
        elif line.startswith((b"-- ", b"#")) or line == b"--":
            index += len(line)
        elif line[:10].upper() == b"DELIMITER ":
            delimiter = line[10:].strip()
            index += len(line)
        else:
            end = _end(data, index, delimiter)
            yield "sql", data[index:end].rstrip()
            index = end + len(delimiter)


def _end(data: bytes, index: int, delimiter: bytes) -> int:
    while index < len(data) and not data.startswith(delimiter, index):
        if data[index] in _QUOTES:
            quote, index = data[index], index + 1
            while index < len(data) and data[index] != quote:
                index += 2 if data[index] == 0x5C and quote != 0x60 else 1
        elif data.startswith(b"/*", index):
            index = data.find(b"*/", index) + 1
        elif data.startswith(b"-- ", index) or data[index] == 0x23:
            index = data.find(b"\n", index)
            index = len(data) if index < 0 else index
        index += 1
    return index


@dataclass
class _Connection:
    session: Session
    explicit: bool = False
    autocommit: bool = True
    pending: list[RowChange] = field(default_factory=list)
    savepoints: list[tuple[str, int, int]] = field(default_factory=list)
    xa: str | None = None


class Replay:
    """Runs a workload; `rows` are then the changes in the order of a log of rows, `effects` what each statement did."""

    def __init__(self, version: tuple[int, ...], sql_mode: str, **settings: Any) -> None:
        self.storage = Storage(version)
        self.sql_mode = sql_mode
        self.settings = settings
        self.connections: dict[str, _Connection] = {}
        self.prepared: dict[str, tuple[Transaction, list[RowChange]]] = {}
        self.current = "main"
        self.rows: list[tuple[RowChange, dict[str, Any]]] = []
        self.effects: list[tuple[bytes, Effect]] = []
        self.row_image = "FULL"
        self.row_format = True
        self.clock = 1795224305

    @property
    def connection(self) -> _Connection:
        if self.current not in self.connections:
            session = Session(self.storage, len(self.connections) + 1)
            session.sql_mode = frozenset(self.sql_mode.split(","))
            for name, value in self.settings.items():
                setattr(session, name, value)
            self.connections[self.current] = _Connection(session)
        return self.connections[self.current]

    def run(self, workload: Path, stop: Any = None) -> Replay:
        expects_error = False
        for word, rest in statements(workload.read_bytes()):
            if word == "conn":
                self.current = rest.decode().strip()
            elif word == "disconnect":
                gone = self.connections.pop(rest.decode().strip())
                gone.session.transaction.roll_back()
                self.current = "main"
            elif word == "error":
                expects_error = True
            elif word == "sql":
                effect = self.statement(rest)
                if effect is not None and stop is not None and stop(rest):
                    return self
                problem = effect.error if effect is not None else None
                assert (problem is not None) == expects_error, (rest[:300], problem)
                expects_error = False
        return self

    def _log(self, changes: list[RowChange]) -> None:
        if self.row_format:
            self.rows += [(change, {"row_image": self.row_image}) for change in changes]

    def statement(self, text: bytes) -> Effect | None:
        connection = self.connection
        session = connection.session
        if session.now[0] < self.clock:
            session.now = (self.clock, 0)
        words = re.sub(rb"\s+", b" ", text).strip().upper().decode("latin-1")
        if self._control(connection, words, text):
            return None
        statement = parse(text, session)
        if statement.commits_implicitly:
            self._commit(connection)
        effect = execute(statement, session, row_format=True)
        self.effects.append((text, effect))
        for change in effect.changes:
            if change.table.temporary:
                continue
            if change.table.transactional:
                connection.pending.append(change)
            else:
                self._log([change])
        if (
            connection.xa is None and not connection.explicit and connection.autocommit
        ) or statement.commits_implicitly:
            self._commit(connection)
        return effect

    def _commit(self, connection: _Connection) -> None:
        connection.session.transaction.commit()
        self._log(connection.pending)
        connection.pending, connection.savepoints, connection.explicit = [], [], False

    def _roll_back(self, connection: _Connection) -> None:
        connection.session.transaction.roll_back()
        connection.pending, connection.savepoints, connection.explicit = [], [], False

    def _control(self, connection: _Connection, words: str, text: bytes) -> bool:
        session = connection.session
        if words in ("BEGIN", "START TRANSACTION") or words.startswith("START TRANSACTION"):
            self._commit(connection)
            connection.explicit = True
        elif words == "COMMIT":
            self._commit(connection)
        elif words == "ROLLBACK":
            self._roll_back(connection)
        elif words.startswith("SAVEPOINT "):
            mark = session.transaction.mark()
            connection.savepoints.append((words.split(" ", 1)[1], mark, len(connection.pending)))
        elif words.startswith("ROLLBACK TO"):
            name = re.sub(r"ROLLBACK TO (SAVEPOINT )?", "", words)
            while connection.savepoints[-1][0] != name:
                connection.savepoints.pop()
            _, mark, count = connection.savepoints[-1]
            session.transaction.roll_back(mark)
            del connection.pending[count:]
        elif words.startswith("XA "):
            self._xa(connection, words)
        elif words.startswith("USE "):
            session.database = text.split(None, 1)[1].decode().strip("`")
        elif words.startswith("SET "):
            for assignment in assign(text, session):
                self._set(connection, assignment)
        else:
            return words.startswith(
                ("FLUSH ", "RELEASE ", "ANALYZE ", "OPTIMIZE ", "CHECK ", "LOCK ", "UNLOCK ", "KILL ")
            )
        return True

    def _xa(self, connection: _Connection, words: str) -> None:
        _, word, xid = words.split(" ", 2)
        modern = self.storage.version >= (8,)
        if word == "START":
            connection.xa = xid
        elif word == "PREPARE":
            self.prepared[xid] = (connection.session.transaction, connection.pending)
            if modern:
                self._log(connection.pending)
            connection.session.transaction = Transaction(self.storage)
            connection.pending, connection.xa = [], None
        elif word in ("COMMIT", "ROLLBACK"):
            if xid.endswith(" ONE PHASE"):
                connection.xa = None
                self._commit(connection)
            elif connection.xa is not None:
                connection.xa = None
                self._roll_back(connection)
            else:
                transaction, pending = self.prepared.pop(xid)
                if word == "COMMIT":
                    transaction.commit()
                    self._log([] if modern else pending)
                else:
                    transaction.roll_back()

    def _set(self, connection: _Connection, made: Assignment) -> None:
        session, name, value = connection.session, made.name, made.value
        if name == "names":
            charset, collation = value
            session.character_set_client = default_collation(charset, self.storage.version)
            session.collation_connection = collation_id(collation) if collation else session.character_set_client
        elif name == "sql_mode":
            mode = self.sql_mode if value is DEFAULT else str(value).upper()
            session.sql_mode = frozenset(mode.replace("TRADITIONAL", "STRICT_ALL_TABLES").split(","))
        elif name == "timestamp":
            seconds = self.clock if value is DEFAULT else value
            session.now = (int(seconds), int(seconds * 1000000 % 1000000))
        elif name == "autocommit":
            connection.autocommit = bool(value)
            self._commit(connection)
        elif name == "character_set_client":
            session.character_set_client = default_collation(value, self.storage.version)
        elif name in ("collation_connection", "collation_server", "default_collation_for_utf8mb4"):
            default = self.storage.default_collation
            setattr(session, name, default if value is DEFAULT else collation_id(value))
        elif name == "binlog_format":
            self.row_format = value == "ROW"
        elif name == "binlog_row_image":
            self.row_image = str(value)
        elif hasattr(session, name):
            present = getattr(session, name)
            if isinstance(present, bool):
                value = str(value).upper() in ("1", "ON")
            setattr(session, name, value)
