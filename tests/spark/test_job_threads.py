from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from pybinlog.spark.job_threads import JobThreads
from tests.corpus import PROJECT


def test_results_and_errors_come_from_the_threads_that_made_them() -> None:
    threads = JobThreads(3)
    assert threads.submit(lambda: 6 * 7).result(30) == 42
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(30)
    assert threads.submit(threading.current_thread).result(30).daemon
    threads.close()


def test_an_idle_thread_is_used_again_and_there_are_no_more_than_asked_for() -> None:
    threads = JobThreads(2)
    go = threading.Event()
    names = [threads.submit(lambda: (go.wait(30), threading.current_thread().name)[1]) for _ in range(6)]
    go.set()
    assert len({name.result(30) for name in names}) <= 2
    threads.close()


def test_what_has_not_begun_is_cancelled() -> None:
    threads = JobThreads(1)
    begun, go = threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return go.wait(30)

    first = threads.submit(wait)
    assert begun.wait(30)
    second, third = threads.submit(lambda: 2), threads.submit(lambda: 3)
    assert second.cancel()
    threads.close()
    go.set()
    assert first.result(30)
    for future in (second, third):
        with pytest.raises(CancelledError):
            future.result(30)


def test_a_process_ends_though_a_call_never_does() -> None:
    code = (
        "import threading\n"
        "from pybinlog.spark.job_threads import JobThreads\n"
        "begun = threading.Event()\n"
        "JobThreads(1).submit(lambda: (begun.set(), threading.Event().wait()))\n"
        "assert begun.wait(30)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
