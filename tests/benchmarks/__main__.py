"""The benchmarks as one command; see docs/performance.md for what the figures mean and how they were taken."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
from rich import box
from rich.console import Console

from tests.benchmarks.contest import VARIABLES, Contest, CostResult, RaceResult, reference, run_cost, run_race
from tests.benchmarks.logs import LogMissing, Logs
from tests.benchmarks.report import cost_table, machine, race_table, stand_ins
from tests.benchmarks.stopwatch import CommandFailed
from tests.benchmarks.work import COSTS, RACES, Cost, Race

NAMES = [race.name for race in RACES] + [cost.name for cost in COSTS]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mib", default=256.0, show_default=True, help="Size of the logs, in MiB.")
@click.option("--runs", default=5, show_default=True, type=click.IntRange(1), help="Runs of each command.")
@click.option("--only", multiple=True, type=click.Choice(NAMES), help="Only this row; may be given again.")
@click.option("--cores", type=click.IntRange(1), help="Run the commands on so many cores.  [default: all]")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="The folder for the logs.")
@click.option("--markdown", is_flag=True, help="Print tables in Markdown.")
def main(mib: float, runs: int, only: tuple[str, ...], cores: int | None, folder: Path | None, markdown: bool) -> None:
    """Time pybinlog beside the references: mysqlbinlog (MYSQLBINLOG, or the one on the path), for MariaDB's logs
    mariadb-binlog (MARIADB_BINLOG, or the one on the path)."""
    contest = Contest(runs, cores)
    notes: list[str] = []
    races: list[RaceResult] = []
    costs: list[CostResult] = []
    status = Console(stderr=True)
    for tool, variable in VARIABLES.items():
        if reference(tool) is None:
            notes.append(f"{tool} is neither on the path nor named by {variable}: its columns stay empty.")
    with tempfile.TemporaryDirectory(prefix="pybinlog-bench-", dir=folder) as made, status.status("") as shown:
        logs = Logs(Path(made), mib)
        order = [race.log for race in RACES]
        rows: list[Race | Cost] = [*RACES, *COSTS]
        for work in sorted(rows, key=lambda work: order.index(work.log)):
            if only and work.name not in only:
                continue
            shown.update(f"{work.name} ({work.log})")
            logs.forget(work.log)
            try:
                if isinstance(work, Race):
                    races.append(run_race(work, logs, contest))
                else:
                    costs.append(run_cost(work, logs, contest))
            except (LogMissing, CommandFailed) as problem:
                notes.append(f"{work.name}: {problem}.")
    notes += stand_ins([*races, *costs])
    out = Console(width=None if sys.stdout.isatty() else 200)
    form = box.MARKDOWN if markdown else box.SIMPLE
    how = f"logs of {mib:g} MiB, text to /dev/null, medians of {runs} runs in turn"
    out.print(f"{machine(cores)}; {how}\n", highlight=False)
    if races:
        out.print(race_table(races, form))
    if costs:
        out.print(cost_table(costs, form))
    for note in notes:
        out.print(note, highlight=False)


if __name__ == "__main__":
    main()
