"""FilesAhead: small files, read by a thread of its own before it is their turn."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from pybinlog.kernel.base.buffer import BufferPool, SmallFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_WAITING = 2
"""SmallFiles that are read, or being read, and still wait for `get`."""


class FilesAhead:
    """Reads the files of these names from `begin` on, before `end`, up to one that is not small.

    Raise RuntimeError if the system allows no more threads.
    """

    def __init__(self, names: Sequence[str], begin: int, end: int):
        self._room = threading.Semaphore(MOST_WAITING)
        self._files: SimpleQueue[SmallFiles | MemoryError] = SimpleQueue()
        self._is_closed = False
        threading.Thread(target=self._read, args=(names, begin, end), name="reading", daemon=True).start()

    def _read(self, names: Sequence[str], begin: int, end: int) -> None:
        pool = BufferPool()
        is_over = False
        while not is_over:
            self._room.acquire()
            if self._is_closed:
                return
            try:
                files = SmallFiles(pool, names, begin, end)
            except MemoryError as error:
                self._files.put(error)
                return
            files.read()
            begin += files.count
            is_over = files.is_over or begin == end
            self._files.put(files)
            del files

    def get(self) -> SmallFiles:
        """Return the next files, which are none after the last ones. Raise MemoryError if they have no memory."""
        files = self._files.get()
        self._room.release()
        if isinstance(files, MemoryError):
            raise files
        return files

    def close(self) -> None:
        """Let the thread end."""
        self._is_closed = True
        self._room.release()
