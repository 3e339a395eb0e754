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
    """Calls `render(batch)` for each batch, until that returns False or raises.

    `put` and `finish` are called by one thread; what `render` writes and raises comes in the order of the batches.
    RuntimeError where the system allows no more threads.
    """

    def __init__(self, render: Callable[[EventBatch], bool]):
        self._render = render
        self._batches: SimpleQueue[EventBatch | None] = SimpleQueue()
        self._room = threading.Semaphore(MOST)
        self._wants_more = True
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="printing", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (batch := self._batches.get()) is not None:
            if self._wants_more:
                try:
                    self._wants_more = self._render(batch)
                except BaseException as error:  # `finish` raises it
                    self._error = error
                    self._wants_more = False
            del batch
            self._room.release()

    def put(self, batch: EventBatch) -> bool:
        """Have a batch printed; False where the text has ended; `finish` says more."""
        self._room.acquire()
        self._batches.put(batch)
        return self._wants_more

    def finish(self) -> bool:
        """Wait until all is printed; False where the text ends here. Raises what `render` raised."""
        for _ in range(MOST):
            self._room.acquire()
        self._room.release(MOST)
        if self._error is not None:
            raise self._error
        return self._wants_more

    def close(self) -> None:
        """Let the thread end; what it has not begun to print is dropped."""
        self._wants_more = False
        self._batches.put(None)
