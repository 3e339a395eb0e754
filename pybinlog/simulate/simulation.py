"""simulate(): a scenario run on a Server of its own, each step on its connection, and what came of it."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from pybinlog.errors import BinlogError
from pybinlog.output.modes import make_folders
from pybinlog.output.replacement import Replacement, status_of
from pybinlog.output.replacement_batch import MOST_FILES, ReplacementBatch
from pybinlog.schema import SqlError
from pybinlog.simulate.connection import Connection, ServerState
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.log.outline import explain, outline
from pybinlog.simulate.options import KNOWN_TO_DIFFER, LogEnd, ServerOptions
from pybinlog.simulate.scenario import Disconnect, Restart, Scenario, Statement
from pybinlog.simulate.statement import close, run_statement
from pybinlog.simulate.variables import new_connection

DEFAULT_DATABASE = "test"
GTID_UNSAFE_NON_TRANSACTIONAL_TABLE = 1785
LAST_SECOND = (1 << 32) - 1


class Server:
    """A simulated server. `state.log.files` are its binary logs.

    `errors` are those of statements that failed (line, number, text).
    """

    def __init__(self, options: ServerOptions, base_name: str):
        self.options = options
        self.state = ServerState(options, base_name)
        self.connections: dict[str, Connection] = {}
        self.connected = 0
        self.errors: list[tuple[int, int, str]] = []
        self.database: str | None = None
        if options.series in KNOWN_TO_DIFFER:
            self.state.warn(
                f"MySQL {options.version} is simulated as {options.model}. Known to differ: "
                f"{KNOWN_TO_DIFFER[options.series]}"
            )
        self.down = False
        """True if the server has crashed and was not started again."""

    def run(self, scenario: Scenario) -> None:
        """Run a scenario to its end. Raise ScenarioError with the line that cannot be run."""
        if not scenario.names_a_database:
            self.use_default_database()
        for step in scenario.steps:
            self.state.line = step.line
            try:
                if self.down:
                    self.start()
                if isinstance(step, Restart):
                    self.restart(step)
                elif isinstance(step, Statement):
                    self.statement(step)
                elif isinstance(step, Disconnect):
                    self.disconnect(step)
                else:
                    self.pass_time(step.time)
            except ScenarioError as error:
                raise error.in_line(scenario.name, step.line) from None
            except BinlogError as error:  # what is not in the model
                raise ScenarioError(error.message, file=scenario.name, line=step.line, hint=error.hint) from None
        self.end()

    def pass_time(self, microseconds: int) -> None:
        """Let time pass. Raise ScenarioError if an event could not have the time."""
        self.state.time += microseconds
        if self.state.now[0] > LAST_SECOND:
            raise ScenarioError("the clock would pass the last time that a log can have")

    def use_default_database(self) -> None:
        """Create the database of a scenario that names none; its log begins with that."""
        creator = self.connect("")
        text = f"CREATE DATABASE {DEFAULT_DATABASE}".encode()
        first, self.state.query_id = self.state.query_id, -1
        creator.begin_statement(0, text)
        run_statement(creator, text)
        self.state.query_id = first
        self.connections.clear()
        self.database = DEFAULT_DATABASE

    def connect(self, name: str) -> Connection:
        """Return the connection of that name; make one if there is none."""
        connection = self.connections.get(name)
        if connection is None:
            if self.connected:
                self.state.query_id += 1  # what a client says first
            connection = new_connection(self.state, name, self.options.first_connection_id + self.connected)
            connection.session.database = self.database
            self.connections[name] = connection
            self.connected += 1
        return connection

    def statement(self, step: Statement) -> None:
        """Run one statement, and see that it fails exactly where the scenario says so."""
        connection = self.connect(step.connection)
        self.pass_time(self.options.step)
        connection.begin_statement(step.line, step.text)
        try:
            run_statement(connection, step.text)
        except SqlError as error:
            connection.trace.error = error.number
            self.errors.append((step.line, error.number, error.message))
            if refusal := unexpected(step, error):
                raise refusal from None
        else:
            if step.error:
                raise ScenarioError("the statement is meant to fail, and succeeds")

    def disconnect(self, step: Disconnect) -> None:
        """Disconnect a client. Raise ScenarioError if the connection is unknown."""
        connection = self.connections.pop(step.connection, None)
        if connection is None:
            raise ScenarioError(f"unknown connection {step.connection}")
        self.close(connection)

    def restart(self, step: Restart) -> None:
        """Shut the server down and start it, or let it crash. Raise ScenarioError if the log is not that long."""
        if self.options.mariadb:
            raise ScenarioError("a restart of MariaDB is not in the model")
        if step.crash:
            for connection in self.connections.values():
                connection.session.transaction.roll_back()
            self.state.log.lose(step.lost or self.state.log.unsynchronized)
            self.down = True
        else:
            self.shut_down()
            self.state.log.end(LogEnd.STOP, self.state.now[0])
            self.start()

    def start(self) -> None:
        """Start the server, which finds its tables and the prepared XA transactions that have changed some."""
        self.connections.clear()
        self.down = False
        self.state.restart()

    def shut_down(self) -> None:
        for connection in self.connections.values():
            self.close(connection)

    def close(self, connection: Connection) -> None:
        connection.begin_statement(0, b"(the connection ends)")
        close(connection)

    def end(self) -> None:
        """End the scenario. A server that shuts down ends its connections first.

        The tables then hold what was committed.
        """
        if self.options.end is LogEnd.STOP and not self.down:
            self.shut_down()
        if not self.down:
            self.state.log.end(self.options.end, self.state.now[0])
        for connection in self.connections.values():
            connection.session.transaction.roll_back()
        for prepared in self.state.xa.prepared.values():
            prepared.transaction.roll_back()


def unexpected(step: Statement, error: SqlError) -> ScenarioError | None:
    """Return the scenario's error if its statement fails with that error, or None."""
    if step.error is False:
        hint = "If it is meant to fail, put a line `-- !error` before it"
        if error.number == GTID_UNSAFE_NON_TRANSACTIONAL_TABLE:
            hint += "; to mix T- and N-tables, set gtid=off enforce_gtid_consistency=off"
        return ScenarioError(f"the statement fails with error {error.number} ({error.message})", hint=hint)
    if step.error in (None, True, error.number):
        return None
    return ScenarioError(
        f"the statement is meant to fail with error {step.error}, and fails with {error.number} ({error.message})"
    )


