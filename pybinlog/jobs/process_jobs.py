"""ProcessJobs: jobs on processes of this machine."""

import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from queue import LifoQueue
from typing import Any

from pybinlog.jobs.job_threads import Jobs

WORKER = [sys.executable, "-m", "pybinlog.jobs.process_worker"]


class ProcessJobs(Jobs):
    """Jobs on `count` processes, which end with `close`.

    Threads start the processes and wait for them. A signal's exception is raised in the main thread alone, so it never
    meets a process that is half started. A process ends when its standard input does, even if this one is killed.
    """

    def __init__(self, count: int):
        self._count = count
        self._idle: LifoQueue[subprocess.Popen[bytes] | None] = LifoQueue()
        for _ in range(count):
            self._idle.put(None)  # one that is yet to be started
        self._processes: list[subprocess.Popen[bytes]] = []
        self._starting = threading.Lock()
        self._is_closed = False

    @property
    def cores(self) -> int:
        return self._count

    def close(self) -> None:
        """End the processes; what they have begun is dropped."""
        with self._starting:
            self._is_closed = True
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def call(self, function: Callable[[Any], Any], item: Any) -> Any:
        process = self._idle.get() or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((function, item), process.stdin)
            process.stdin.flush()
            result, error = pickle.load(process.stdout)
        except (BrokenPipeError, EOFError):
            status = process.wait()
            raise ChildProcessError(f"a process that reads logs has ended with status {status}") from None
        self._idle.put(process)
        if error is not None:
            raise error
        return result

    def _start(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._is_closed:
                raise ChildProcessError("the processes that read logs have ended")
            process = subprocess.Popen(WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._processes.append(process)
        return process
