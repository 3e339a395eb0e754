"""Live servers: reading a log from a real server, beside the server's own mysqlbinlog -R.

python -m tests.benchmarks.server

Starts a MySQL 9.7 (MYSQL97_ROOT), gives it a log of a million small events and one of 1 GiB, and reads these over
loopback with TLS and without. Of each command counts the least processor time of several runs in turn, its children's
included, and the least wall time. Without a server, it prints so and does nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from rich import box
from rich.console import Console
from rich.table import Table

from tests.benchmarks.contest import pybinlog, reference
from tests.benchmarks.inflate import events, inflate
from tests.benchmarks.logs import MEBIBYTE, settle, source
from tests.benchmarks.memory import BOUND, PER_EVENT
from tests.benchmarks.report import columns, machine
from tests.benchmarks.stopwatch import Measured, measure
from tests.corpus import PROJECT
from tests.replication.live import Live, live

SERVER = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--max-allowed-packet=128M")
CONNECTIONS = {"TLS": "--ssl-mode=REQUIRED", "plain": "--ssl-mode=DISABLED"}
LARGE_EVENT = 40
PARQUET = "parquet"
"""It has a row group in memory besides, and what pyarrow keeps to itself."""
OURS, THEIRS = "pybinlog", "mysqlbinlog"
READ_SECONDS = re.compile(r"read in ([\d.]+) s")


@dataclass(frozen=True)
class Row:
    """A row of the table: options of both programs.

    `ratio` is the aim for the processor time of the reference over ours, `rate` that for events a second. `what` is
    "dump", "receive" (its events into a buffer, and no more) or "mirror".
    """

    name: str
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] | None = ()
    what: str = "dump"
    ratio: float | None = None
    rate: float | None = None
    beside: str = ""
    """The row with the reference to compare with; its own if it is empty."""


ROWS = [
    Row("text", ratio=4),
    Row("text, --no-tbm", ("--no-tbm",), theirs=None, ratio=4, beside="text"),
    Row("-vv", ("-vv",), ("-vv",)),
    Row("--raw", ("--raw", "--force"), ("--raw",), rate=1e6),
    Row("receiving alone", theirs=None, what="receive", rate=1e6),
    Row("mirror --fsync=log", ("--fsync=log",), theirs=None, what="mirror", rate=1e6),
]
MEMORY = {
    "`-R`": ["-R"],
    "`-R -vv`": ["-R", "-vv"],
    "`-R --raw`": ["-R", "--raw", "--force", "--result-file={folder}/"],
    "`check -R`": ["check", "-R"],
    **{
        f"`export -R` rows {form}": ["export", "-R", "--view=rows", f"--format={form}", "--force", "-o", "{folder}/out"]
        for form in (PARQUET, "csv", "jsonl")
    },
}


class Bench:
    """A server with logs to read, and the commands that read them."""

    def __init__(self, server: Live, folder: Path):
        self._server = server
        self._folder = folder
        self._root = os.environ["MYSQL97_ROOT"]
        self._where = ["-h127.0.0.1", f"--port={server.port}", "-uroot"]

    def log_of(self, mebibytes: float) -> tuple[str, int]:
        """A log of that size on the server, with the events of small transactions, and how many these are."""
        log = self._server.logs()[-1]
        self._server.server.sql("FLUSH BINARY LOGS")
        path = self._server.server.folder() / log
        template = source("large")[1]
        with path.open("r+b") as out:  # the server's own file, which it has closed
            inflate(template, out, int(mebibytes * MEBIBYTE))
            settle(out)
        return log, round(path.stat().st_size / len(template) * sum(1 for _ in events(template)))

    def large_event(self) -> str:
        """A log with one large row."""
        log = self._server.logs()[-1]
        self._server.server.sql(
            "CREATE DATABASE bench; CREATE TABLE bench.large (data LONGBLOB);"
            f"INSERT INTO bench.large VALUES (REPEAT('x', {LARGE_EVENT} << 20)); FLUSH BINARY LOGS"
        )
        return log

    def ours(self, row: Row, log: str, connection: str) -> list[str]:
        mode = CONNECTIONS[connection]
        if row.what == "receive":
            words = [str(self._server.port), mode.partition("=")[2], log]
            return [sys.executable, "-m", "tests.benchmarks.receive", *words]
        if row.what == "mirror":
            folder = self._folder / "mirror"
            shutil.rmtree(folder, ignore_errors=True)
            return [*pybinlog(), "mirror", *self._where, mode, "--once", *row.ours, "--to", str(folder), log]
        raw = [f"--result-file={self._folder}/"] if "--raw" in row.ours else []
        return [*pybinlog(), "-R", "--no-defaults", *self._where, mode, *row.ours, *raw, log]

    def theirs(self, log: str, options: tuple[str, ...], connection: str) -> list[str]:
        """The mysqlbinlog of MYSQLBINLOG, or the server's: chroot becomes it, so its times are the program's own."""
        program = reference() if "MYSQLBINLOG" in os.environ else None
        raw = [f"--result-file=/tmp/{self._folder.name}-"] if "--raw" in options else []
        return [
            *(program or ["chroot", self._root, "mysqlbinlog", "--no-defaults"]),
            *["-R", *self._where, CONNECTIONS[connection], *options, *raw, log],
        ]

    def commands(self, row: Row, log: str, connection: str) -> dict[str, list[str]]:
        """Return the commands that take turns in a row."""
        commands = {OURS: self.ours(row, log, connection)}
        if row.theirs is not None:
            commands[THEIRS] = self.theirs(log, row.theirs, connection)
        return commands

    def clean(self) -> None:
        """Remove the reference's copies, and the logs from the server."""
        self._server.server.sql("RESET BINARY LOGS AND GTIDS")
        for root in (Path(self._root), Path("/")):
            for copy in (root / "tmp").glob(f"{self._folder.name}-*"):
                copy.unlink()

    def peak(self, log: str, options: list[str]) -> float:
        """MiB that a command of ours holds at most, over TLS."""
        words = [word.format(folder=self._folder) for word in options]
        command = [*pybinlog(), *words, "--no-defaults", *self._where, CONNECTIONS["TLS"], log]
        may_fail = "check" in options  # which finds GTIDs that came before
        return measure(command, may_fail=may_fail).mebibytes


