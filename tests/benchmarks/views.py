"""How fast the views are made: rows a second on one core, of logs of several kinds.

    python -m tests.benchmarks.views [--mib 256] [--only events ...]

The figure is the processor time from opening the log to the last Arrow batch, all columns, in a process of its own,
without the start of Python and of pyarrow. The status is 1 if a log gives fewer than 300 000 events a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import click
from rich import box
from rich.console import Console
from rich.table import Table

from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.reader import ViewReader
from pybinlog.views.schema import VIEWS
from tests.benchmarks.logs import LogMissing, Logs
from tests.benchmarks.report import machine

KINDS = ("large", "large-rows", "statement", "compressed")
LEAST_EVENTS = 300_000
"""A second and core."""


def timed(view: str, path: str) -> tuple[int, int, float]:
    """Rows, bytes of their columns, and seconds, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.views", "--read", view, path]
    rows, size, seconds = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return rows, size, seconds


def read(view: str, path: str) -> None:
    reader = ViewReader(ViewOptions(view=view))
    begin = time.process_time()
    rows = size = 0
    for batch in reader.read(Span((path,))):
        rows += batch.num_rows
        size += batch.nbytes
    print(json.dumps((rows, size, time.process_time() - begin)))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=256.0, show_default=True, help="Size of the logs, in MiB.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(1), help="Runs of each view.")
@click.option("--only", multiple=True, type=click.Choice(list(VIEWS)), help="Only this view; may be given again.")
@click.option("--log", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this log; may be given again.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs.")
@click.option("--markdown", is_flag=True, help="Print a table in Markdown.")
@click.option("--read", "job", nargs=2, hidden=True)
def main(
    mib: float,
    runs: int,
    only: tuple[str, ...],
    kinds: tuple[str, ...],
    folder: Path | None,
    markdown: bool,
    job: tuple[str, str] | None,
) -> None:
    """Time the views of logs of several kinds."""
    if job:
        read(*job)
        return
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE)
    for title in ("log", "view", "rows", "rows/s", "MiB of log/s", "MiB of columns"):
        table.add_column(title, justify="left" if title in ("log", "view") else "right")
    out = Console(width=None if sys.stdout.isatty() else 200)
    slow = []
    with tempfile.TemporaryDirectory(prefix="pybinlog-bench-", dir=folder) as made:
        logs = Logs(Path(made), mib)
        for kind in kinds or KINDS:
            try:
                log = logs.get(kind)
            except LogMissing as problem:
                out.print(f"{kind}: {problem}.", highlight=False)
                continue
            for view in only or VIEWS:
                results = [timed(view, str(log.path)) for _ in range(runs)]
                rows, size, _ = results[0]
                seconds = median(taken for _, _, taken in results)
                length = log.path.stat().st_size
                table.add_row(
                    kind,
                    view,
                    f"{rows}",
                    f"{rows / seconds:.0f}",
                    f"{length / seconds / (1 << 20):.0f}",
                    f"{size >> 20}",
                )
                if view == "events" and rows / seconds < LEAST_EVENTS:
                    slow.append(kind)
            logs.forget("")
    out.print(f"{machine(1)}; logs of {mib:g} MiB, processor time, medians of {runs} runs\n", highlight=False)
    out.print(table)
    if slow:
        out.print(f"Fewer than {LEAST_EVENTS} events a second: {', '.join(slow)}.", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
