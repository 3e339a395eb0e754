"""Memory: the most that each command holds, for a large log and for logs that are made to fill memory.

python -m tests.benchmarks.memory [--mib 1024]

The tables of docs/reliability.md, of files and of a live server (MYSQL97_ROOT). They need room on the disk for some
five times the large log (--folder).
"""

import sys
import tempfile
from pathlib import Path

import click
import pytest

from tests.benchmarks.logs import source
from tests.corpus import PROJECT, TESTDATA
from tests.faults.bombs import row
from tests.faults.file_bombs import write_bombs
from tests.inflate import inflate
from tests.replication.live import Live, live
from tests.stopwatch import measure

MIB = 1 << 20
BOUND = 128
PER_EVENT = 4
ROW_GROUP = 160
"""MiB that an export to Parquet may hold besides: a row group, and what pyarrow makes of it while it writes."""
VIEWS = ("events", "transactions", "rows")
FORMATS = ("parquet", "csv", "jsonl")
COMMANDS = {
    "`dump`": [],
    "`-vv`": ["-vv"],
    "`check`": ["check"],
    "`tag`": ["tag", "--force", "-o", "{folder}/tagged"],
    **{
        f"`export` {view} {format}": ["export", f"--view={view}", f"--format={format}", "-o", "{folder}/out"]
        for view in VIEWS
        for format in FORMATS
    },
}

ON_SERVER = {
    "`-R`": ["-R"],
    "`-R -vv`": ["-R", "-vv"],
    "`-R --raw`": ["-R", "--raw", "--force", "--result-file={folder}/"],
    "`check -R`": ["check", "-R"],
    **{
        f"`export -R` rows {form}": ["export", "-R", "--view=rows", f"--format={form}", "--force", "-o", "{folder}/out"]
        for form in FORMATS
    },
}
LARGE_EVENT = 40


def logs(folder: Path, mebibytes: int, only: str) -> dict[str, tuple[list[str], int]]:
    """Each log whose name has `only`, and the MiB of its largest event."""
    made: dict[str, tuple[Path, int]] = {}
    name = f"a log of {mebibytes} MiB"
    if only in name:
        made[name] = folder / "large.000001", 0
        with made[name][0].open("wb") as out:
            inflate(source("large"), out, mebibytes * MIB)
    value = folder / "value.000001"
    value.write_bytes(row(bytes(range(256)) * (64 * MIB // 256), compressed=False))
    made["a value of 64 MiB"] = value, 64
    for size in (40, 64, 71):
        made[f"{size} MiB in a payload"] = TESTDATA / "bombs" / f"bomb{size}.bin", size
    for form, path in write_bombs(folder).items():
        made["2 GB of zeros, zst" if form == "zeros" else f"a header of 1 GiB, {form}"] = path, 0
    return {name: ([str(path)], event) for name, (path, event) in made.items() if only in name}


def table(logs: dict[str, tuple[list[str], int]], commands: dict[str, list[str]], folder: str) -> int:
    """Print the peak of each command for each log, and return how many are above the bound."""
    above = 0
    print("| | bound |", " | ".join(commands), "|\n|---|---:|" + "---:|" * len(commands))
    for name, (words, event) in logs.items():
        bound = PER_EVENT * event + BOUND
        cells = []
        for options in commands.values():
            command = [option.format(folder=folder) for option in options]
            program = [sys.executable, "-m", "pybinlog", *command, *words]
            peak = measure(program, folder=str(PROJECT), may_fail=True).mebibytes
            above += peak > bound + (ROW_GROUP if "--format=parquet" in command else 0)
            cells.append(f"{peak:.0f}")
        print(f"| {name} | {bound} |", " | ".join(cells), "|", flush=True)
    return above


def on_server(server: Live, mebibytes: int) -> dict[str, tuple[list[str], int]]:
    """Return the words for a large log of a server and for one with a large event, read over TLS."""
    words = ["--no-defaults", "-h127.0.0.1", f"--port={server.port}", "-uroot", "--ssl-mode=REQUIRED"]
    large, value = server.server.next_log(), server.server.next_log()
    with (server.server.folder() / large).open("r+b") as out:  # the server's own file, which it has closed
        inflate(source("large"), out, mebibytes * MIB)
    server.server.sql(
        "CREATE DATABASE bench; CREATE TABLE bench.large (data LONGBLOB);"
        f"INSERT INTO bench.large VALUES (REPEAT('x', {LARGE_EVENT} << 20)); FLUSH BINARY LOGS"
    )
    named = {f"a log of {mebibytes} MiB": (large, 0), f"an event of {LARGE_EVENT} MiB": (value, LARGE_EVENT)}
    return {name: ([*words, log], event) for name, (log, event) in named.items()}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=1024, show_default=True, help="Size of the large log, in MiB.")
@click.option("--only", default="", help="Only logs whose name has this.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs.")
def main(mib: int, only: str, folder: Path | None) -> None:
    """Print the tables, in MiB; status 1 if a figure is above the bound."""
    with tempfile.TemporaryDirectory(prefix="pybinlog-memory-", dir=folder) as made:
        above = table(logs(Path(made), mib, only), COMMANDS, made)
        try:
            with live("mysql", Path(made), "--max-allowed-packet=128M") as server:
                above += table(on_server(server, mib), ON_SERVER, made)
        except pytest.skip.Exception as reason:
            print(f"no live server: {reason}")
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
