"""One workload on a real server: its logs, the state at each step, and undo's text run by the server's own client."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.corpus import PROJECT
from tests.server import REFERENCE, SCRIPTS, Server
from tests.undo.columns import quoted
from tests.undo.session import Session
from tests.undo.state import (
    ADDED,
    REMOVED,
    Definition,
    State,
    changes_between,
    definitions,
    describe,
    differences,
    snapshot,
)
from tests.undo.workloads import DATABASE, Transaction, Workload

Identity = tuple[str, int, tuple[str, ...]]
"""A table, the number of one of its unique keys (REMOVED or ADDED: the row has none), and its values."""
METADATA = {"mysql": ("FULL", "MINIMAL"), "mariadb": ("FULL", "MINIMAL", "NO_LOG")}
CLIENTS = [
    ["--init-command=SET time_zone = '+05:30'"],
    ["--init-command=SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'"],
    ["--default-character-set=latin1"],
    ["--default-character-set=gbk", "--skip-binary-mode"],
    ["--default-character-set=sjis"],
    [],
]
"""How the client that runs the text is set up: none of it may change what the text does."""


class Unequal(Exception):
    """A command or a server did not do what it must do; the message says what."""


@dataclass
class Step:
    """The effect of a transaction: the states around it, the rows it touched, and the range of its GTIDs."""

    transaction: Transaction
    before: State
    after: State
    touched: set[Identity]
    first: int
    last: int

    def expected(self) -> set[Identity]:
        """Return what no later step may touch, or an undo of this one meets other rows than it expects."""
        return {(table, REMOVED if key == ADDED else key, row) for table, key, row in self.touched if key != REMOVED}


@dataclass
class Done:
    """A command that ended."""

    command: list[str]
    status: int
    out: bytes
    err: str


@dataclass
class Trial:
    """A workload of a seed on a server. `folder` has its files."""

    server: Server
    session: Session
    seed: int
    folder: Path
    cascades: bool = True
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kind = self.session.kind
        self.random = Random(f"trial {self.kind} {self.seed}")
        self.workload = Workload(self.kind, self.seed, self.cascades)
        self.metadata = self.random.choice(METADATA[self.kind])
        self.folder.mkdir(parents=True, exist_ok=True)
        for _, _, _, name in self.session.select("XA RECOVER"):  # of a run that was ended
            self.session.run(f"XA ROLLBACK '{name}'")
        self.session.run("FLUSH BINARY LOGS")
        self.first_log, _ = self.session.position()
        self.session.run(f"SET GLOBAL binlog_row_metadata = {self.metadata}")
        for statement in self.workload.definitions():
            self.session.run(statement)
        self.tables: dict[str, Definition] = definitions(self.session, DATABASE)
        reads = Random(f"reads {self.kind} {self.seed}")
        self.is_remote = reads.random() < 0.2
        """An undo reads the logs from the server."""
        self.rows_per_statement = 1 + self.seed // 10 % 2
        """Both forms of statements: a row each, or two rows each."""
        self.schema = [self.definitions_in_a_file()] if reads.random() < 0.3 else []

    def define(self, *statements: str) -> None:
        """Run statements that make tables, which the trial compares from now on."""
        for statement in statements:
            self.session.run(statement)
        self.tables = definitions(self.session, DATABASE)

    def definitions_in_a_file(self) -> str:
        """Return the option for a file with the definitions, which the logs that are read do not have."""
        self.session.run("FLUSH BINARY LOGS")
        self.first_log, _ = self.session.position()
        made = [self.session.select(f"SHOW CREATE TABLE {quoted(name)}")[0][1] for name in self.tables]
        schema = self.folder / "schema.sql"
        text = f"CREATE DATABASE {DATABASE};\nUSE {DATABASE};\n" + "".join(f"{one};\n" for one in made)
        schema.write_text(text)
        return f"--schema={schema}"

    @property
    def state(self) -> State:
        return snapshot(self.session, DATABASE, self.tables)

    def run(self, transactions: Iterable[Transaction]) -> None:
        """Run transactions and record their steps; statements may fail."""
        for transaction in transactions:
            _, first = self.session.last_gtid()
            before, touched, at_savepoint = self.state, set[Identity](), set[Identity]()
            last_seen = before
            self.session.run(f"SET binlog_row_image = {transaction.image}")
            for statement in (*transaction.settings, *transaction.statements, *transaction.resets):
                self.session.attempt(statement)
                if statement.startswith(("XA END", "XA PREPARE")):  # nothing can be read between these
                    continue
                seen = self.state
                touched |= self.identities(last_seen, seen)
                last_seen = seen
                if statement.startswith("SAVEPOINT"):
                    at_savepoint = touched.copy()
                elif statement.startswith("ROLLBACK TO"):
                    touched = at_savepoint
                elif statement.startswith(("ROLLBACK", "XA ROLLBACK")):
                    touched = set()
            if self.random.random() < 0.1:
                self.session.run("FLUSH BINARY LOGS")
            self.steps.append(Step(transaction, before, last_seen, touched, first + 1, self.session.last_gtid()[1]))

    def change(self, *statements: str, form: str = "planted") -> Step:
        """Run statements that must succeed as one transaction."""
        self.run([Transaction(("BEGIN", *statements, "COMMIT") if len(statements) > 1 else statements, form)])
        return self.steps[-1]

    def identities(self, before: State, after: State) -> set[Identity]:
        """Return what identifies the rows that differ between two states."""
        return {
            (table, number, values)
            for table, change in changes_between(before, after).items()
            for number, values in change.identities(self.tables[table])
        }

    def gtids(self, steps: list[Step]) -> str:
        """Return the option that selects the steps."""
        return self.gtids_between(steps[0].first, steps[-1].last)

    def gtids_between(self, first: int, last: int) -> str:
        prefix, _ = self.session.last_gtid()
        return f"--include-gtids={prefix}{first}{'-' if self.kind == 'mysql' else ':'}{last}"

    def logs(self, since: str | None = None, name: str = "logs") -> Path:
        """Close the log and copy the logs from `since` on into a folder."""
        other = Session(self.kind, self.server.socket())  # MariaDB: one that has prepared an XA transaction cannot
        other.run("FLUSH BINARY LOGS")
        written, _ = other.position()
        other.close()
        folder = self.folder / name
        folder.mkdir()
        for log in sorted(self.server.folder().glob("binlog.0*[0-9]")):
            if (since or self.first_log) <= log.name < written:
                shutil.copy(log, folder)
        return folder

    def pybinlog(self, *arguments: str, keep: str) -> Done:
        """Run pybinlog; what it prints is kept."""
        if keep.startswith(("undo", "redo")):
            rows = [f"--rows-per-statement={self.rows_per_statement}"] * ("--format=binlog" not in arguments)
            arguments = (arguments[0], *rows, *arguments[1:], *self.schema)
        if keep == "undo" and self.is_remote and Path(arguments[-1 - len(self.schema)]).is_dir():
            place = len(arguments) - 1 - len(self.schema)
            server = ("-R", f"--socket={self.server.socket()}", "--user=root", "--to-last-log", self.first_log)
            arguments = (*arguments[:place], *server, *arguments[place + 1 :])
        command = [sys.executable, "-m", "pybinlog", *arguments]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, timeout=120, check=False)
        with (self.folder / "commands.txt").open("a") as commands:
            commands.write(" ".join(arguments) + f"   # {done.returncode} > {keep}.out\n")
        (self.folder / f"{keep}.out").write_bytes(done.stdout)
        (self.folder / f"{keep}.err").write_bytes(done.stderr)
        if b"Traceback" in done.stderr:
            raise Unequal(f"a traceback:\n{done.stderr.decode()[-1500:]}")
        return Done(command, done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def apply(self, text: bytes) -> Done:
        """Run a text with the server's own client, with a client that is set up in some way."""
        command = [str(REFERENCE / SCRIPTS[self.kind][0]), "sql", self.server.name, *self.random.choice(CLIENTS)]
        done = subprocess.run(command, input=text, capture_output=True, timeout=120, check=False)
        return Done(command, done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def must_apply(self, done: Done, expected: State, what: str) -> None:
        """Run the text of a command that must have succeeded; the server's log of it must be in order."""
        if done.status != 0:
            raise Unequal(f"{what}: refused: {done.err[:2000]}")
        self.session.run("FLUSH BINARY LOGS")
        log, _ = self.session.position()
        applied = self.apply(done.out)
        if applied.status != 0:
            raise Unequal(f"{what}: its text failed: {applied.err[:2000]}")
        self.must_be(expected, what)
        name = f"applied-{what}".replace(" ", "-")
        checked = self.pybinlog(
            "check", "--select=B", "--fail-on=info", str(self.logs(log, name)), keep=f"check-{name}"
        )
        if checked.status != 0:
            raise Unequal(f"{what}: the server's log of it: {checked.out.decode()[:2000]}")

    def must_be(self, expected: State, what: str) -> None:
        if listed := differences(expected, self.state, self.tables):
            raise Unequal(f"{what}:\n{describe(listed)}")
