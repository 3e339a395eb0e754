"""PrintingThread: batches printed by a thread of their own, one after the other, while the next ones are read."""

from __future__ import annotations

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.kernel.base.batch import EventBatch

MOST = 4
"""Batches that may be waiting or under way."""


class PrintingThread:
    """Calls `render(batch)` for each batch, until that raises.

    `put` and `finish` are called by one thread; what `render` writes and raises comes in the order of the batches.
    Raise RuntimeError if the system allows no more threads.
    """

    def __init__(self, render: Callable[[EventBatch], object]):
        self._render = render
        self._batches: SimpleQueue[EventBatch | None] = SimpleQueue()
        self._room = threading.Semaphore(MOST)
        self._over = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="printing", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (batch := self._batches.get()) is not None:
            if not self._over:
                try:
                    self._render(batch)
                except BaseException as error:  # `finish` raises it
                    self._error = error
                    self._over = True
            del batch
            self._room.release()

    def put(self, batch: EventBatch) -> bool:
        """Have a batch printed; False if an earlier one could not be, for which `finish` raises the error."""
        self._room.acquire()
        self._batches.put(batch)
        return not self._over

    def finish(self) -> None:
        """Wait until all is printed. Raise what `render` raised."""
        for _ in range(MOST):
            self._room.acquire()
        self._room.release(MOST)
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Let the thread end; what it has not begun to print is dropped."""
        self._over = True
        self._batches.put(None)
