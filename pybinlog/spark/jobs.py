"""SparkJobs: functions run on the executors, their results taken in order with few of them waiting."""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from pybinlog.jobs.job_threads import Jobs
from pybinlog.spark.session import SparkError, text_of
from pybinlog.spark.worker import a_task, local_zone, use_zone

Item = TypeVar("Item")
Result = TypeVar("Result")

WAYS_OUT = {
    "No module named 'pybinlog'": "pybinlog has to be installed on the executors, or to travel with the job: "
    "docs/spark.md shows how to pack the environment for --archives",
    "No module named 'zstandard'": "The executors need what pybinlog needs; docs/spark.md shows how to pack the "
    "environment for --archives",
    "PYTHON_VERSION_MISMATCH": "Set PYSPARK_PYTHON to a Python on the executors that is of the driver's version",
    "Python worker exited unexpectedly": "It may have run out of memory: give more of spark.executor.memoryOverhead",
    "Cannot run program": "Set PYSPARK_PYTHON to the Python of the executors",
}


class SparkJobs(Jobs):
    """Jobs on a SparkContext: each call is a Spark job with one task.

    A task that fails is tried again by Spark, elsewhere if need be. What a function raises in all its tries comes out
    as SparkError.
    """

    ahead = 2
    """Cores are at work while the next result takes long."""

    def __init__(self, context: Any):
        self._context = context
        self._seed = context.parallelize([None], 1)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if str(context.master).startswith("local"):
            self._folder = tempfile.TemporaryDirectory(prefix="pybinlog-", ignore_cleanup_errors=True)
        self._is_closed = False

    @property
    def spool(self) -> str | None:
        """A folder that tasks and driver share, until `close`; None if they may be on different machines."""
        return None if self._folder is None else self._folder.name

    @property
    def cores(self) -> int:
        return max(1, int(self._context.defaultParallelism))

    def call(self, function: Callable[[Item], Result], item: Item) -> Result:
        if self._is_closed:
            raise SparkError("the session is being stopped")
        try:
            results = self._context.runJob(self._seed, partial(run_task, function, item, local_zone()))
        except Exception as error:
            raise explained(error) from error
        return results[0]

    def close(self) -> None:
        """Give up what is under way."""
        self._is_closed = True
        with suppress(Exception):  # it may be stopped already
            self._context.cancelAllJobs()
        if self._folder is not None:
            self._folder.cleanup()


def run_task(function: Callable[[Item], Result], item: Item, zone: str, rows: Iterable[object]) -> list[Result]:
    for _ in rows:
        pass  # Spark starts a new process for the next task if a task does not read its input to the end
    use_zone(zone)
    with a_task():
        return [function(item)]


def explained(error: Exception) -> SparkError:
    """Return the sentence for a job that failed."""
    text = text_of(error)
    hint = next((way for mark, way in WAYS_OUT.items() if mark in text), None)
    if "Python worker exited unexpectedly" in text:
        return SparkError("a Python process of an executor died, again and again", hint=hint)
    lines = [line for line in map(str.strip, text.splitlines()) if line] or ["Spark said nothing"]
    # the last line of the traceback on the executor says most
    told = [line for line in lines if line.partition(":")[0].endswith(("Error", "Exception")) and "py4j" not in line]
    python = [line for line in told if not line.startswith(("org.", "java.", "at "))]
    return SparkError(f"a Spark task failed: {(python or told or lines)[-1].rstrip('.')}", hint=hint)
