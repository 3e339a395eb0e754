"""ProcessJobs: the tasks that others give to Spark, on processes of this machine."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from typing import Any

__all__ = ["ProcessJobs"]

AHEAD = 2
"""Results that may wait beyond one for each process."""


class ProcessJobs:
    """In the place of `pybinlog.spark.jobs.Jobs`, on `count` processes. A context manager: they end with it."""

    spool: str | None = None

    def __init__(self, count: int):
        self.cores = count
        # Of a process that has threads no copy can be made safely, and a spawned one is the same on every system.
        self._pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))

    def one(self, function: Callable[[Any], Any], item: Any) -> Any:
        """The result of one item."""
        return self._pool.submit(function, item).result()

    def in_order(
        self, function: Callable[[Any], Any], items: Iterable[Any], wanted: Callable[[Any], bool] = lambda item: True
    ) -> Iterator[tuple[Any, Any]]:
        """Each item with its result, in the items' order; None for those that are not `wanted`."""
        waiting: deque[tuple[Any, Future[Any] | None]] = deque()
        for item in items:
            waiting.append((item, self._pool.submit(function, item) if wanted(item) else None))
            if len(waiting) > self.cores + AHEAD:
                yield taken(waiting.popleft())
        while waiting:
            yield taken(waiting.popleft())

    def close(self) -> None:
        """End the processes; what they have not begun is dropped."""
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> ProcessJobs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def taken(waiting: tuple[Any, Future[Any] | None]) -> tuple[Any, Any]:
    item, future = waiting
    return item, None if future is None else future.result()
