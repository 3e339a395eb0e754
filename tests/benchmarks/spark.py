"""The cost of Spark and the gain of a second core: each job over many logs, in warm sessions of one core and of two.

    python -m tests.benchmarks.spark [--logs 16] [--mib 64] [--runs 3] [--only check ...] [--markdown]

The factor is the time on one core over that on two. Everything else is on one core: processor seconds of the driver's
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
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.span import Span
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
    "from pybinlog.views.span import Span\n"
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


def results_on(master: str, runs: int, folder: Path, jobs: list[str]) -> dict[str, Result]:
    """Run jobs in a session of their own. CommandFailed if one of them fails."""
    command = [sys.executable, "-m", "tests.benchmarks.spark_jobs", master, str(runs), str(folder), *jobs]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailed(f"{' '.join(command)}: {done.stderr.strip()[-1000:]}")
    return {(result := Result(**json.loads(line))).job: result for line in done.stdout.splitlines()}


def plain_seconds(job: Job, names: list[str], folder: Path, runs: int) -> float:
    """The processor seconds of the same without Spark, by one thread; for a view of the data source, of its export."""
    words = ("export", f"--view={job.view}") if job.view else job.command
    command = [*pybinlog(), *(word for word in words if word != "--joined"), *names]
    if job.view or job.target:
        command += [f"--{job.target or 'output-dir'}={folder / 'plain'}"]
    if words[0] == "dump":
        command += ["--jobs=1"]
    return least_seconds(command, folder, runs)


def least_seconds(command: list[str], folder: Path, runs: int) -> float:
    """The least processor seconds of some runs of a command, whose output is removed."""
    least = float("inf")
    for _ in range(runs):
        least = min(least, measure(command, folder=str(PROJECT)).processor)
        remove(folder / "plain")
    return least


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
            one, two = (results_on(master, runs, place, jobs) for master in MASTERS)
            plain = {name: plain_seconds(JOBS[name], names, place, runs) for name in jobs}
            views = {view for name in jobs if (view := JOBS[name].view)}
            reading = {view: least_seconds([sys.executable, "-c", READS, view, *names], place, runs) for view in views}
        except (LogMissing, CommandFailed) as problem:
            raise click.ClickException(f"{problem}.") from None
        total = sum(os.path.getsize(name) for name in names)
    for name in jobs:
        alone, both, beside, view = one[name], two[name], plain[name], JOBS[name].view
        table.add_row(
            name,
            f"{alone.seconds:.2f} s",
            f"{both.seconds:.2f} s",
            f"{alone.seconds / both.seconds:.2f}",
            f"{alone.python:.2f} s",
            f"{beside:.2f} s",
            f"{alone.python / beside:.2f}",
            f"{reading[view]:.2f} s" if view else "",
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
