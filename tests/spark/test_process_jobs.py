"""Processes that check logs end with the one that began them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from pybinlog.spark.process_jobs import ProcessJobs
from tests.corpus import PROJECT
from tests.server import is_running

LONG = 600


def sleeping(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def gone(processes: list[int]) -> bool:
    """Whether they end before this test would be given up."""
    end = time.monotonic() + 30
    while any(map(is_running, processes)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_an_interrupt_ends_what_is_under_way() -> None:
    with pytest.raises(KeyboardInterrupt), ProcessJobs(2) as jobs:
        found = jobs.in_order(sleeping, [0, 0, LONG, LONG, LONG])
        begun = {next(found)[1]}
        children = [child.pid for child in multiprocessing.active_children() if child.pid is not None]
        raise KeyboardInterrupt
    assert begun <= set(children)
    assert gone(children)


def test_a_killed_parent_takes_its_processes_along() -> None:
    code = (
        "import multiprocessing, sys\n"
        "from pybinlog.spark.process_jobs import ProcessJobs\n"
        "from tests.spark.test_process_jobs import sleeping\n"
        "if __name__ == '__main__':\n"
        "    with ProcessJobs(2) as jobs:\n"
        f"        for item, _ in jobs.in_order(sleeping, [0, 0] + [{LONG}] * 4):\n"
        "            if item == 0:\n"
        "                print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=PROJECT) as parent:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    assert children
    assert gone(children)
