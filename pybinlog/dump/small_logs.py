"""SmallLogPrinter: the small logs of a dump, printed in one compiled loop while a thread reads the next ones."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from pybinlog.errors import OutOfMemory
from pybinlog.kernel.base.buffer import BufferPool, SmallFiles
from pybinlog.kernel.text.small_logs import SmallLogs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.scan.scan import Scanner
    from pybinlog.kernel.text.render import Renderer
    from pybinlog.log.gap_watch import GapWatch

MOST_WAITING = 2
"""SmallFiles that are read, or being read, and still wait for `get`."""


class SmallLogPrinter:
    """Answers what the compiled loop asks: `title(name)` is what comes before a log, `render(batch)` prints its events.

    `ahead`: a thread may read the next logs.
    """

    def __init__(
        self,
        scanner: Scanner,
        renderer: Renderer,
        gaps: GapWatch,
        title: Callable[[str], bytes],
        render: Callable[[EventBatch], None],
        *,
        ahead: bool,
    ):
        self.title = title
        self.render = render
        self._scanner = scanner
        self._gaps = gaps
        self._ahead = ahead
        self._logs = SmallLogs(scanner, renderer, self)

    def print(self, names: Sequence[str], begin: int, continues: bool) -> tuple[int, str | None]:
        """Print logs from `begin` on, but for the last of all, up to one of which more is to be said.

        `continues`: the log before ends with a Rotate that names the first. Return the first that was not printed, and
        the name in the Rotate that ends the one before it. Raise GapError if a log is missing.
        """
        logs = self._logs
        try:
            reached = logs.print(names, begin, len(names) - 1, continues)
        except MemoryError as error:
            raise OutOfMemory.of(error, names[logs.number], self._scanner.position) from None
        self._end_log()
        return reached, logs.rotates_to if reached > begin else None

    def judge(self, batch: EventBatch) -> None:
        """Raise GapError if a log is missing before this one."""
        self._end_log()
        self._gaps.judge_whole(batch)

    def _end_log(self) -> None:
        if self._logs.last is not None:
            self._gaps.end_whole(self._logs.last, self._logs.rotates_to)

    def read_ahead(self, names: Sequence[str], begin: int, end: int) -> FilesAhead | None:
        """Let a thread read logs; None if that may not be."""
        try:
            return FilesAhead(names, begin, end) if self._ahead else None
        except RuntimeError:  # the system allows no thread
            return None


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
