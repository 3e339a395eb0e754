"""Report: the results as tables, and what they were made on."""

from __future__ import annotations

import os
import platform

from rich import box
from rich.table import Table

from tests.benchmarks.contest import CostResult, RaceResult
from tests.benchmarks.logs import MEBIBYTE, SOURCES

__all__ = ["cost_table", "machine", "race_table", "stand_ins"]

BESIDE = {
    "plain": "plain file",
    "unzstd": "zstd -dc",
    "click": "import click",
    "quarter": "a quarter of the log",
    "rows": "all rows",
    "check": "check",
}


def machine(cores: int | None) -> str:
    """For example "Intel Xeon 2.6 GHz, 2 cores, Linux 6.1, CPython 3.12.4"."""
    used = min(cores or 1 << 16, len(os.sched_getaffinity(0)))
    return (
        f"{processor()}, {used} core{'s' * (used > 1)}, {platform.system()} {platform.release().partition('-')[0]}, "
        f"{platform.python_implementation()} {platform.python_version()}"
    )


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def race_table(results: list[RaceResult], form: box.Box) -> Table:
    """pybinlog beside the reference: seconds, ratio and aim, peak memory, and the time over that of `cat`."""
    table = columns(
        "row", "log", "options", "reference", "pybinlog", "ratio", "aim", "its peak", "our peak", "log MiB/s",
        "text MiB", "over cat", form=form,
    )  # fmt: skip
    for result in results:
        race, ours, other = result.race, result.pybinlog, result.reference
        table.add_row(
            race.name,
            race.log,
            " ".join([*race.options, *["into wc -c"] * race.piped]),
            f"{other.seconds:.3f} s" if other else "",
            f"{ours.seconds:.3f} s",
            f"{result.ratio:.2f}" if result.ratio else "",
            f"{race.aim:g}" if race.aim else "",
            f"{other.mebibytes:.0f} MiB" if other else "",
            f"{ours.mebibytes:.0f} MiB",
            f"{result.log.size / MEBIBYTE / ours.seconds:.0f}",
            f"{result.text_size / MEBIBYTE:.0f}",
            f"{ours.seconds / result.cat.seconds:.1f}" if result.cat else "",
        )
    return table


def cost_table(results: list[CostResult], form: box.Box) -> Table:
    """Compare pybinlog with something simpler: seconds of both and their ratio, or only the seconds."""
    table = columns("row", "log", "pybinlog", "other", "beside", "ratio", "at most", "peak", form=form)
    for result in results:
        cost = result.cost
        table.add_row(
            cost.name,
            f"{cost.log} x {cost.times}" if cost.times > 1 else cost.log,
            f"{result.pybinlog.seconds:.3f} s",
            "" if result.beside is None else f"{result.beside:.3f} s",
            " + ".join(BESIDE[name] for name in cost.beside),
            "" if result.beside is None else f"{result.value:.2f}",
            f"{cost.limit:g}" if cost.beside else f"{cost.limit:g} s",
            f"{result.pybinlog.mebibytes:.0f} MiB",
        )
    return table


def columns(*names: str, form: box.Box) -> Table:
    """A table with these columns, numbers to the right."""
    table = Table(box=form)
    for name in names:
        words = name in ("row", "log", "options", "beside")
        table.add_column(name, justify="left" if words else "right", no_wrap=True)
    return table


def stand_ins(results: list[RaceResult | CostResult]) -> list[str]:
    """A sentence for each log that was not made from the scenario it should be made from."""
    return [
        f"{name} was made from {scenario}, for {SOURCES[name][0]} is not there: its figures are not comparable."
        for name, scenario in {
            (r.race if isinstance(r, RaceResult) else r.cost).log: r.log.scenario for r in results
        }.items()
        if scenario != SOURCES[name][0]
    ]