def least(runs: list[Measured]) -> Measured:
    return Measured(min(map(wall, runs)), min(r.processor for r in runs), max(r.peak for r in runs))


def wall(run: Measured) -> float:
    """Seconds; where the command says how long it read, without its start."""
    said = READ_SECONDS.search(run.errors)
    return float(said[1]) if said else run.seconds


def race(bench: Bench, rows: list[Row], log: str, runs: int, console: Console) -> dict[tuple[str, str, str], Measured]:
    """All commands in turn, the first round not counted; what each took at least, by row, connection and program."""
    taken: dict[tuple[str, str, str], list[Measured]] = {}
    with console.status("") as shown:
        for number in range(runs + 1):
            for row in rows:
                for connection in CONNECTIONS:
                    for program, command in bench.commands(row, log, connection).items():
                        shown.update(f"run {number} of {runs}: {row.name}, {connection}, {program}")
                        measured = measure(command, folder=str(PROJECT))
                        if number:
                            taken.setdefault((row.name, connection, program), []).append(measured)
    return {key: least(values) for key, values in taken.items()}


def speed_table(rows: list[Row], taken: dict[tuple[str, str, str], Measured], count: int, form: box.Box) -> Table:
    table = columns(
        "row", "connection", "mysqlbinlog CPU", "pybinlog CPU", "ratio", "aim", "mysqlbinlog wall", "pybinlog wall",
        "million events/s", "aim ", "peak", form=form,
    )  # fmt: skip
    for row in rows:
        for connection in CONNECTIONS:
            ours, theirs = taken[row.name, connection, OURS], taken.get((row.beside or row.name, connection, THEIRS))
            table.add_row(
                row.name,
                connection,
                f"{theirs.processor:.2f} s" if theirs else "",
                f"{ours.processor:.2f} s",
                f"{theirs.processor / ours.processor:.1f}" if theirs else "",
                f"{row.ratio:g}" if row.ratio else "",
                f"{theirs.seconds:.2f} s" if theirs else "",
                f"{ours.seconds:.2f} s",
                f"{count / ours.seconds / 1e6:.1f}",
                f"{row.rate / 1e6:g}" if row.rate else "",
                f"{ours.mebibytes:.0f} MiB",
            )
    return table


def memory_table(bench: Bench, mebibytes: int, form: box.Box) -> tuple[Table, int]:
    """The most that each command held, in MiB, and how many were above the bound of docs/reliability.md."""
    table = columns("row", "bound", *MEMORY, form=form)
    above = 0
    for name, log, largest in (
        (f"a log of {mebibytes} MiB", bench.log_of(mebibytes)[0], 0),
        (f"an event of {LARGE_EVENT} MiB", bench.large_event(), LARGE_EVENT),
    ):
        bound = BOUND + PER_EVENT * largest
        peaks = [bench.peak(log, options) for options in MEMORY.values()]
        above += sum(peak > bound for peak, column in zip(peaks, MEMORY, strict=True) if PARQUET not in column)
        table.add_row(name, str(bound), *(f"{peak:.0f}" for peak in peaks))
    return table, above


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=86.0, show_default=True, help="Size of the log that is timed, in MiB: a million events.")
@click.option("--runs", default=4, show_default=True, type=click.IntRange(1), help="Runs of each command.")
@click.option("--memory", default=1024, show_default=True, help="Size of the log for memory, in MiB; 0: leave it out.")
@click.option("--only", default="", help="Only rows whose name has this.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for copies, for a while.")
@click.option("--markdown", is_flag=True, help="Print tables in Markdown.")
def main(mib: float, runs: int, memory: int, only: str, folder: Path | None, markdown: bool) -> None:
    """Time pybinlog -R beside mysqlbinlog -R, on a server that is started for it.

    The status is 1 if it uses more memory than docs/reliability.md promises.
    """
    rows = [row for row in ROWS if only in row.name]
    form = box.MARKDOWN if markdown else box.SIMPLE
    out, status = Console(width=None if sys.stdout.isatty() else 220), Console(stderr=True)
    above = 0
    with tempfile.TemporaryDirectory(prefix="pybinlog-bench-", dir=folder) as made:
        # as installed: with compiled modules
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = f"{made}/modules"
        try:
            with live("mysql", Path(made), *SERVER) as server:
                bench = Bench(server, Path(made))
                log, count = bench.log_of(mib)
                how = f"{count:,} events, {mib:g} MiB, text to /dev/null, least of {runs} runs in turn"
                out.print(f"{machine(None)}; {how}\n", highlight=False)
                try:
                    out.print(speed_table(rows, race(bench, rows, log, runs, status), count, form))
                    if memory:
                        table, above = memory_table(bench, memory, form)
                        out.print(table)
                finally:
                    bench.clean()
        except pytest.skip.Exception as reason:
            out.print(f"skipped: {reason}", highlight=False)
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
