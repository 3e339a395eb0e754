"""Public: every reader of this field that can be had, on the same logs, in turn; writes a page with the raw numbers.

python -m tests.benchmarks.public --mib 64 -o docs/benchmark.md          (`make bench-public`)

It needs real servers (see tests/server.py). A reader that is not there is left out, and the page names it:
PEERS_PYTHON is an interpreter that has mysql-replication, PEERS_NODE a folder whose node_modules has @vlasky/zongji,
PEERS_JARS a folder with the Java library and the compiled Rows.class.
"""

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median

import click

from tests.benchmarks.logs import MEBIBYTE, Log, Logs, Tool, program
from tests.corpus import PROJECT
from tests.stopwatch import Measured, measure

PEERS = PROJECT / "tests/benchmarks/peers"
ARGUMENTS = "{port} {name}"
SERVER = ("server",)
LOGS = {
    "large": "MySQL, small transactions",
    "bulk-wide": "MySQL, a statement of many rows of 1 KB",
    "bulk-narrow": "MySQL, a statement of many narrow rows",
    "mariadb": "MariaDB, small transactions",
    "mariadb-bulk-wide": "MariaDB, a statement of many rows of 1 KB",
    "mariadb-bulk-narrow": "MariaDB, a statement of many narrow rows",
    "server": "MySQL, small transactions, read from a server",
}
"""The logs (`logs.Logs`) and what they are."""


@dataclass
class Reader:
    """A command that reads a log: it prints the rows, or decodes and counts them."""

    name: str
    command: str
    """For a shell, with words for the log (`words_of`)."""
    logs: tuple[str, ...]
    needs: str | None = None
    """The variable without which it is not there."""
    turns: dict[str, list[Measured]] = field(default_factory=dict)

    @property
    def is_there(self) -> bool:
        return self.needs is None or bool(os.environ.get(self.needs))


def readers(logs: Logs) -> list[Reader]:
    """Return the readers: pybinlog, the servers' own programs, libraries."""
    files = tuple(name for name in LOGS if name != "server")
    mysql = tuple(name for name in files if not name.startswith("mariadb"))
    mariadb = tuple(name for name in files if name.startswith("mariadb"))
    java, python, node = (os.environ.get(name, "") for name in ("PEERS_JARS", "PEERS_PYTHON", "PEERS_NODE"))
    export = f"{program()} export --format=jsonl -o -"
    ours = [
        Reader("pybinlog -v", f"{program()} -v {{log}}", files),
        Reader("pybinlog -v --jobs=1", f"{program()} -v --jobs=1 {{log}}", files),
        Reader("pybinlog export, JSON lines", f"{export} {{log}}", files),
        Reader("pybinlog export -R, JSON lines", f"{export} -R {{log}}", SERVER),
    ]
    for server, read in (("mysql", mysql), ("mariadb", mariadb)):
        tool = logs.tools[server]
        if tool.is_there:
            ours.append(Reader(f"{version_of(tool)} -v", f"{tool} -v {{log.inner}}", read))
            if server == "mysql":
                ours.append(Reader(f"{version_of(tool)} -R -v", f"{tool} -R -v {{log.inner}}", SERVER))
    return [
        *ours,
        Reader("mysql-binlog-connector-java", f"java -cp '{java}/*:{java}' Rows {{log}}", mysql, "PEERS_JARS"),
        Reader("python-mysql-replication", f"{python} {PEERS}/replication_rows.py {ARGUMENTS}", SERVER, "PEERS_PYTHON"),
        Reader("@vlasky/zongji", f"cd {node} && node {PEERS}/zongji_rows.mjs {ARGUMENTS}", SERVER, "PEERS_NODE"),
    ]


def version_of(tool: Tool) -> str:
    """Return the tool's name and version."""
    name = tool.name.split()[0]
    told = subprocess.run(f"{tool.root}{name} --version", shell=True, capture_output=True, text=True).stdout
    found = re.search(r"\d+\.\d+\.\d+(?!.*\d+\.\d+\.\d+)", told)
    return f"{Path(name).name} {found[0] if found else ''}".strip()


def words_of(log: Log) -> dict[str, object]:
    """Return what a reader's command names: the log, and on a server its port and the log's name."""
    port = re.search(r"--port=(\d+)", log.inner)
    return {"log": log, "port": port[1] if port else "", "name": log.inner.split()[-1]}


def rows_of(log: Log) -> int:
    """Return how many rows the log changes."""
    remote = ["-R"] if "--port" in log.words else []
    command = f"{program()} summary --format=json {' '.join(remote)} {log}"
    total = json.loads(subprocess.run(command, shell=True, capture_output=True, check=True).stdout)["total"]
    return sum(total[name] for name in ("inserts", "updates", "deletes"))


def page(found: list[Reader], sizes: dict[str, tuple[int, int]]) -> str:
    """Return the page: a table of each log, and the seconds of every turn."""
    head = ["git", "-C", str(PROJECT), "rev-parse", "--short=12", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True).stdout.strip()
    text = f"""# Benchmark

`make bench-public` wrote this page on {date.today()}: commit {commit},
{machine()}.
The commands take turns, and their text is thrown away. Each figure is a whole command's, the median
of those listed. Commands print all rows; libraries decode and count them.
"""
    for name, (size, rows) in sizes.items():
        text += f"\n## {LOGS[name]}: {size / MEBIBYTE:.0f} MiB, {rows:,} rows\n\n"
        text += "| reader | seconds | processor seconds | rows per processor second | turns |\n|---|---|---|---|---|\n"
        for reader in sorted((r for r in found if name in r.turns), key=lambda r: seconds(r.turns[name])):
            turns = reader.turns[name]
            processor = median(turn.processor for turn in turns)
            raw = ", ".join(f"{turn.seconds:.3f}" for turn in turns)
            text += f"| {reader.name} | {seconds(turns):.2f} | {processor:.2f} | {rows / processor:,.0f} | {raw} |\n"
    missing = [reader.name for reader in found if not reader.is_there]
    if missing:
        text += f"\nNot measured, because it was not there: {', '.join(missing)}.\n"
    return (
        text
        + """
Not measured: the decoder of Spice.ai, and go-mysql, which my2sql and bintrail use. See
[the comparison](comparison.md#speed-beside-them).
"""
    )


def seconds(turns: list[Measured]) -> float:
    return median(turn.seconds for turn in turns)


def machine() -> str:
    """Return the processor and the interpreter."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), os.uname().machine)
    return f"{len(os.sched_getaffinity(0))} cores of {model}, CPython {sys.version.split()[0]}"


@click.command()
@click.option("--mib", default=64.0, show_default=True, help="Size of the logs of small transactions, in MiB.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1), help="Turns of each command.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("docs/benchmark.md"), show_default=True)
def main(mib: float, runs: int, output: Path) -> None:
    """Time all readers, and write the page."""
    with ExitStack() as stack:
        logs = Logs(stack, mib)
        found = readers(logs)
        sizes: dict[str, tuple[int, int]] = {}
        for name in LOGS:
            log = logs.get(name)
            sizes[name] = log.size, rows_of(log)
            for turn in range(runs + 1):
                for reader in found:
                    if reader.is_there and name in reader.logs:
                        measured = measure(["sh", "-c", reader.command.format(**words_of(log))])
                        if turn:  # the first is not counted
                            reader.turns.setdefault(name, []).append(measured)
        output.write_text(page(found, sizes), encoding="utf-8")


if __name__ == "__main__":
    main()
