"""Times of pybinlog beside those of the reference tools: `make bench`. docs/performance.md says what the figures mean.

pyperf takes each time. It would time one command after the other. So each turn is a run of pyperf of its own, which
appends to the command's file of results.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import click
import pyperf

from tests.benchmarks.logs import MEBIBYTE, USUAL, Log, LogMissing, Logs, program
from tests.benchmarks.rows import REFERENCE, ROWS, Row
from tests.corpus import PROJECT
from tests.stopwatch import CommandFailed

NAMES = [row.name for row in ROWS]
OURS, OTHER, CAT = "pybinlog", "other", "cat"
TITLES = "row|command|MiB|other|pybinlog|ratio|aim|its peak|our peak|MiB/s|over cat".split("|")


def take_turns(name: str, commands: Mapping[str, str], folder: Path, runs: int, cores: str | None) -> None:
    """Time the commands of a row, and append to their results in the folder. Raise CommandFailed if one fails.

    Before the first turn each runs once without being timed.
    """
    options = ["--processes=1", "--values=1", "--loops=1", f"--name={name}", "--warmups=0", "--quiet"]
    options += [f"--affinity={cores}"] if cores else []
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(PROJECT)}
    for command in commands.values():
        done = subprocess.run(command, shell=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode:
            raise CommandFailed(f"{command}: {done.stderr.decode(errors='replace').strip()[-1000:]}")
    for _ in range(runs):
        for contestant, command in commands.items():
            words = [*options, f"--append={folder / contestant}.json"]
            words += ["--inherit-environ=TZ,LC_ALL,PYTHONPATH", "--", "sh", "-c", command]
            turn_of = [sys.executable, "-m", "pyperf", "command", *words]
            subprocess.run(turn_of, env=environment, check=True, stdout=subprocess.DEVNULL)


def time(row: Row, log: Log, logs: Logs, folder: Path, runs: int, cores: str | None, beside: str | None) -> None:
    tool = logs.tools[row.server]
    words = {"log": log, "tool": tool, "pybinlog": program(), "python": shlex.quote(sys.executable)}
    words["options"] = row.options.format(**words)
    commands = {OURS: row.command.format(**words)}
    other = beside or row.beside
    if "{tool" not in other or tool.is_there:
        commands[OTHER] = other.format(**words)
    if row.has_text:
        text = log.folder / "text"
        subprocess.run(f"{commands[OURS]} > {text}; sync {text}", shell=True, check=True)
        commands[CAT] = f"cat {text}"
    take_turns(row.name, commands, folder, runs, cores)


def results(folder: Path, contestant: str) -> dict[str, pyperf.Benchmark]:
    """Return what is known of a contestant, by row."""
    path = folder / f"{contestant}.json"
    suite = pyperf.BenchmarkSuite.load(str(path)) if path.exists() else ()
    return {benchmark.get_name(): benchmark for benchmark in suite}


def peak(benchmark: pyperf.Benchmark) -> str:
    found = max(run.get_metadata()["command_max_rss"] for run in benchmark.get_runs())
    return f"{found / MEBIBYTE:.0f} MiB"


def line(row: Row, size: int, ours: pyperf.Benchmark, other: pyperf.Benchmark, cat: pyperf.Benchmark) -> str:
    """Return the row as a line of a table in Markdown; `size` in bytes, `other` and `cat` may be None."""
    seconds = ours.median()
    reference = "mariadb-binlog" if row.server == "mariadb" else "mysqlbinlog"
    beside = reference if row.beside == REFERENCE else row.beside.replace("|", "into")
    what = re.sub(r"{(\w+)[^}]*}", r"\1", f"{row.log} {row.options}, beside {beside}")
    return " | ".join((
        f"| {row.name}",
        what.replace("toolsh -c", "sh -c").replace("tool ", f"{reference} "),
        f"{size / MEBIBYTE:.1f}",
        f"{other.median():.3f} s" if other else "",
        f"{seconds:.3f} s",
        f"{other.median() / seconds:.2f}" if other else "",
        f"{row.least:g}" if row.least else "",
        peak(other) if other else "",
        peak(ours),
        f"{size / MEBIBYTE / seconds:.0f}",
        f"{seconds / cat.median():.1f} |" if cat else "|",
    ))  # fmt: skip


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=float(USUAL), show_default=True, help="Size of the logs, in MiB.")
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1), help="Turns of each command.")
@click.option("--only", multiple=True, metavar="ROW", type=click.Choice(NAMES), help="Only this row; repeatable.")
@click.option("--beside", help="Time this command beside pybinlog, such as 'java -cp rows.jar Rows {log}'.")
@click.option("--cores", help="Run the commands on these cores, such as 0 or 0,1.  [default: all]")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep pyperf's results there.")
def main(
    mib: float,
    runs: int,
    only: tuple[str, ...],
    beside: str | None,
    cores: str | None,
    folder: Path | None,
    keep: Path | None,
) -> None:
    """Time pybinlog beside mysqlbinlog and mariadb-binlog: those of MYSQLBINLOG and MARIADB_BINLOG, of the servers in
    MYSQL97_ROOT and MARIADB118_ROOT, or on the path.

    Compare the results of two versions with `pyperf compare_to before/pybinlog.json after/pybinlog.json --table`.
    """
    notes: list[str] = []
    sizes: dict[str, int] = {}
    with ExitStack() as stack:
        logs = Logs(stack, mib, folder)
        made = keep or logs.folder("mysql")
        made.mkdir(parents=True, exist_ok=True)
        for name in sorted({row.log for row in ROWS if not only or row.name in only}):
            try:
                log = logs.get(name)
            except LogMissing as problem:
                notes.append(f"{name}: {problem}.")
                continue
            for row in (row for row in ROWS if row.log == name and (not only or row.name in only)):
                try:
                    time(row, log, logs, made, runs, cores, beside)
                    sizes[row.name] = log.size
                except (CommandFailed, subprocess.CalledProcessError) as problem:
                    notes.append(f"{row.name}: {problem}.")
        ours, other, cat = (results(made, contestant) for contestant in (OURS, OTHER, CAT))
    notes += [f"{tool.name} is not there: its columns stay empty." for tool in logs.tools.values() if not tool.is_there]
    click.echo(
        f"{os.uname().sysname} {os.uname().release}, CPython {sys.version.split()[0]}; medians of {runs} turns\n"
    )
    click.echo(f"| {' | '.join(TITLES)} |\n|{'---|' * len(TITLES)}")
    for row in ROWS:
        if row.name in sizes:
            click.echo(line(row, sizes[row.name], ours[row.name], other.get(row.name), cat.get(row.name)))
    click.echo("\n".join(["", *notes]))


if __name__ == "__main__":
    main()
