"""Scenarios on a real MariaDB 11.8: the logs that it writes, and which statements fail there.

python -m tests.simulate.mariadb_server SOCKET DATADIR SCENARIO...    # what differs from the model's logs
"""

import difflib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pybinlog.event_types import EventType
from pybinlog.layout import StatusVar
from pybinlog.layout.mariadb import MariaGtidFlag
from pybinlog.simulate import Scenario, ServerOptions, simulate
from tests.simulate.facts import events, plain
from tests.simulate.real_server import DATABASE, SYSTEM, RealServer, Run, relaxed

FRAME = (EventType.FORMAT_DESCRIPTION, EventType.MARIA_BINLOG_CHECKPOINT, EventType.ROTATE, EventType.STOP)
"""When a Binlog_checkpoint comes is the storage engines' choice."""
NOT_COMPARED = ("thread_id", "table_id", "exec_time", "xid")
TIMES = (StatusVar.MARIA_HRNOW, StatusVar.MARIA_XID, StatusVar.TIME_ZONE)


class RealMariadb(RealServer):
    """A MariaDB for these tests alone: everything on it is dropped before each scenario."""

    def run(self, scenario: Scenario) -> Run:
        root = self.connect()
        with root.cursor() as cursor:
            self.prepare(cursor, scenario.options.complete())
            cursor.execute("RESET MASTER")
            cursor.execute(f"CREATE DATABASE {DATABASE}")
            root.close()
            errors = list(self.steps(scenario, DATABASE))
        for name in list(self.clients):
            self.disconnect(name)
        root = self.connect()
        with root.cursor() as cursor:
            cursor.execute("FLUSH BINARY LOGS")
            cursor.execute("SHOW BINARY LOGS")
            names = [row[0] for row in cursor.fetchall()[:-1]]
        root.close()
        return Run({name: (self.folder / name).read_bytes() for name in names}, errors)

    def prepare(self, cursor: Any, options: ServerOptions) -> None:
        self.only_client(cursor)
        cursor.execute("SHOW DATABASES")
        for (name,) in cursor.fetchall():
            if name not in SYSTEM:
                cursor.execute(f"DROP DATABASE `{name}`")
        self.settings = [
            f"binlog_format = {options.format.value}",
            f"binlog_annotate_row_events = {int(bool(options.rows_query))}",
            "innodb_lock_wait_timeout = 1",
            "lock_wait_timeout = 1",
        ]
        for setting in self.settings:
            cursor.execute(f"SET GLOBAL {setting}")


def mariadb_events(files: Mapping[str, bytes]) -> list[str]:
    """Each event of the logs as a line, without times and numbers of connections, tables and transactions."""
    return [shown(event) for data in files.values() for event in events(data) if event.header.event_type not in FRAME]


def shown(event: Any) -> str:
    kind = event.header.event_type
    body = {name: value for name, value in plain(event.body).items() if name not in NOT_COMPARED}
    if kind == EventType.QUERY:
        body["status_vars"] = {
            StatusVar(one["code"]).name: None if one["code"] in TIMES else one["value"] for one in body["status_vars"]
        }
    if kind == EventType.MARIA_GTID:
        body["flags2"] &= ~int(MariaGtidFlag.WAITED)  # no connection waits for a lock in the model
    return f"{EventType(kind).name} {event.header.flags} {event.header.end_log_pos == 0} {body}"


def mariadb_differences(scenario: Scenario, real: Run) -> list[str]:
    """Return the differences from the model: statements that fail, and events of the logs."""
    result = simulate(scenario)
    model = [f"line {line}: error {number}" for line, number, _ in result.errors] + mariadb_events(result.files)
    there = [f"line {line}: error {number}" for line, number in real.errors] + mariadb_events(real.files)
    return list(difflib.unified_diff(there, model, "the server", "the model", lineterm="", n=1))


def main(socket: str, folder: str, *names: str) -> None:
    server = RealMariadb(socket, Path(folder))
    for name in names:
        for form in ("STATEMENT", "ROW", "MIXED"):
            text = f"-- server: version=11.8 format={form}\n{Path(name).read_text()}"
            scenario = relaxed(Scenario.parse(text, name))
            print(name, form, *mariadb_differences(scenario, server.run(scenario)), sep="\n    ")


if __name__ == "__main__":
    main(*sys.argv[1:])
