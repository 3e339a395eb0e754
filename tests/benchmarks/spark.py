"""The cost of Spark and the gain of a second core: each job over many logs, in warm sessions of one core and of two.

    python -m tests.benchmarks.spark [--logs 16] [--mib 64] [--runs 3] [--only check ...] [--markdown]

The sessions, and the commands that they are compared with, run in turn: a machine that becomes slower does for all. The
factor is the time on one core over that on two. Everything else is on one core: processor seconds of the driver's
and the executors' Python, of the plain command by one thread (for the data source, that exports the view), of the
library that reads the view alone, and of Java; MiB/s and rows/s, in which a row is one of the view, or an event; and
`read`, how often the executors read each byte of the logs.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from tests.benchmarks.contest import pybinlog
from tests.benchmarks.inflate import MAGIC_LENGTH, ROTATE
from tests.benchmarks.logs import MEBIBYTE, LogMissing, Logs, settle
from tests.benchmarks.report import machine
from tests.benchmarks.spark_jobs import JOBS, Job, Result
from tests.benchmarks.stopwatch import CommandFailed, measure
from tests.corpus import PROJECT

GTID = 33
SIZE = struct.Struct("<I")
NUMBER = struct.Struct("<q")
MASTERS = ("local[1]", "local[2]")
READS = (
    "import sys\n"
    "from pybinlog.views.options import ViewOptions\n"
    "from pybinlog.views.reader import ViewReader\n"
    "from pybinlog.feed.span import Span\n"
    "for name in sys.argv[2:]:\n"
    "    for batch in ViewReader(ViewOptions(view=sys.argv[1])).read(Span((name,))):\n"
    "        pass\n"
)
"""The program that reads a view of logs with the library, and drops its rows."""
TITLES = (
    "job",
    "one core",
    "two cores",
    "factor",
    "Python CPU",
    "plain CPU",
    "ratio",
    "reading",
    "Java CPU",
    "MiB/s",
    "rows/s",
    "read",
)


class Series:
    """Logs like the one given, as a server writes them one after the other: GTIDs continue, each names the next."""

    def __init__(self, log: bytes):
        self._log = log
        self._gtids: list[tuple[int, int]] = []
        at = MAGIC_LENGTH
        while at < len(log):
            size = SIZE.unpack_from(log, at + 9)[0]
            if log[at + 4] == GTID:
                self._gtids.append((at, size))
            last, at = at, at + size
        self._last = last

    def log(self, number: int) -> bytearray:
        """The log of this number, from 1."""
        log = bytearray(self._log)
        with memoryview(log) as view:
            for count, (at, size) in enumerate(self._gtids, (number - 1) * len(self._gtids) + 1):
                NUMBER.pack_into(log, at + 19 + 17, count)
                SIZE.pack_into(log, at + size - 4, zlib.crc32(view[at : at + size - 4]))
            if log[self._last + 4] == ROTATE:
                log[-10:-4] = b"%06d" % (number + 1)
                SIZE.pack_into(log, len(log) - 4, zlib.crc32(view[self._last : -4]))
        return log


def make_logs(folder: Path, count: int, mib: float) -> list[str]:
    """Write the logs of a series into a folder, and return their names. LogMissing if their source is not there."""
    logs = Logs(folder.parent, mib)
    first = logs.get("large").path
    series = Series(first.read_bytes())
    first.unlink()
    folder.mkdir()
    names = []
    for number in range(1, count + 1):
        name = folder / f"binlog.{number:06d}"
        with name.open("wb") as file:
            file.write(series.log(number))
            settle(file)
        names.append(str(name))
    return names


class Session:
    """A warm session in a process of its own. CommandFailed if a job fails."""

    def __init__(self, master: str, folder: Path):
        self._master = master
        self._errors = (folder / f"{master}.errors").open("w+")
        command = [sys.executable, "-m", "tests.benchmarks.spark_jobs", master, str(folder)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=self._errors, text=True, bufsize=1
        )

    def run(self, job: str) -> Result:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(job, file=self._process.stdin)
        if not (line := self._process.stdout.readline()):
            self._errors.seek(0)
            raise CommandFailed(f"{job} on {self._master}: {self._errors.read().strip()[-1000:]}")
        return Result(**json.loads(line))

    def stop(self) -> None:
        self._process.communicate()
        self._errors.close()


@dataclass
class Race:
    """The least of what the runs of a job took, and of the processor seconds of one thread without Spark.

    `plain` are those of the plain command, or of the export of a view of the data source; `reading` those of a program
    that reads the view with the library.
    """

    one_core: Result
    two_cores: Result
    plain: float
    reading: float


def race(job: str, names: list[str], folder: Path, runs: int, sessions: list[Session]) -> Race:
    """Run a job in both sessions and without Spark, in turn."""
    view = JOBS[job].view
    reading = [sys.executable, "-c", READS, view, *names]
    least: Race | None = None
    for _ in range(runs):
        one, two = (session.run(job) for session in sessions)
        run = Race(one, two, seconds(plain_command(JOBS[job], names, folder), folder), 0)
        if view:
            run.reading = seconds(reading, folder)
        if least is not None:
            plain, read = min(run.plain, least.plain), min(run.reading, least.reading)
            run = Race(one.least(least.one_core), two.least(least.two_cores), plain, read)
        least = run
    assert least is not None
    return least


def plain_command(job: Job, names: list[str], folder: Path) -> list[str]:
    """Return the command that does the same without Spark, by one thread."""
    words = ("export", f"--view={job.view}") if job.view else job.command
    command = [*pybinlog(), *(word for word in words if word != "--joined"), *names]
    if job.view or job.target:
        command += [f"--{job.target or 'output-dir'}={folder / 'plain'}"]
    if words[0] == "dump":
        command += ["--jobs=1"]
    return command


def seconds(command: list[str], folder: Path) -> float:
    """Return the processor seconds of a command, and remove its output."""
    found = measure(command, folder=str(PROJECT)).processor
    remove(folder / "plain")
    return found


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def rows_of(view: str, name: str) -> int:
    """The rows of one log."""
    return sum(batch.num_rows for batch in ViewReader(ViewOptions(view=view)).read(Span((name,))))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--logs", "count", default=16, show_default=True, type=click.IntRange(1), help="Number of logs.")
@click.option("--mib", default=64.0, show_default=True, help="Size of each log, in MiB.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1), help="Runs of each job; the best counts.")
@click.option("--only", multiple=True, type=click.Choice(list(JOBS)), help="Only this job.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs, for a while."
)
@click.option("--markdown", is_flag=True, help="Print a table in Markdown.")
def main(count: int, mib: float, runs: int, only: tuple[str, ...], folder: Path | None, markdown: bool) -> None:
    """Time pybinlog on Spark, on one core and on two."""
    out = Console(width=None if sys.stdout.isatty() else 200)
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE)
    for title in TITLES:
        table.add_column(title, justify="left" if title == "job" else "right")
    jobs = [name for name in JOBS if not only or name in only]
    with tempfile.TemporaryDirectory(prefix="pybinlog-bench-", dir=folder) as made:
        place = Path(made)
        try:
            names = make_logs(place / "logs", count, mib)
            rows = {view: rows_of(view, names[0]) * count for view in {JOBS[job].view or "events" for job in jobs}}
            sessions = [Session(master, place) for master in MASTERS]
            try:
                found = {name: race(name, names, place, runs, sessions) for name in jobs}
            finally:
                for session in sessions:
                    session.stop()
        except (LogMissing, CommandFailed) as problem:
            raise click.ClickException(f"{problem}.") from None
        total = sum(os.path.getsize(name) for name in names)
    for name in jobs:
        race_of, view = found[name], JOBS[name].view
        alone = race_of.one_core
        table.add_row(
            name,
            f"{alone.seconds:.2f} s",
            f"{race_of.two_cores.seconds:.2f} s",
            f"{alone.seconds / race_of.two_cores.seconds:.2f}",
            f"{alone.python:.2f} s",
            f"{race_of.plain:.2f} s",
            f"{alone.python / race_of.plain:.2f}",
            f"{race_of.reading:.2f} s" if view else "",
            f"{alone.java:.2f} s",
            f"{total / MEBIBYTE / alone.seconds:.0f}",
            f"{rows[view or 'events'] / alone.seconds:,.0f}".replace(",", " "),
            f"{alone.read / total:.2f}",
        )
    load = os.getloadavg()[0]
    out.print(f"{machine(None)}, load {load:.1f} at the end; {count} logs of {mib:g} MiB, the best of {runs}\n")
    out.print(table)


if __name__ == "__main__":
    main()
