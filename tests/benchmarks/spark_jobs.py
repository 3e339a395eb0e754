"""The jobs of `python -m tests.benchmarks.spark` in one warm session, in a process of their own.

    python -m tests.benchmarks.spark_jobs MASTER FOLDER

FOLDER holds the logs in `logs`, and gets what the jobs write. For each line of standard input, which names a job, it
runs that once, and writes what it took to standard output: a line of JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any, NamedTuple

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Job:
    """A command, or a view that the data source reads to the sink `noop`."""

    command: tuple[str, ...] = ()
    view: str = ""
    target: str = ""
    """The option for what a command without Spark writes to; on Spark it is `--output-dir`."""


JOBS = {
    "check": Job(("check", "--fail-on=never")),
    "dump --output-dir": Job(("dump",), target="result-file"),
    "dump --output-dir --joined": Job(("dump", "--joined"), target="result-file"),
    "export events": Job(("export", "--view=events"), target="output-dir"),
    "export rows": Job(("export", "--view=rows"), target="output-dir"),
    "source events": Job(view="events"),
    "source rows": Job(view="rows"),
    "source transactions": Job(view="transactions"),
}


class Spent(NamedTuple):
    """The cost of a process: seconds of processors, and bytes that Spark's Python processes have read."""

    python: float = 0
    java: float = 0
    read: int = 0


def spent() -> dict[int, Spent]:
    """Return the cost so far of this process and of all that it has started, by their numbers."""
    stats: dict[int, tuple[int, str, float]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                head, _, rest = (entry / "stat").read_text().rpartition(")")
            except OSError:
                continue
            fields = rest.split()
            stats[int(entry.name)] = int(fields[1]), head.partition("(")[2], sum(map(int, fields[11:13])) / TICK
    costs = {}
    for pid, (_, name, seconds) in stats.items():
        above = pid
        while above != os.getpid() and above in stats:
            above = stats[above][0]
        if above == os.getpid():
            read = read_by(pid) if name != "java" and pid != os.getpid() else 0
            costs[pid] = Spent(0, seconds, 0) if name == "java" else Spent(seconds, 0, read)
    return costs


def since(before: dict[int, Spent]) -> Spent:
    """Return the cost of what runs now since `before`. Spark ends a Python process that is idle for a minute."""
    costs = [
        [new - old for new, old in zip(now, before.get(pid, Spent()), strict=True)] for pid, now in spent().items()
    ]
    return Spent(*map(sum, zip(*costs, strict=True)))


def read_by(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/io").read_text().split()[1])
    except OSError:
        return 0


@dataclass
class Result:
    """A run of a job."""

    seconds: float
    python: float
    java: float
    read: int

    def least(self, other: Result) -> Result:
        """Return the lesser of each figure."""
        return Result(*map(min, astuple(self), astuple(other)))


def session(master: str) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    import pybinlog.spark

    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    found = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    pybinlog.spark.register(found)
    return found


def call_of(job: Job, spark: Any, folder: Path, logs: Path) -> Callable[[], None]:
    if job.view:
        frame = spark.read.format("binlog").options(view=job.view, columnNames="logged").load(str(logs))
        return lambda: frame.write.format("noop").mode("overwrite").save()
    from pybinlog.cli.environment import Environment
    from pybinlog.cli.main import run

    arguments = [*job.command, "--spark", *([f"--output-dir={folder / 'out'}"] if job.target else []), str(logs)]

    def command() -> None:
        with open(os.devnull, "wb") as out:
            status = run(arguments, Environment(stdin=None, stdout=out, stderr=sys.stderr))
        if status:
            raise SystemExit(f"{' '.join(arguments)} ended with {int(status)}")

    return command


def main(master: str, folder: Path) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever Java and Spark print
    spark = session(master)
    warm: set[str] = set()
    for line in sys.stdin:
        job = JOBS[line.strip()]
        if line not in warm:
            shutil.rmtree(folder / "out", ignore_errors=True)
            call_of(job, spark, folder, next((folder / "logs").iterdir()))()  # Java compiles, Python imports
            warm.add(line)
        shutil.rmtree(folder / "out", ignore_errors=True)
        call = call_of(job, spark, folder, folder / "logs")
        before, begun = spent(), time.perf_counter()
        call()
        result = Result(time.perf_counter() - begun, *since(before))
        shutil.rmtree(folder / "out", ignore_errors=True)
        print(json.dumps(asdict(result)), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
