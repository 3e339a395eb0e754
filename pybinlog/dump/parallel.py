"""Workers: parts of a dump printed on threads, each from its true entry state, and taken in order.

The compiled loops hold no GIL, so threads are enough.
"""

from __future__ import annotations

import threading
from collections import deque
from queue import SimpleQueue

from pybinlog.kernel.text_output import TextPiece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pybinlog.kernel.batch import EventBatch
    from pybinlog.kernel.render import Renderer
    from pybinlog.kernel.text_state import TextState

__all__ = ["Part", "Workers"]

PIECE = 1 << 20
"""Bytes of text that a part hands on at once."""
PIECES = 6
"""Pieces of a part that may wait to be written; its thread waits with more until its turn has come."""


WAITS = 4
"""Parts that had to be waited for until another thread is started."""


class Part:
    """One batch to be printed, and then what came of it."""

    def __init__(self, batch: EventBatch, state: TextState, stop_position: int):
        self.batch = batch
        self.state = state
        """The entry state; once all pieces are taken, the state behind the part."""
        self.stop_position = stop_position
        self.refused: list[int] = []
        """The events that the boundary parser refused."""
        self.goes_on = True
        self.error: Exception | None = None
        self.printed = False
        self._pieces: SimpleQueue[TextPiece | bytes | None] = SimpleQueue()
        self._room = threading.Semaphore(PIECES)

    def print(self, renderer: Renderer) -> None:
        """Print the part; nothing is raised here."""
        try:
            renderer.set_stop_position(self.stop_position)
            renderer.resume(self.state, self._put, lambda batch, index: self.refused.append(index))
            try:
                self.goes_on = renderer.render(self.batch)
            finally:
                renderer.hand_on()
        except Exception as error:  # whoever takes the part raises it
            self.error = error
        self.state = renderer.state()
        self.printed = True
        self._pieces.put(None)

    def _put(self, piece: TextPiece | bytes) -> None:
        self._room.acquire()
        self._pieces.put(piece)

    def pieces(self) -> Iterator[TextPiece | bytes]:
        """The text, as it is printed."""
        while (piece := self._pieces.get()) is not None:
            yield piece
            self._room.release()


class Workers:
    """Threads that print parts. `put` and `take` are called by one thread; parts are taken in the order they were put.

    There are `count` threads at most, one at first (RuntimeError where the system does not allow it). Another one is
    started when those at work are too slow for whoever takes the parts: a thread more than the cores can run costs more
    than it brings. At most two parts for each thread are under way, and little of the text of each waits, so memory is
    bounded however slowly they are taken. The memory of text that is written is used again (`recycle`): to ask the
    system for it anew costs more than to fill it.
    """

    def __init__(self, count: int, make_renderer: Callable[[], Renderer]):
        self._queue: SimpleQueue[Part | None] = SimpleQueue()
        self._under_way: deque[Part] = deque()
        self._most = 2 * count
        self._count = count
        self._make_renderer = make_renderer
        self._waits = 0
        self._spare: list[TextPiece] = []
        self._threads: list[threading.Thread] = []
        self._start_thread()

    def _start_thread(self) -> None:
        self._waits = 0
        thread = threading.Thread(target=self._work, name=f"part-{len(self._threads)}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no more
            if not self._threads:
                raise
            self._count = len(self._threads)  # fewer will do
            return
        self._threads.append(thread)

    def _work(self) -> None:
        renderer = self._make_renderer()
        renderer.hand_on_at = PIECE
        renderer.spare = self._spare
        renderer.recycles = False
        while True:
            part = self._queue.get()
            if part is None:
                return
            part.print(renderer)
            del part

    @property
    def full(self) -> bool:
        """Whether a part has to be taken before another is put."""
        return len(self._under_way) >= self._most

    @property
    def busy(self) -> bool:
        """Whether a part is to be taken."""
        return bool(self._under_way)

    def recycle(self, piece: TextPiece | bytes) -> None:
        """A piece is written."""
        if isinstance(piece, TextPiece):
            self._spare.append(piece)

    def put(self, part: Part) -> None:
        self._under_way.append(part)
        self._queue.put(part)

    def take(self) -> Part | None:
        """The oldest part, whose pieces are to be taken next; None where there is none."""
        if not self._under_way:
            return None
        if self.full and not self._under_way[0].printed:
            self._waits += 1
            if self._waits > WAITS and len(self._threads) < self._count:
                self._start_thread()
        return self._under_way.popleft()

    def drop(self) -> None:
        """Forget the parts under way."""
        while (part := self.take()) is not None:
            for piece in part.pieces():
                self.recycle(piece)

    def close(self) -> None:
        """Let the threads end when they have nothing more to do."""
        self.drop()
        for _ in self._threads:
            self._queue.put(None)
