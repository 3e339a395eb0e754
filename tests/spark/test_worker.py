"""A process of an executor keeps its memory, and does not look for garbage among its modules again."""

import platform
import subprocess
import sys
from typing import Any

import pytest

from pybinlog.spark.jobs import SparkJobs

BATCHES = """
import resource
from pybinlog.spark.worker import a_task

def batches():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(40):
        columns = [b"x" * (6 << 20) for _ in range(8)]
        del columns
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

without = batches()
with a_task():
    batches()
with a_task():
    print(without, batches())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no mallopt")
def test_the_memory_of_a_batch_is_used_for_the_next_one() -> None:
    done = subprocess.run([sys.executable, "-c", BATCHES], capture_output=True, text=True, check=True)
    without, kept = map(int, done.stdout.split())
    assert kept < without / 50


def frozen(_: int) -> int:
    import gc

    return len(gc.get_objects()) - gc.get_freeze_count()


def test_after_the_first_task_spark_looks_for_garbage_among_few_objects(spark: Any) -> None:
    jobs = SparkJobs(spark.sparkContext)
    left = [jobs.one(frozen, number) for number in range(4)]
    jobs.close()
    assert min(left) < 5000
