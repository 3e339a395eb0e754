"""Server: what its connections share: tables, clock, GTIDs, prepared XA transactions and the binary log."""

from __future__ import annotations

from collections.abc import Sequence
from struct import error as StructError
from typing import TYPE_CHECKING

from pybinlog.errors import BinlogError
from pybinlog.simulate.connection import Connection
from pybinlog.simulate.errors import ScenarioError, StatementError
from pybinlog.simulate.gtid import Gtids
from pybinlog.simulate.log_file import BinaryLog
from pybinlog.simulate.options import LogEnd, ServerOptions
from pybinlog.simulate.scenario import Disconnect, Scenario, Sleep, Statement
from pybinlog.simulate.statement import run_statement
from pybinlog.simulate.storage import Storage
from pybinlog.simulate.xa import PreparedTransactions

if TYPE_CHECKING:
    from pybinlog.simulate.events import LoggedEvent

__all__ = ["DEFAULT_DATABASE", "Server"]

DEFAULT_DATABASE = "test"
MICROSECONDS = 1_000_000
LAST_SECOND = (1 << 32) - 1


class Server:
    """A simulated server. `log.files` are its binary logs.

    `warnings` are (line of the scenario, text), `errors` of statements that failed (line, number, text).
    """

    def __init__(self, options: ServerOptions, base_name: str):
        self.options = options
        self.storage = Storage(version=options.numbers)
        self.time = options.time
        self.gtids = Gtids(options)
        self.log = BinaryLog(options, base_name, self.gtids, self.now[0])
        self.xa = PreparedTransactions()
        self.connections: dict[str, Connection] = {}
        self.names: dict[int, str] = {}
        self.warnings: list[tuple[int, str]] = []
        self.errors: list[tuple[int, int, str]] = []
        self.line = 0
        self.database: str | None = None
        self.query_id = options.first_query_id - 1

    @property
    def now(self) -> tuple[int, int]:
        """The time, in seconds since 1970 and microseconds."""
        return divmod(self.time, MICROSECONDS)

    def run(self, scenario: Scenario) -> None:
        """Run a scenario to its end. Raises ScenarioError with the line that cannot be run."""
        if not scenario.names_a_database:
            self.use_default_database()
        for step in scenario.steps:
            self.line = step.line
            if isinstance(step, Statement):
                self.statement(step, scenario.name)
            elif isinstance(step, Disconnect):
                self.disconnect(step, scenario.name)
            elif isinstance(step, Sleep):
                self.sleep(step, scenario.name)
        self.end()

    def sleep(self, step: Sleep, file: str) -> None:
        self.time += step.time
        if self.now[0] > LAST_SECOND:
            raise ScenarioError("the clock would pass the last time that a log can have", file=file, line=step.line)

    def use_default_database(self) -> None:
        """A scenario that names no database has one all the same, which its log begins with."""
        creator = self.connect("")
        creator.begin_statement(0, self.now)
        run_statement(creator, f"CREATE DATABASE {DEFAULT_DATABASE}".encode())
        self.connections.clear()
        self.database = DEFAULT_DATABASE

    def connect(self, name: str) -> Connection:
        """The connection of that name; a new one where there is none."""
        connection = self.connections.get(name)
        if connection is None:
            if self.names:
                self.query_id += 1  # what a client says first
            connection = Connection(self, name, self.options.first_connection_id + len(self.names))
            connection.session.database = self.database
            self.connections[name] = connection
            self.names[connection.id] = name
        return connection

    def statement(self, step: Statement, file: str) -> None:
        """Run one statement, and see that it fails exactly where the scenario says so."""
        connection = self.connect(step.connection)
        self.time += self.options.step
        self.query_id += 1
        connection.begin_statement(self.query_id, self.now)
        try:
            run_statement(connection, step.text)
        except StatementError as error:
            self.errors.append((step.line, error.number, error.message))
            if refusal := unexpected(step, error):
                raise refusal.in_line(file, step.line) from None
        except ScenarioError as error:
            raise error.in_line(file, step.line) from None
        except BinlogError as error:
            raise ScenarioError(error.message, file=file, line=step.line, hint=error.hint) from None
        except RecursionError:
            raise ScenarioError("it is nested too deeply for the model", file=file, line=step.line) from None
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
            StructError,
        ) as error:
            # Of the values that SQL allows for its functions, the model knows the usual ones.
            raise ScenarioError(
                f"the model cannot run this statement ({type(error).__name__}: {error})", file=file, line=step.line
            ) from error
        else:
            if step.error:
                raise ScenarioError("the statement is meant to fail, and succeeds", file=file, line=step.line)

    def disconnect(self, step: Disconnect, file: str) -> None:
        connection = self.connections.pop(step.connection, None)
        if connection is None:
            raise ScenarioError(f"there is no connection {step.connection}", file=file, line=step.line)
        self.query_id += 1
        connection.begin_statement(self.query_id, self.now)
        connection.close()

    def end(self) -> None:
        """The scenario is over. A server that shuts down ends its connections first.

        The tables then hold what was committed.
        """
        if self.options.end is LogEnd.STOP:
            for connection in self.connections.values():
                self.query_id += 1
                connection.begin_statement(self.query_id, self.now)
                connection.close()
        self.log.end(self.options.end, self.now[0])
        for connection in self.connections.values():
            connection.session.transaction.roll_back()
        for prepared in self.xa.prepared.values():
            prepared.transaction.roll_back()

    def rotate(self) -> None:
        """FLUSH BINARY LOGS."""
        self.log.rotate(self.now[0])

    def write_group(self, events: Sequence[LoggedEvent]) -> None:
        """Write the events of one group into the log."""
        self.log.write_group(events, self.now)

    def warn(self, text: str) -> None:
        """A warning about the line at hand."""
        self.warnings.append((self.line, text))


def unexpected(step: Statement, error: StatementError) -> ScenarioError | None:
    """What is wrong with the scenario where its statement fails with that error."""
    if step.error is False:
        return ScenarioError(
            f"the statement fails with error {error.number} ({error.message})",
            hint="Where it is meant to, put a line `-- !error` before it",
        )
    if step.error in (None, True, error.number):
        return None
    return ScenarioError(
        f"the statement is meant to fail with error {step.error}, and fails with {error.number} ({error.message})"
    )