BASE_NAME = "binlog"


@dataclass(frozen=True)
class Simulation:
    """The results of a scenario: the binary logs by name, and the server with its tables.

    `warnings` are (line, text), `errors` of the statements that failed as they were meant to (line, number, text).
    """

    files: dict[str, bytes]
    warnings: list[tuple[int, str]]
    errors: list[tuple[int, int, str]]
    server: Server

    @property
    def base_name(self) -> str:
        """The name of the logs without their number."""
        return self.server.state.log.base_name

    def table(self, name: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table, "database.table", as the model holds them. Raise KeyError if there is none."""
        return self.tables()[name]

    def tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all tables: "database.table" -> rows."""
        return self.server.state.storage.rows()

    def outline(self) -> Iterator[str]:
        """Yield a line for each event of the logs, with the connection whose change it is."""
        state = self.server.state
        return outline(self.files, state.log.statements, state.traces)

    def explain(self) -> Iterator[str]:
        """Yield the decisions of the layers of WL#2687 about each statement, and its events."""
        state = self.server.state
        for place, number in state.log.statements.items():
            state.traces[number].events.append(place)
        return explain(self.files, state.traces)

    def write(self, folder: str | os.PathLike[str], *, replace: bool = False) -> list[Path]:
        """Write the logs and their index file into a folder, which is made if need be; the paths, the index last.

        Raise ScenarioError where a file is there already, unless `replace` says to put the new ones in their place
        (older logs of the same name go, too, once the new ones are there), and BinlogError where one cannot be written.
        The first takes its name when all are whole; of more than MOST_FILES, when that many are.
        """
        target = Path(folder)
        older = files_there(target, self.base_name)
        if older and not replace:
            raise ScenarioError("the file is there already", file=str(older[0]))
        make_folders(os.fspath(folder))
        index = "".join(f"./{name}\n" for name in self.files).encode()
        contents = {**self.files, f"{self.base_name}.index": index}
        paths = [str(target / name) for name in contents]
        for path in paths:
            status_of(os.path.realpath(path), path)
        for at in range(0, len(paths), MOST_FILES):
            with ExitStack() as files, ReplacementBatch() as batch:
                written = [files.enter_context(Replacement(path)) for path in paths[at : at + MOST_FILES]]
                for file, data in zip(written, list(contents.values())[at:], strict=False):
                    file.write(data)
                for file in written:  # now that all are whole
                    batch.add(file)
        for old in older:
            if old.name not in contents:
                old.unlink()
        return [target / name for name in contents]


def files_there(folder: Path, base_name: str) -> list[Path]:
    """Return the logs and the index file of that name in a folder: what `Simulation.write` would replace."""
    numbered = f"{escape(base_name)}.[0-9][0-9][0-9][0-9][0-9][0-9]"
    index = folder / f"{base_name}.index"
    return sorted(folder.glob(numbered)) + ([index] if index.exists() else [])


def simulate(
    scenario: Scenario | str | bytes, *, name: str = "scenario", options: ServerOptions | None = None
) -> Simulation:
    """Run a scenario, or the text of one, which errors call `name`; `options` are the server's without `-- server:`.

    The same scenario gives the same bytes. Raise ScenarioError, with the line that cannot be run.
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.parse(scenario, name, options)
    try:
        options = scenario.options.complete()
    except ScenarioError as error:
        raise error.in_line(scenario.name, 0) from None
    server = Server(options, options.log_bin or BASE_NAME)
    server.run(scenario)
    files = {name: bytes(data) for name, data in server.state.log.files.items()}
    return Simulation(files, server.state.warnings, server.errors, server)
