"""Threads that wait for Spark jobs, and for which nobody waits.

A job that is submitted while Spark stops may never be answered. So the end of the process must not join the thread that
asked for it, as it does with a ThreadPoolExecutor's.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Result = TypeVar("Result")


class Task(NamedTuple):
    """A call, and its result to come."""

    future: Future[Any]
    call: Callable[[], Any]


class JobThreads:
    """Runs calls in daemon threads: an idle one where there is one, else a new one, at most `most` of them.

    A call that has not begun can be taken back by `cancel` of its future.
    """

    def __init__(self, most: int):
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._most = most
        self._count = 0
        self._lock = threading.Lock()

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        """The result to come of a call."""
        future: Future[Result] = Future()
        with self._lock:
            self._tasks.put(Task(future, call))
            if not self._idle.acquire(blocking=False) and self._count < self._most:
                self._count += 1
                threading.Thread(target=self._work, name=f"spark-job-{self._count}", daemon=True).start()
        return future

    def close(self) -> None:
        """Cancel what has not begun; each thread ends with the call that it is in."""
        with self._lock:
            while not self._tasks.empty():
                task = self._tasks.get()
                if task is not None:
                    task.future.cancel()
            for _ in range(self._count):
                self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                try:
                    result = task.call()
                except BaseException as error:
                    task.future.set_exception(error)
                else:
                    task.future.set_result(result)
            del task  # a result may be large, and the next call may be long in coming
            self._idle.release()
