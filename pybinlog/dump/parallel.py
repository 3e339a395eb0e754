"""Workers: parts of a dump printed on threads, each from its true entry state, and taken in order.

The compiled loops hold no GIL, so threads are enough.
"""

from __future__ import annotations

import threading
from collections import deque
from queue import SimpleQueue

from pybinlog.errors import BinlogError
from pybinlog.kernel.render import RenderError
from pybinlog.kernel.text_output import TextPiece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.kernel.batch import EventBatch
    from pybinlog.kernel.render import Renderer
    from pybinlog.kernel.text_state import TextState

__all__ = ["Part", "Workers"]

WHOLE_PART = 1 << 62
"""Bytes at which a part's text is handed on before its end: never."""


class Part:
    """One batch to be printed, and then what came of it."""

    def __init__(self, batch: EventBatch, state: TextState, stop_position: int, spare: TextPiece):
        self.batch = batch
        self.state = state
        """The entry state; once the part is done, the state behind it."""
        self.stop_position = stop_position
        self.text: list[bytes | TextPiece] = []
        self._spare = spare
        self.refused: list[int] = []
        """The events that the boundary parser refused."""
        self.goes_on = True
        self.error: RenderError | BinlogError | MemoryError | None = None
        self.done = threading.Event()

    def print(self, renderer: Renderer) -> None:
        """Print the part; nothing is raised here."""
        try:
            renderer.set_stop_position(self.stop_position)
            renderer.hand_on_at = WHOLE_PART
            renderer.resume(self.state, self.text.append, lambda batch, index: self.refused.append(index))
            self.goes_on = renderer.render(self.batch)
        except (RenderError, BinlogError, MemoryError) as error:
            self.error = error
        finally:
            self.text.append(renderer.take(self._spare))
            self.state = renderer.state()
            self.done.set()


class Workers:
    """Threads that print parts. `put` and `take` are called by one thread; parts are taken in the order they were put.

    At most two parts for each thread are under way, so memory is bounded however slowly they are taken. The memory of
    texts that are written is used again (`new_part`, `recycle`): to ask the system for it costs more than to fill it.
    """

    def __init__(self, count: int, make_renderer: Callable[[], Renderer]):
        self._queue: SimpleQueue[Part | None] = SimpleQueue()
        self._under_way: deque[Part] = deque()
        self._most = 2 * count
        self._spare: list[TextPiece] = []
        self._threads = [
            threading.Thread(target=self._work, args=(make_renderer,), name=f"part-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def _work(self, make_renderer: Callable[[], Renderer]) -> None:
        renderer = make_renderer()
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

    def new_part(self, batch: EventBatch, state: TextState, stop_position: int) -> Part:
        return Part(batch, state, stop_position, self._spare.pop() if self._spare else TextPiece())

    def recycle(self, part: Part) -> None:
        """The part's text is written."""
        self._spare += [text for text in part.text if isinstance(text, TextPiece)]
        part.text.clear()

    def put(self, part: Part) -> None:
        self._under_way.append(part)
        self._queue.put(part)

    def take(self) -> Part | None:
        """The oldest part, when it is done; None where there is none."""
        if not self._under_way:
            return None
        part = self._under_way.popleft()
        part.done.wait()
        return part

    def drop(self) -> None:
        """Forget the parts under way."""
        while self.take() is not None:
            pass

    def close(self) -> None:
        """Let the threads end."""
        self.drop()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
