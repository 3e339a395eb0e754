"""ReadAhead: a log read and scanned by a thread of its own, while what it gave out before is printed."""

from __future__ import annotations

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from pybinlog.kernel.batch import EventBatch
    from pybinlog.reader import Reader

__all__ = ["ReadAhead"]

MOST = 3
"""Batches that may wait."""


class ReadAhead:
    """Iterates once, as `steps` does. For sources whose reads never wait for long: an iterator that is closed waits for
    the read under way. What the reader raises is raised behind the batches before it.
    """

    def __init__(self, reader: Reader):
        self._reader = reader
        self._read: SimpleQueue[tuple[EventBatch, bool, int] | None] = SimpleQueue()
        self._room = threading.Semaphore(MOST)
        self._ended = False
        self._error: Exception | None = None

    def _work(self) -> None:
        try:
            for step in steps(self._reader):
                self._room.acquire()
                if self._ended:
                    return
                self._read.put(step)
                del step
        except Exception as error:  # whoever iterates raises it
            self._error = error
        self._read.put(None)

    def batches(self) -> Generator[tuple[EventBatch, bool, int], None, None]:
        thread = threading.Thread(target=self._work, name="reader", daemon=True)
        thread.start()
        try:
            while (step := self._read.get()) is not None:
                self._room.release()
                yield step
                del step
        finally:
            self._ended = True
            self._room.release()
            thread.join()
        if self._error is not None:
            raise self._error


def steps(reader: Reader) -> Generator[tuple[EventBatch, bool, int], None, None]:
    """(batch, whether the log flows, the source's position behind it), from the thread that asks."""
    for batch in reader:
        yield batch, reader.flows, reader.source.position
        del batch
