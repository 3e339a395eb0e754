"""Scenarios on a real MySQL 9.7: the logs that it writes, and which statements fail there.

python -m tests.simulate.real_server SOCKET DATADIR SCENARIO...    # what differs from the model's logs
"""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from pybinlog.simulate import Scenario, ServerOptions, simulate
from pybinlog.simulate.options import SERVER_UUID
from pybinlog.simulate.scenario import Disconnect, Restart, Statement
from tests.server import Server
from tests.simulate.facts import Fact, facts

SYSTEM = ("mysql", "sys", "performance_schema", "information_schema")
GTID_MODES = ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON")
LOST = (2006, 2013)
LOCK_WAIT_TIMEOUT = 1205
Compare: TypeAlias = "Callable[[Scenario, Run], list[str]]"
EQUAL, DIFFERENT = "equal", "different"
MODEL_WAITS, SERVER_WAITS = "the model waits for a lock, the server does not", "the server waits, the model does not"
DATABASE = "test"
FLUSHED = 1
"""innodb_flush_log_at_timeout, in seconds."""
OWN_UUID = str(SERVER_UUID)
"""The model's UUID: in the statements and the events of the real server it stands for that server's."""
FLAGS = 4 + 17
"""The offset of a log's flags, in its Format_description."""


@dataclass
class Run:
    """The logs of a scenario by name, and the statements that failed: line and error number."""

    files: Mapping[str, bytes]
    errors: list[tuple[int, int]] = field(default_factory=list)
    uuid: str = OWN_UUID
    """The server's."""


