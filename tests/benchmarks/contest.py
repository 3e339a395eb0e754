"""Contest: the commands of one row, run in turn, and the medians of what they took."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.logs import Log, Logs, has, text_of
from tests.benchmarks.stopwatch import Measured, measure
from tests.benchmarks.work import DECODED, Cost, Race

__all__ = ["Contest", "CostResult", "RaceResult", "Runner"]


def pybinlog() -> list[str]:
    """The program under test: PYBINLOG, or the one that belongs to this interpreter."""
    if os.environ.get("PYBINLOG"):
        return shlex.split(os.environ["PYBINLOG"])
    script = Path(sys.executable).with_name("pybinlog")
    return [str(script)] if script.exists() else [sys.executable, "-m", "pybinlog"]


VARIABLES = {"mysqlbinlog": "MYSQLBINLOG", "mariadb-binlog": "MARIADB_BINLOG"}
"""Reference tool -> the variable of the environment that names it."""


def reference(tool: str = "mysqlbinlog") -> list[str] | None:
    """The command of a reference tool: its variable's, or the tool on the path; None without either."""
    command = shlex.split(os.environ.get(VARIABLES[tool], "")) or [shutil.which(tool) or ""]
    return [*command, "--no-defaults"] if command[0] else None


@dataclass(frozen=True)
class Runner:
    """One contestant: a pipeline of commands and its standard input."""

    pipeline: list[list[str]]
    stdin: str = os.devnull


@dataclass(frozen=True)
class Contest:
    """How often and on how many cores (None: all) each contestant runs."""

    runs: int
    processors: int | None = None

    def hold(self, runners: dict[str, Runner]) -> dict[str, Measured]:
        """Each contestant's median times and highest peak. They take turns; a first run of each does not count."""
        runs: dict[str, list[Measured]] = {name: [] for name in runners}
        for number in range(self.runs + 1):
            for name, runner in runners.items():
                measured = measure(*runner.pipeline, stdin=runner.stdin, processors=self.processors)
                if number:
                    runs[name].append(measured)
        return {
            name: Measured(
                median(m.seconds for m in taken), median(m.processor for m in taken), max(m.peak for m in taken)
            )
            for name, taken in runs.items()
        }


@dataclass(frozen=True)
class RaceResult:
    """The measurements of a race; `reference` is None if it is not installed, `cat` if there is no text to copy."""

    race: Race
    log: Log
    pybinlog: Measured
    reference: Measured | None
    cat: Measured | None
    text_size: int

    @property
    def ratio(self) -> float | None:
        return self.reference.seconds / self.pybinlog.seconds if self.reference else None


def run_race(race: Race, logs: Logs, contest: Contest) -> RaceResult:
    log = logs.get(race.log)
    tail = [["wc", "-c"]] if race.piped else []
    ours = [*pybinlog(), *race.options, str(log.path)]
    runners = {"pybinlog": Runner([ours, *tail])}
    theirs = race.options if race.reference_options is None else race.reference_options
    if tool := reference(race.tool):
        runners["reference"] = Runner([[*tool, *theirs, str(log.path)], *tail])
    text = logs.folder / "text"
    size = text_of(ours, text)
    if race.text:
        runners["cat"] = Runner([["cat", str(text)], *tail])
    taken = contest.hold(runners)
    text.unlink()
    return RaceResult(race, log, taken["pybinlog"], taken.get("reference"), taken.get("cat"), size)


@dataclass(frozen=True)
class CostResult:
    """The measurements of a run, and of the things beside it together; None if there is none."""

    cost: Cost
    log: Log
    pybinlog: Measured
    beside: float | None

    @property
    def value(self) -> float:
        """The number that `limit` speaks of."""
        return self.pybinlog.seconds if self.beside is None else self.pybinlog.seconds / self.beside


def run_cost(cost: Cost, logs: Logs, contest: Contest) -> CostResult:
    log = logs.get(cost.log, cost.times)
    start = [f"--start-position={log.last_transaction}"] if cost.near_end else []
    command = [*pybinlog(), *cost.options, *start]
    if cost.source == "stdin":
        ours = Runner([[*command, "-"]], stdin=str(log.path))
    else:
        paths = {"zstd": "zstd", "before": "before"}
        ours = Runner([[*command, str(getattr(log, paths.get(cost.source, "path")))]])
    taken = contest.hold({"pybinlog": ours, **{name: beside(name, cost, log, logs) for name in cost.beside}})
    added = sum(taken[name].seconds for name in cost.beside) if cost.beside else None
    return CostResult(cost, log, taken["pybinlog"], added)


def beside(name: str, cost: Cost, log: Log, logs: Logs) -> Runner:
    """Return the runner that `Cost.beside` names."""
    if name == "plain":
        return Runner([[*pybinlog(), str(log.path)]])
    if name == "rows":
        return Runner([[*pybinlog(), *DECODED, str(log.path)]])
    if name == "quarter":
        return Runner([[*pybinlog(), str(logs.get(cost.log, cost.times // 4).path)]])
    if name == "check":
        return Runner([[*pybinlog(), "check", str(log.path)]])
    if name == "click":
        return Runner([[sys.executable, "-c", "import click"]])
    if has("zstd"):
        return Runner([["zstd", "-dc", str(log.zstd)]])
    program = (
        "import sys, zstandard\n"
        "with open(sys.argv[1], 'rb') as f: zstandard.ZstdDecompressor().copy_stream(f, sys.stdout.buffer)"
    )
    return Runner([[sys.executable, "-c", program, str(log.zstd)]])
