"""Memory: the most that each command holds, for a large log and for logs that are made to fill memory.

python -m tests.benchmarks.memory [--mib 1024]

The table of docs/reliability.md. It needs room on the disk for some five times the large log (--folder).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from tests.benchmarks.inflate import inflate
from tests.benchmarks.logs import source
from tests.benchmarks.stopwatch import measure
from tests.corpus import PROJECT, TESTDATA
from tests.faults.bombs import row
from tests.faults.file_bombs import write_bombs

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


def logs(folder: Path, mebibytes: int, only: str) -> dict[str, tuple[Path, int]]:
    """Each log whose name has `only`, and the MiB of its largest event."""
    made: dict[str, tuple[Path, int]] = {}
    name = f"a log of {mebibytes} MiB"
    if only in name:
        made[name] = folder / "large.000001", 0
        with made[name][0].open("wb") as out:
            inflate(source("large")[1], out, mebibytes * MIB)
    value = folder / "value.000001"
    value.write_bytes(row(bytes(range(256)) * (64 * MIB // 256), compressed=False))
    made["a value of 64 MiB"] = value, 64
    for size in (40, 64, 71):
        made[f"{size} MiB in a payload"] = TESTDATA / "bombs" / f"bomb{size}.bin", size
    for form, path in write_bombs(folder).items():
        made["2 GB of zeros, zst" if form == "zeros" else f"a header of 1 GiB, {form}"] = path, 0
    return {name: log for name, log in made.items() if only in name}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=1024, show_default=True, help="Size of the large log, in MiB.")
@click.option("--only", default="", help="Only logs whose name has this.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs.")
def main(mib: int, only: str, folder: Path | None) -> None:
    """Print the table, in MiB; status 1 if a figure is above the bound."""
    above = 0
    with tempfile.TemporaryDirectory(prefix="pybinlog-memory-", dir=folder) as made:
        found = logs(Path(made), mib, only)
        print("| | bound |", " | ".join(COMMANDS), "|")
        print("|---|---:|" + "---:|" * len(COMMANDS))
        for name, (path, event) in found.items():
            bound = PER_EVENT * event + BOUND
            cells = []
            for options in COMMANDS.values():
                command = [option.format(folder=made) for option in options]
                program = [sys.executable, "-m", "pybinlog", *command, str(path)]
                peak = measure(program, folder=str(PROJECT), may_fail=True).mebibytes
                above += peak > bound + (ROW_GROUP if "--format=parquet" in command else 0)
                cells.append(f"{peak:.0f}")
            print(f"| {name} | {bound} |", " | ".join(cells), "|", flush=True)
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
