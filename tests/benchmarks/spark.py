"""Spark's jobs over many logs: without Spark (0 cores), on one core and on two, in warm sessions.

    python -m tests.benchmarks.spark --cores=0 -o plain.json
    python -m tests.benchmarks.spark --cores=1 -o one.json
    python -m tests.benchmarks.spark --cores=2 -o two.json
    python -m pyperf compare_to plain.json one.json two.json --table

Each job has a session of its own, in a process of pyperf's. A first run, which is not timed, warms it.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pyperf

from tests.benchmarks.logs import Logs, program
from tests.spark.series import Series

JOBS = {
    "check": ["check", "--fail-on=never"],
    "dump": ["dump", "--output-dir={out}"],
    "dump, joined": ["dump", "--output-dir={out}", "--joined"],
    "export events": ["export", "--view=events", "--output-dir={out}"],
    "export rows": ["export", "--view=rows", "--output-dir={out}"],
    "source events": ["events"],
    "source rows": ["rows"],
    "source transactions": ["transactions"],
}
"""A command, or a view that the data source reads to the sink `noop`."""
INHERITED = "JAVA_HOME,PYSPARK_PYTHON,SPARK_HOME,SPARK_LOCAL_IP,MYSQL97_ROOT"


@cache
def session(cores: int) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    import pybinlog.spark

    found = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    pybinlog.spark.register(found)
    return found


def read_view(view: str, cores: int, logs: str) -> None:
    frame = session(cores).read.format("binlog").options(view=view, columnNames="logged").load(logs)
    frame.write.format("noop").mode("overwrite").save()


def run_command(words: list[str], cores: int, logs: str) -> None:
    from pybinlog.cli.environment import Environment
    from pybinlog.cli.main import run

    session(cores)
    with open(os.devnull, "wb") as out:
        status = run([*words, "--spark", logs], Environment(stdin=None, stdout=out, stderr=sys.stderr))
    if status:
        raise SystemExit(f"{' '.join(words)} ended with {int(status)}")


def timed(job: Callable[[], None], out: str) -> Callable[[int], float]:
    def run(loops: int) -> float:
        seconds = 0.0
        for _ in range(loops):
            shutil.rmtree(out, ignore_errors=True)
            begun = time.perf_counter()
            job()
            seconds += time.perf_counter() - begun
        return seconds

    return run


def bench(runner: pyperf.Runner, name: str, words: list[str], cores: int, folder: str) -> None:
    """Time a job; without Spark it is the command by one thread, or the export of the view."""
    logs, out = f"{folder}/logs", f"{folder}/out"
    is_view = len(words) == 1
    if cores:
        words = [word.format(out=out) for word in words]
        job = (lambda: read_view(words[0], cores, logs)) if is_view else (lambda: run_command(words, cores, logs))
        runner.bench_time_func(name, timed(job, out))
        return
    words = ["export", f"--view={words[0]}", "--output-dir={out}"] if is_view else words
    into = " ".join(word.format(out=out) for word in words if word != "--joined")
    if words[0] == "dump":
        into = f"dump --jobs=1 --result-file={out}"
    runner.bench_command(name, ["sh", "-c", f"rm -rf {out}; {program()} {into} {logs}"])


def main() -> None:
    def hand_on(command: list[str], arguments: argparse.Namespace) -> None:
        command += [f"--cores={arguments.cores}", f"--folder={arguments.folder}"]

    runner = pyperf.Runner(
        values=3,
        processes=1,
        warmups=1,
        loops=1,
        program_args=("-m", "tests.benchmarks.spark"),
        add_cmdline_args=hand_on,
    )
    for option, kind, default in (("cores", int, 1), ("logs", int, 16), ("mib", float, 64.0), ("folder", str, "")):
        runner.argparser.add_argument(f"--{option}", type=kind, default=default)
    arguments = runner.parse_args([f"--inherit-environ={INHERITED}", *sys.argv[1:]])
    with ExitStack() as stack:
        if not arguments.worker:
            made = stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.folder or None))
            arguments.folder = made
            log = Logs(stack, arguments.mib, Path(made)).get("large")
            (Path(made) / "logs").mkdir()
            Series(Path(str(log)).read_bytes()).write(Path(made) / "logs", arguments.logs)
        for name, words in JOBS.items():
            bench(runner, name, words, arguments.cores, arguments.folder)


if __name__ == "__main__":
    main()
