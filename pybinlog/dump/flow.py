"""Flow: who prints the batches of a log that comes without a pause."""

from __future__ import annotations

from pybinlog.dump.parallel import Part, Workers
from pybinlog.dump.printing_thread import PrintingThread
from pybinlog.kernel.render import RenderError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.errors import BinlogError
    from pybinlog.kernel.batch import EventBatch
    from pybinlog.kernel.render import Renderer
    from pybinlog.kernel.text_state import TextState

__all__ = ["Flow"]

WAITS = 4
"""Batches that had to wait for the one printing thread until parts are printed by several."""
TEXT_AT_ONCE = 1 << 18
"""Bytes of text that the printing thread writes at once: they stay in its core's cache."""


class Flow:
    """Batches printed by other threads than the one that reads, in order.

    At first one thread prints, with the dump's own renderer, which can go over everything. Where that is slower than
    the reading, and `apart` allows it, the text's state is carried over each batch instead and several threads print,
    each batch from its entry state. `catch_up` comes before whatever else uses the renderer.
    """

    def __init__(
        self,
        jobs: int,
        renderer: Renderer,
        render: Callable[[EventBatch], bool],
        make_renderer: Callable[[], Renderer],
        explained: Callable[[RenderError, EventBatch], BinlogError],
        write: Callable[[bytes], object],
        warn_refused: Callable[[EventBatch, int], None],
        apart: bool,
    ):
        self._jobs = jobs
        self._renderer = renderer
        self._render = render
        self._make_renderer = make_renderer
        self._explained = explained
        self._write = write
        self._warn_refused = warn_refused
        self._apart = apart
        self._thread: PrintingThread | None = None
        self._workers: Workers | None = None
        self._in_parts = False
        self._patience = WAITS
        self._state: TextState | None = None
        """Behind the last part that was given to the workers; None while the renderer itself is ahead."""
        self.stop_position = 0

    def print(self, batch: EventBatch) -> bool:
        """Print a batch; False where one that is done by now ended the dump. Raises what printing one raised."""
        if self._apart and not self._in_parts and self._is_slow():
            if not self.catch_up():
                return False
            self._in_parts = self._has_workers()
        if not self._in_parts:
            return self._follow(batch)
        entry = self._state if self._state is not None else self._renderer.state()
        if entry.complete:
            behind = entry.copy()
            if self._renderer.pass_over(batch, behind):
                return self._put(batch, entry, behind)
        # only the renderer itself can go over this, and it may not be alone
        self._in_parts = False
        self._patience += WAITS
        if self._thread is not None:
            self._thread.waits = 0
        return self.catch_up() and self._follow(batch)

    def catch_up(self) -> bool:
        """Print all that is under way; False where the dump ends with it. The renderer is then ahead itself."""
        if self._thread is not None and not self._thread.finish():
            return False
        if self._state is None:
            return True
        assert self._workers is not None
        while self._workers.busy:
            if not self._take():
                return False
        self._renderer.resume(self._state, self._write, self._warn_refused)
        self._state = None
        return True

    def close(self) -> None:
        """Let the threads end."""
        for threads in (self._thread, self._workers):
            if threads is not None:
                threads.close()

    # ---- by one thread

    def _follow(self, batch: EventBatch) -> bool:
        if self._thread is None:
            try:
                self._thread = PrintingThread(self._render)
            except RuntimeError:  # the system allows no thread: it is done here
                return self._render(batch)
            self._renderer.hand_on_at = TEXT_AT_ONCE
        return self._thread.put(batch) or self._thread.finish()

    def _is_slow(self) -> bool:
        return self._thread is not None and self._thread.waits > self._patience

    # ---- in parts

    def _has_workers(self) -> bool:
        if self._workers is None:
            try:
                self._workers = Workers(self._jobs, self._make_renderer)
            except RuntimeError:
                self._apart = False
        return self._apart

    def _put(self, batch: EventBatch, entry: TextState, behind: TextState) -> bool:
        assert self._workers is not None
        if self._workers.full and not self._take():
            return False
        self._workers.put(Part(batch, entry, self.stop_position))
        self._state = behind
        return True

    def _take(self) -> bool:
        """Write the text of the oldest part; False where the dump ends with it."""
        assert self._workers is not None
        part = self._workers.take()
        if part is None:
            return True
        for piece in part.pieces():
            self._write(piece)
            self._workers.recycle(piece)
        for index in part.refused:
            self._warn_refused(part.batch, index)
        if part.error is None and part.goes_on:
            return True
        self._workers.drop()
        self._state = None
        self._renderer.resume(part.state, self._write, self._warn_refused)
        if isinstance(part.error, RenderError):
            raise self._explained(part.error, part.batch)
        if part.error is not None:
            raise part.error
        return False
