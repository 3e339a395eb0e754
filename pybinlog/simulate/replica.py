"""A replica: the groups of a server's logs, applied to a second copy of its tables."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pybinlog.event_types import EventType
from pybinlog.layout import StatusVar
from pybinlog.schema import SqlError
from pybinlog.simulate.connection import SQL_MODES, Connection, ServerState
from pybinlog.simulate.log.event import LoggedEvent
from pybinlog.simulate.options import BinlogFormat, LogEnd, ServerOptions
from pybinlog.simulate.scenario import Scenario
from pybinlog.simulate.simulation import Server
from pybinlog.simulate.sql.syntax import Statement
from pybinlog.simulate.statement import run_statement
from pybinlog.simulate.tables.table import RowChange, Table
from pybinlog.simulate.transaction_state import Xid

Tables = dict[str, list[tuple[Any, ...]]]
LAST_INSERT_ID, INSERT_ID = 1, 2
OF_THE_SERVER = (
    (re.compile(rb"^CREATE DEFINER=`root`@`localhost` "), b"CREATE "),
    (re.compile(rb"\n\) START TRANSACTION"), b"\n)"),
)
"""Words that the server writes and that a client does not."""
SHOWN = 5


class Replica:
    """The tables of a replica, which one thread changes. `stopped` is the error that ends it, None while it applies."""

    def __init__(self, options: ServerOptions) -> None:
        options = replace(options, format=BinlogFormat.STATEMENT, gtid=False, enforce_gtid_consistency=False)
        self.state = ServerState(options, "replica")
        self.sessions: dict[int, Connection] = {}
        self.stopped: SqlError | None = None

    def apply(self, groups: Sequence[Sequence[LoggedEvent]]) -> None:
        """Apply the groups of a log, until one cannot be applied."""
        for group in groups:
            thread = next(event.body["thread_id"] for event in group if event.event_type == EventType.QUERY)
            connection = self.sessions.setdefault(thread, Connection(self.state, "", thread))
            try:
                for event in group:
                    self.apply_event(connection, event)
            except SqlError as error:
                self.stopped = error
                return

    def apply_event(self, connection: Connection, event: LoggedEvent) -> None:
        session, body = connection.session, event.body
        connection.begin_statement(0, b"", (event.timestamp, 0))
        if event.event_type == EventType.QUERY:
            self.run(connection, body, event.source)
        elif event.event_type == EventType.XID:
            run_statement(connection, b"COMMIT")
        elif event.event_type == EventType.XA_PREPARE:
            xid = Xid(body["gtrid"], body["bqual"], body["format_id"])
            text = f"XA COMMIT {xid} ONE PHASE" if body["one_phase"] else f"XA PREPARE {xid}"
            run_statement(connection, text.encode())
        elif event.event_type == EventType.INTVAR and body["type"] == INSERT_ID:
            session.insert_id = body["value"]
        elif event.event_type == EventType.INTVAR:
            session.last_insert_id = body["value"]
        elif event.event_type == EventType.RAND:
            session.rand_seed1, session.rand_seed2 = body["seed1"], body["seed2"]
        elif event.event_type == EventType.USER_VAR:
            session.user_variables[event.source.name.lower()] = event.source
        elif event.source is not None:
            for change in event.source:
                self.change(connection, change)

    def run(self, connection: Connection, body: Any, statement: Statement | None) -> None:
        """Run a statement as its Query event says. An error that it had on the source, too, is none."""
        session = connection.session
        session.database = body["db"] or None
        values = {variable["code"]: variable["value"] for variable in body["status_vars"]}
        session.sql_mode = frozenset(mode for mode, bit in SQL_MODES.items() if values[StatusVar.SQL_MODE] >> bit & 1)
        session.character_set_client = values[StatusVar.CHARSET]["character_set_client"]
        session.collation_connection = values[StatusVar.CHARSET]["collation_connection"]
        session.time_zone = values.get(StatusVar.TIME_ZONE, session.time_zone)
        increments = values.get(StatusVar.AUTO_INCREMENT, {"increment": 1, "offset": 1})
        session.auto_increment_increment, session.auto_increment_offset = increments["increment"], increments["offset"]
        text = body["query"]
        for pattern, words in OF_THE_SERVER:
            text = pattern.sub(words, text)
        try:
            run_statement(connection, text, statement)
        except SqlError as error:
            if error.number != body["error_code"]:
                raise

    def change(self, connection: Connection, change: RowChange) -> None:
        """Apply one changed row. Raise errors 1032 and 1062."""
        table = self.state.storage.table(change.table.database, change.table.name)
        slot = -1 if change.before is None else _slot(table, change.before)
        before = table.row(slot) if slot >= 0 else None
        if change.after is not None:
            found = table.duplicate(change.after, slot)
            if found is not None:
                raise SqlError(1062, f"Duplicate entry for key '{table.name}.{found[0].name}'")
        if change.after is None:
            table.remove(slot)
        elif change.before is None:
            slot = table.insert(change.after)
        else:
            table.put(slot, change.after)
        if table.transactional:
            connection.session.transaction.changes.append(RowChange(table, before, change.after, slot))


def _slot(table: Table, row: tuple[Any, ...]) -> int:
    """Return the place of the row with the same primary key, or of an equal row. Raise error 1032."""
    for slot, other in table.chosen():
        key = next((key for key in table.unique_keys if None not in table.key_values(key, row)), None)
        if other == row or (key is not None and table.key_values(key, other) == table.key_values(key, row)):
            return slot
    raise SqlError(1032, f"Can't find record in '{table.name}'")


def compare_formats(scenario: Scenario) -> Iterator[str]:
    """Yield for each format what a replica of the scenario's server would have otherwise. Raise ScenarioError."""
    for form in BinlogFormat:
        options = replace(scenario.options, format=form, end=LogEnd.STOP).complete()
        server = Server(options, "binlog")
        server.run(replace(scenario, options=options))
        replica = Replica(options)
        replica.apply(server.state.groups)
        for connection in replica.sessions.values():
            connection.session.transaction.roll_back()
        for prepared in replica.state.xa.prepared.values():
            prepared.transaction.roll_back()
        source, copy = server.state.storage.rows(), replica.state.storage.rows()
        lines = list(_differences(source, copy))
        if replica.stopped is not None:
            lines.insert(0, f"the replica stops with error {replica.stopped.number} ({replica.stopped.message})")
        yield f"format={form.value}: " + ("the replica differs" if lines else "the replica has the same rows")
        yield from (f"    {line}" for line in lines)


def _differences(source: Tables, copy: Tables) -> Iterator[str]:
    for name in sorted({*source, *copy}):
        there, here = Counter(source.get(name, [])), Counter(copy.get(name, []))
        if name not in source or name not in copy:
            yield f"{name}: only the {'source' if name in source else 'replica'} has the table"
        elif there != here:
            yield f"{name}: source {_rows(there - here)}, replica {_rows(here - there)}"


def _rows(rows: Counter[tuple[Any, ...]]) -> str:
    listed = [f"({', '.join('NULL' if value is None else str(value) for value in row)})" for row in rows.elements()]
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more if listed else "none of these"
