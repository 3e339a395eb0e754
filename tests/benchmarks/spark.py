"""What Spark adds and what it costs: many logs by one process, and on Spark with one core and with two.

    python -m tests.benchmarks.spark [--logs 16] [--mib 64] [--only check ...]

Times are those of whole commands. `start-up` is the same command with a log of some kilobytes: the session that starts
and stops. The factor is what the second core brings, start-up aside.
"""

from __future__ import annotations

import shutil
import struct
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click
from rich import box
from rich.console import Console
from rich.table import Table

from tests.benchmarks.contest import pybinlog
from tests.benchmarks.inflate import MAGIC_LENGTH, ROTATE
from tests.benchmarks.logs import LogMissing, Logs, settle
from tests.benchmarks.report import machine
from tests.benchmarks.stopwatch import CommandFailed, measure

GTID = 33
SIZE = struct.Struct("<I")
NUMBER = struct.Struct("<q")
MASTERS = {"": "one process", "local[1]": "local[1]", "local[2]": "local[2]"}


@dataclass(frozen=True)
class Row:
    """One command; where `folder` is set it writes a file for each log there (on Spark only)."""

    name: str
    command: tuple[str, ...]
    options: tuple[str, ...] = ()
    folder: bool = False


ROWS = [
    Row("dump", ("dump",)),
    Row("dump -v", ("dump",), ("-v",)),
    Row("dump to files", ("dump",), folder=True),
    Row("check", ("check",), ("--fail-on=never",)),
]


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


def seconds(row: Row, master: str, names: list[str], runs: int, made: Path) -> float:
    """The median time of a command, in seconds; a first run does not count where there are several."""
    arguments = [*row.command, *row.options]
    if master:
        arguments.append(f"--spark={master}")
    if row.folder:
        target = made / "texts"
        arguments += [f"--output-dir={target}"] if master else [f"--result-file={target}.sql"]
    times = []
    for _ in range(runs + (runs > 1)):
        times.append(measure([*pybinlog(), *arguments, *names]).seconds)
        shutil.rmtree(made / "texts", ignore_errors=True)
        (made / "texts.sql").unlink(missing_ok=True)
    return median(times[runs > 1 :])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--logs", "count", default=16, show_default=True, type=click.IntRange(1), help="Number of logs.")
@click.option("--mib", default=64.0, show_default=True, help="Size of each log, in MiB.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1), help="Runs of each command that count.")
@click.option("--only", multiple=True, type=click.Choice([row.name for row in ROWS]), help="Only this row.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Where the logs are made for a while.")
@click.option("--markdown", is_flag=True, help="Print a table in Markdown.")
def main(count: int, mib: float, runs: int, only: tuple[str, ...], folder: Path | None, markdown: bool) -> None:
    """Time pybinlog on Spark beside itself."""
    out = Console(width=None if sys.stdout.isatty() else 200)
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE)
    for title in ("row", *MASTERS.values(), "start-up", "MiB/s on two cores", "factor"):
        table.add_column(title, justify="left" if title == "row" else "right")
    with (
        tempfile.TemporaryDirectory(prefix="pybinlog-bench-", dir=folder) as made,
        Console(stderr=True).status("") as on,
    ):
        logs = Logs(Path(made), mib)
        try:
            first = logs.get("large").path
            small = logs.get("small").path
        except LogMissing as problem:
            raise click.ClickException(f"{problem}.") from None
        series = Series(first.read_bytes())
        first.unlink()
        names = []
        for number in range(1, count + 1):
            name = Path(made) / f"binlog.{number:06d}"
            with name.open("wb") as file:
                file.write(series.log(number))
                settle(file)
            names.append(str(name))
        for row in ROWS:
            if only and row.name not in only:
                continue
            on.update(row.name)
            try:
                times = {master: seconds(row, master, names, runs, Path(made)) for master in MASTERS}
                start = seconds(row, "local[2]", [str(small)], runs, Path(made))
            except CommandFailed as problem:
                out.print(f"{row.name}: {problem}.", highlight=False)
                continue
            work = times["local[2]"] - start
            table.add_row(
                row.name,
                *(f"{taken:.1f} s" for taken in times.values()),
                f"{start:.1f} s",
                f"{count * mib / work:.0f}",
                f"{(times['local[1]'] - start) / work:.2f}",
            )
    out.print(f"{machine(None)}; {count} logs of {mib:g} MiB; text to /dev/null, or to files where the row says so\n")
    out.print(table)


if __name__ == "__main__":
    main()