class RealServer:
    """A server for these tests alone: everything on it is dropped before each scenario."""

    def __init__(self, socket: str, folder: Path, server: Server | None = None):
        self.socket = socket
        self.folder = folder
        self.server = server
        self.clients: dict[str, Any] = {}
        self.settings: list[str] = []
        self.uuid = ""

    def connect(self, database: str | None = None) -> Any:
        import pymysql

        return pymysql.connect(
            unix_socket=self.socket, user="root", password="", charset="utf8mb4", autocommit=None, database=database
        )

    def run(self, scenario: Scenario) -> Run:
        """Run a scenario. No connection waits: a lock that is not free within a second is an error."""
        root = self.connect()
        with root.cursor() as cursor:
            self.prepare(cursor, scenario.options.complete())
            cursor.execute("RESET BINARY LOGS AND GTIDS")
            cursor.execute("SELECT @@server_uuid")
            ((self.uuid,),) = cursor.fetchall()
            database = None
            if not scenario.names_a_database:
                cursor.execute(f"CREATE DATABASE {DATABASE}")
                database = DATABASE
            root.close()
            errors = list(self.steps(scenario, database))
        for name in list(self.clients):
            self.disconnect(name)
        root = self.connect()
        with root.cursor() as cursor:
            self.only_client(cursor)
            cursor.execute("FLUSH BINARY LOGS")
            cursor.execute("SHOW BINARY LOGS")
            names = [row[0] for row in cursor.fetchall()[:-1]]
        root.close()
        return Run({name: (self.folder / name).read_bytes() for name in names}, errors, self.uuid)

    def steps(self, scenario: Scenario, database: str | None) -> Iterator[tuple[int, int]]:
        """Run the steps; the line and the number of each error."""
        import pymysql

        for step in scenario.steps:
            if isinstance(step, Disconnect):
                self.disconnect(step.connection)
            elif isinstance(step, Statement):
                if step.connection not in self.clients:
                    self.clients[step.connection] = self.connect(database)
                try:
                    client = self.clients[step.connection]
                    client.query(step.text.decode("utf-8", "surrogateescape").replace(OWN_UUID, self.uuid))
                except pymysql.MySQLError as error:
                    if error.args[0] in LOST:
                        raise
                    yield step.line, error.args[0]
            elif isinstance(step, Restart):
                self.restart(crash=step.crash, lost=step.lost)

    def disconnect(self, name: str) -> None:
        """Close a connection, and wait until the server has seen that."""
        client = self.clients.pop(name)
        number = client.thread_id()
        client.close()
        root = self.connect()
        with root.cursor() as cursor:
            while cursor.execute("SELECT id FROM information_schema.processlist WHERE id = %s", (number,)):
                time.sleep(0.01)
        root.close()

    def restart(self, *, crash: bool, lost: int) -> None:
        """Shut the server down, or kill it and cut its log, and start it again with the same settings."""
        assert self.server is not None
        if crash:
            if lost:  # by then the storage engine has written what it committed
                time.sleep(2 * FLUSHED)
            self.server.kill()
            self.clients.clear()
            log = max(self.folder.glob("binlog.[0-9]*"))
            os.truncate(log, log.stat().st_size - lost)
        else:
            for name in list(self.clients):
                self.disconnect(name)
            self.server.stop()
        self.server.start(*(f"--{setting.replace(' = ', '=')}" for setting in self.settings))

    def only_client(self, cursor: Any) -> None:
        """End all other connections, and wait until they are gone."""
        others = "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'"
        deadline = time.monotonic() + 30
        while cursor.execute(others):
            for (number,) in cursor.fetchall():
                with suppress(Exception):
                    cursor.execute(f"KILL {number}")
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def prepare(self, cursor: Any, options: ServerOptions) -> None:
        """Leave nothing of the scenario before."""
        self.only_client(cursor)
        cursor.execute("SET SESSION binlog_format = ROW")
        cursor.execute("XA RECOVER CONVERT XID")
        for form, first, _, name in cursor.fetchall():
            gtrid, bqual = name[2 : 2 + 2 * first], name[2 + 2 * first :]
            cursor.execute(f"XA ROLLBACK X'{gtrid}', X'{bqual}', {form}")
        cursor.execute("SET sql_log_bin = 0")
        cursor.execute("SHOW DATABASES")
        for (name,) in cursor.fetchall():
            if name not in SYSTEM:
                cursor.execute(f"DROP DATABASE `{name}`")
        cursor.execute("SET sql_log_bin = 1")
        cursor.execute("SELECT @@GLOBAL.gtid_mode")
        ((mode,),) = cursor.fetchall()
        at, wanted = GTID_MODES.index(mode), GTID_MODES.index("ON" if options.gtid else "OFF")
        if wanted > at:
            cursor.execute("SET GLOBAL enforce_gtid_consistency = ON")
        for step in range(at + 1, wanted + 1) if wanted > at else range(at - 1, wanted - 1, -1):
            cursor.execute(f"SET GLOBAL gtid_mode = {GTID_MODES[step]}")
        consistent = options.enforce_gtid_consistency
        self.settings = [
            f"enforce_gtid_consistency = {'ON' if consistent else 'OFF'}",
            f"binlog_format = {options.format.value}",
            f"binlog_row_image = {options.row_image}",
            f"binlog_row_metadata = {options.row_metadata}",
            f"binlog_rows_query_log_events = {int(bool(options.rows_query))}",
            f"binlog_direct_non_transactional_updates = {int(options.direct)}",
            "innodb_lock_wait_timeout = 1",
            "lock_wait_timeout = 1",
        ]
        for setting in self.settings:
            cursor.execute(f"SET GLOBAL {setting}")
        self.settings.append(f"gtid_mode = {GTID_MODES[wanted]}")


def events_of(files: Mapping[str, bytes], uuid: str = OWN_UUID) -> list[Fact]:
    """The events of all groups of the server with that UUID, and the GTIDs before each log.

    The numbers of transactions are counted in their order, in each log.
    """
    found: list[Fact] = []
    for data in files.values():
        events = [with_own_uuid(fact, uuid) for fact in facts(data) if fact[0] not in FRAME]
        numbers = sorted({number for fact in events for number in numbers_of(fact)})
        found += [("LOG", len(data) > FLAGS and data[FLAGS] & 1), *(renumbered(fact, numbers) for fact in events)]
    return found


