"""Server: runs the steps of a scenario, each on its connection."""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.schema import SqlError
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.log.event import Trace
from pybinlog.simulate.options import KNOWN_TO_DIFFER, LogEnd, ServerOptions
from pybinlog.simulate.scenario import Disconnect, Restart, Scenario, Statement
from pybinlog.simulate.server_state import ServerState
from pybinlog.simulate.statement import close, run_statement

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
        self.query_id = options.first_query_id - 1
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
        self.state.traces.append(Trace(0, "", text))
        creator.begin_statement(0, self.state.now)
        run_statement(creator, text)
        self.connections.clear()
        self.database = DEFAULT_DATABASE

    def connect(self, name: str) -> Connection:
        """Return the connection of that name; make one if there is none."""
        connection = self.connections.get(name)
        if connection is None:
            if self.connected:
                self.query_id += 1  # what a client says first
            connection = Connection(self.state, name, self.options.first_connection_id + self.connected)
            connection.session.database = self.database
            self.connections[name] = connection
            self.connected += 1
        return connection

    def statement(self, step: Statement) -> None:
        """Run one statement, and see that it fails exactly where the scenario says so."""
        connection = self.connect(step.connection)
        self.pass_time(self.options.step)
        self.query_id += 1
        self.state.traces.append(Trace(step.line, step.connection, step.text))
        connection.begin_statement(self.query_id, self.state.now)
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
        """Disconnect a client. Raise ScenarioError if there is no such connection."""
        connection = self.connections.pop(step.connection, None)
        if connection is None:
            raise ScenarioError(f"there is no connection {step.connection}")
        self.close(connection)

    def restart(self, step: Restart) -> None:
        """Shut the server down and start it, or let it crash. Raise ScenarioError if the log is not that long."""
        if step.crash:
            for connection in self.connections.values():
                connection.session.transaction.roll_back()
            self.state.log.lose(step.lost)
            self.down = True
        else:
            self.shut_down()
            self.state.log.end(LogEnd.STOP, self.state.now[0])
            self.start()

    def start(self) -> None:
        """Start the server, which finds its tables and the prepared XA transactions that have changed some."""
        self.connections.clear()
        self.query_id = self.options.first_query_id - 1
        self.down = False
        self.state.restart()

    def shut_down(self) -> None:
        for connection in self.connections.values():
            self.close(connection)

    def close(self, connection: Connection) -> None:
        self.query_id += 1
        self.state.traces.append(Trace(0, connection.name, b"(the connection ends)"))
        connection.begin_statement(self.query_id, self.state.now)
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
