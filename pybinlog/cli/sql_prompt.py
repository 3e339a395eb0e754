"""Prompt: `pybinlog sql` on a terminal, with lines that can be edited and found again."""

import os
from collections.abc import Callable
from contextlib import suppress

from pybinlog.cli.environment import Environment
from pybinlog.errors import BinlogError
from pybinlog.sql.database import Database

HELP = """\
SQL ends with a semicolon.
.tables          the tables
.schema [TABLE]  the columns of a table, or of all
.quit            end; so does Ctrl-D
"""
FIRST, NEXT = "sql> ", "...> "
MOST_LINES = 1000


class Prompt:
    """Reads lines until the end. `show` shows the results of a statement."""

    def __init__(self, environment: Environment, database: Database, show: Callable[[str], None]):
        self._environment = environment
        self._database = database
        self._show = show

    def run(self) -> None:
        """Read and run statements. An error of one is printed, and the next can be typed."""
        self._environment.print_line("SQL ends with a semicolon; .help lists the commands.")
        history = History(self._environment)
        text = ""
        while True:
            try:
                line = input(NEXT if text else FIRST)
            except EOFError:
                self._environment.show("\n")
                break
            except KeyboardInterrupt:  # it drops what was typed
                self._environment.show("\n")
                text = ""
                continue
            if not text and line.strip().startswith("."):
                if line.split()[0] in (".quit", ".exit"):
                    break
                self._try(lambda line=line: self._command(*line.split()))  # type: ignore[misc]
                continue
            text = f"{text}\n{line}".strip()
            if text.endswith(";"):
                statement, text = text, ""
                self._try(lambda statement=statement: self._show(statement))  # type: ignore[misc]
        history.save()

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except BinlogError as error:
            self._environment.fail(f"{error}.")
        except KeyboardInterrupt:
            self._environment.show("\n")

    def _command(self, name: str, *arguments: str) -> None:
        if name == ".tables":
            for schema, view, about in self._database.views():
                full = view if schema == "main" else f"{schema}.{view}"
                self._environment.show(f"{full:20}  {about}".rstrip() + "\n")
        elif name == ".schema":
            for text in self._database.schema(" ".join(arguments)):
                self._environment.show(text)
        else:
            self._environment.show(HELP)


class History:
    """The lines of earlier runs, in a file of the user's, if Python has readline."""

    def __init__(self, environment: Environment):
        state = environment.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        self._path = os.path.join(state, "pybinlog", "sql_history")
        try:
            import readline
        except ImportError:
            return
        self._readline = readline
        with suppress(OSError):
            readline.read_history_file(self._path)

    def save(self) -> None:
        """Write the last lines, for the user alone; without a place for them, they are lost."""
        readline = getattr(self, "_readline", None)
        if readline is None:
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            readline.set_history_length(MOST_LINES)
            readline.write_history_file(self._path)
            os.chmod(self._path, 0o600)
