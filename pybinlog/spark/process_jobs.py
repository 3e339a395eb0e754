"""ProcessJobs: the tasks that others give to Spark, on processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from typing import Any

__all__ = ["ProcessJobs"]

AHEAD = 2
"""Results that may wait beyond one for each process."""


class ProcessJobs:
    """In the place of `pybinlog.spark.jobs.Jobs`, on `count` processes. A context manager: they end with it."""

    def __init__(self, count: int):
        self.cores = count
        # Of a process that has threads no copy can be made safely, and a spawned one is the same on every system.
        context = get_context("spawn")
        theirs, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(count, mp_context=context, initializer=hold_on_to, initargs=(theirs,))

    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        """The result of one item."""
        return self._pool.submit(function, item).result()

    def in_order(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each item with its result, in the items' order."""
        waiting: deque[tuple[Any, Future[Any]]] = deque()
        for item in items:
            waiting.append((item, self._pool.submit(function, item)))
            if len(waiting) > self.cores + AHEAD:
                first, future = waiting.popleft()
                yield first, future.result()
        for item, future in waiting:
            yield item, future.result()

    def close(self) -> None:
        """End the processes when they have done what they began; what they have not begun is dropped."""
        self._pool.shutdown(cancel_futures=True)
        self._lifeline.close()

    def __enter__(self) -> ProcessJobs:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._lifeline.close()  # nobody wants what they are doing
        self.close()


def hold_on_to(lifeline: Connection) -> None:
    """Let this process end as soon as the one that has the other end of the line lets it go, or ends itself.

    Ctrl-C goes to all processes of a terminal: the other one decides what it means.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