FRAME = ("FORMAT_DESCRIPTION", "ROTATE", "STOP")


def with_own_uuid(fact: Fact, uuid: str) -> Fact:
    if fact[0] not in ("GTID", "GTID_TAGGED", "PREVIOUS_GTIDS"):
        return fact
    parts = [part.replace(uuid, OWN_UUID) if isinstance(part, str) else part for part in fact]
    return tuple(sorted(parts, key=str)) if fact[0] == "PREVIOUS_GTIDS" else tuple(parts)


def numbers_of(fact: Fact) -> list[int]:
    if fact[0] == "XID":
        return [int(fact[1])]
    if fact[0] == "QUERY" and "DDL_LOGGED_WITH_XID" in fact[4]:
        return [int(fact[4]["DDL_LOGGED_WITH_XID"])]
    return []


def renumbered(fact: Fact, numbers: list[int]) -> Fact:
    if fact[0] == "XID":
        return (fact[0], numbers.index(fact[1]), *fact[2:])
    if fact[0] == "QUERY":
        status = dict(fact[4])
        if "DDL_LOGGED_WITH_XID" in status:
            status["DDL_LOGGED_WITH_XID"] = numbers.index(int(status["DDL_LOGGED_WITH_XID"]))
        if "MICROSECONDS" in status:
            status["MICROSECONDS"] = "some"
        status.pop("TIME_ZONE", None)  # the first use of a table counts as a use of the time zone
        return (*fact[:4], status, *fact[5:])
    return fact


def class_of(scenario: Scenario, real: Run, compare: Compare | None = None) -> str:
    """Compare a scenario's statements that fail and its events: "equal", the name of a known difference, "different".

    The known differences are locks, of which the model has the simple ones. What follows from one lock is as it has to
    be.
    """
    if not (compare or differences)(scenario, real):
        return EQUAL
    model = {(line, number) for line, number, _ in simulate(scenario).errors}
    apart = sorted(model ^ set(real.errors))
    if apart and (waits := [one for one in apart if one[0] == apart[0][0] and one[1] == LOCK_WAIT_TIMEOUT]):
        return MODEL_WAITS if waits[0] in model else SERVER_WAITS
    return DIFFERENT


def differences(scenario: Scenario, real: Run) -> list[str]:
    """Return the differences from the model: statements that fail, and events of the logs."""
    result = simulate(scenario)
    errors = [(line, number) for line, number, _ in result.errors]
    model = [f"line {line}: error {number}" for line, number in errors] + list(map(shown, events_of(result.files)))
    there = [f"line {line}: error {number}" for line, number in real.errors] + list(
        map(shown, events_of(real.files, real.uuid))
    )
    return list(difflib.unified_diff(there, model, "the server", "the model", lineterm="", n=1))


def relaxed(scenario: Scenario) -> Scenario:
    """The same, with statements that may fail or not."""
    scenario.steps = [step.replace(error=None) if isinstance(step, Statement) else step for step in scenario.steps]
    return scenario


USUAL = {
    "CHARSET": {"character_set_client": 255, "collation_connection": 255, "collation_server": 255},
    "FLAGS2": 0,
    "SQL_MODE": 1168113696,
    "CATALOG_NZ": "std",
    "DEFAULT_COLLATION_FOR_UTF8MB4": 255,
}


def shown(fact: Fact) -> str:
    """A fact as a line, without the status variables that most statements have."""
    if fact[0] != "QUERY":
        return str(fact)
    status = {name: value for name, value in fact[4].items() if USUAL.get(name) != value}
    return str((*fact[:4], status, *fact[5:]))


def main(socket: str, folder: str, *names: str) -> None:
    server = RealServer(socket, Path(folder))
    for name in names:
        scenario = relaxed(Scenario.parse(Path(name).read_bytes(), name))
        print(name, *differences(scenario, server.run(scenario)), sep="\n    ")


if __name__ == "__main__":
    main(*sys.argv[1:])
