"""Processes that check logs end with the one that began them, however it ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from pybinlog.jobs.process_jobs import ProcessJobs
from tests.corpus import PROJECT
from tests.server import is_running

LONG = 600


def sleeping(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def printing(text: str) -> str:
    print(text, flush=True)
    return text


def children_of(parent: int) -> list[int]:
    """Return the processes that this one has started."""
    fields = {path: path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")}
    return [int(path.parent.name) for path, (_, its_parent, *_) in fields.items() if int(its_parent) == parent]


def gone(processes: list[int]) -> bool:
    """Return True if they end before this test gives up."""
    end = time.monotonic() + 30
    while any(map(is_running, processes)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_an_interrupt_ends_what_is_under_way() -> None:
    others = set(children_of(os.getpid()))  # Spark's, if a test before this one has started it
    with pytest.raises(KeyboardInterrupt), closing(ProcessJobs(2)) as jobs:
        found = jobs.in_order(sleeping, [0, 0, LONG, LONG, LONG])
        begun = {next(found)}
        children = [child for child in children_of(os.getpid()) if child not in others]
        raise KeyboardInterrupt
    assert begun <= set(children)
    assert gone(children)


def test_a_killed_parent_takes_its_processes_along() -> None:
    code = (
        "import os\n"
        "from contextlib import closing\n"
        "from pybinlog.jobs.process_jobs import ProcessJobs\n"
        "from tests.jobs.test_process_jobs import children_of, sleeping\n"
        "if True:\n"
        "    with closing(ProcessJobs(2)) as jobs:\n"
        f"        for _ in jobs.in_order(sleeping, [0, 0] + [{LONG}] * 4):\n"
        "            print(*children_of(os.getpid()), flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=PROJECT) as parent:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        parent.send_signal(signal.SIGKILL)
    assert children
    assert gone(children)


def test_a_process_that_is_killed_is_an_error_and_not_a_wait() -> None:
    with pytest.raises(ChildProcessError, match="status -9"), closing(ProcessJobs(1)) as jobs:
        for number, process in enumerate(jobs.in_order(sleeping, [0, 2, 0])):
            if number == 0:
                os.kill(process, signal.SIGKILL)


def test_what_a_function_raises_is_raised_and_the_processes_go_on() -> None:
    with closing(ProcessJobs(2)) as jobs:
        with pytest.raises(ValueError, match="negative"):
            jobs.one(sleeping, -1)
        assert jobs.one(sleeping, 0)


def test_what_a_function_prints_does_not_meet_its_answers(capfd: pytest.CaptureFixture[str]) -> None:
    with closing(ProcessJobs(1)) as jobs:
        assert list(jobs.in_order(printing, ["a", "b"])) == ["a", "b"]
    assert capfd.readouterr() == ("", "a\nb\n")


def test_no_process_is_started_once_they_are_ended() -> None:
    jobs = ProcessJobs(3)
    assert jobs.cores == 3
    jobs.close()
    with pytest.raises(ChildProcessError, match=r"^the processes that read logs have ended$"):
        jobs.one(sleeping, 0)


def test_idle_processes_are_used_again() -> None:
    with closing(ProcessJobs(4)) as jobs:
        assert len({jobs.one(sleeping, 0) for _ in range(4)}) == 1
