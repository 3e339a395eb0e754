"""OrderedThreadPool: threads that take parts of a dump, print each from its true entry state, and write them in order.

A part stays with one thread from its bytes to its text, and so in the cache of one core. The compiled loops and the
system's calls hold no GIL, so threads are enough.
"""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.base.buffer import Buffer
    from pybinlog.kernel.text.render import Renderer
    from pybinlog.kernel.text.text_state import TextState

    T = TypeVar("T")

    class Reading(Protocol):
        """Bytes that any thread may read, once."""

        def read(self) -> None: ...


PIECE = 1 << 18
"""Bytes of text that a part passes on at once."""
WAITING = 24 * PIECE
"""Bytes of a part's text that may wait for its turn; its thread waits with more until the turn has come."""
LARGE = 4 << 20
"""Bytes of a part after which no other is taken before it is written: the threads must not hold a large event each."""


class Part:
    """One batch to be printed, and how that ended."""

    def __init__(self, batch: EventBatch, state: TextState):
        self.batch = batch
        self.state = state
        """The entry state; of the part that failed, the state after it."""
        self.number = 0
        self.refused: list[int] = []
        """The events that the boundary parser refused."""
        self.error: Exception | None = None
        self.waiting: list[Buffer | bytes] = []

    def print(self, renderer: Renderer) -> None:
        renderer.render(self.batch)


def large(batch: EventBatch) -> bool:
    """Return True if a batch has so many bytes that each thread must not hold one."""
    return batch.header(batch.count - 1).end - batch.header(0).position >= LARGE


class OrderedThreadPool:
    """`count` threads at most, of which the caller of `work` is one; fewer if the system does not allow them.

    `take`, `select`, `carry`, `write` and `warn_refused` are called by any of the threads, never two calls of one of
    them at the same time, and in the order of the parts. Between `select` and `carry` each thread inflates its batch's
    payloads.
    """

    def __init__(
        self,
        count: int,
        make_renderer: Callable[[], Renderer],
        write: Callable[[Buffer | bytes], object],
        warn_refused: Callable[[EventBatch, int], None],
    ):
        self._make_renderer = make_renderer
        self._write = write
        self._warn_refused = warn_refused
        self._claim: Callable[[], Reading | None] = lambda: None
        self._take: Callable[[Any], EventBatch | None] = lambda ahead: None
        self._select: Callable[[EventBatch], object] = lambda batch: None
        self._carry: Callable[[EventBatch, EventBatch], Part | None] = lambda batch, unfolded: None
        self._change = threading.Condition()
        """Guards what follows."""
        self._at_work = 0
        self._closed = False
        self._round = 0
        """Calls of `work` so far."""
        self._claimed = 0
        """Parts; the next one's number."""
        self._taken = 0
        self._selected = 0
        self._carried = 0
        self._written = 0
        self._alone = -1
        """The last large batch's number."""
        self._over = True
        """No more batches are taken."""
        self._last: Part | None = None
        """The part that failed."""
        self._dropped = False
        """Output from now on is not written."""
        self._error: Exception | None = None
        """The error that `take` or `select` raised."""
        self._ended = False
        """It was `select`: the batches after that one are dropped."""
        self._renderer: Renderer | None = None
        self._threads: list[threading.Thread] = []
        for number in range(1, count):
            thread = threading.Thread(target=self._attend, name=f"part-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # fewer will do
                break
            self._threads.append(thread)

    def work(
        self,
        claim: Callable[[], Reading | None],
        take: Callable[[Any], EventBatch | None],
        carry: Callable[[EventBatch, EventBatch], Part | None],
        select: Callable[[EventBatch], object] = lambda batch: None,
    ) -> Part | None:
        """Print and write what `take` returns, until it or `carry` returns None or a part fails.

        Each thread reads the bytes that `claim` gives it, if any, while others work. With them `take` returns a batch,
        in which `select` leaves what is to be printed; if it raises an error, that is the last batch.
        `carry(batch, unfolded)` makes a part of it, also of the batches that were taken before another one's returned
        None; `unfolded` is the batch with the events of its payloads, or the batch itself.
        Return the part that failed, else None. Raise what `take` or `select` raised, once all parts before are written.
        """
        if self._renderer is None:
            self._renderer = self._prepared()
        with self._change:
            self._claim, self._take, self._select, self._carry = claim, take, select, carry
            self._claimed = self._taken = self._selected = self._carried = self._written = 0
            self._alone = -1
            self._error = None
            self._over = self._ended = False
            self._round += 1
            self._change.notify_all()
        try:
            self._print_parts(self._renderer)
            with self._change:
                self._change.wait_for(lambda: not self._at_work)
        except BaseException:
            self._drop()
            raise
        if self._last is None and self._error is not None:
            raise self._error
        return self._last

    def close(self) -> None:
        """Let the threads end."""
        self._drop()
        with self._change:
            self._closed = True
            self._change.notify_all()

    def _drop(self) -> None:
        """Take and write nothing more."""
        with self._change:
            self._over = self._dropped = True
            self._change.notify_all()

    # ---- in each thread

    def _prepared(self) -> Renderer:
        renderer = self._make_renderer()
        renderer.hand_on_at(PIECE)
        return renderer

    def _attend(self) -> None:
        """Run a thread: it joins in whenever there is work."""
        renderer = self._prepared()
        seen = 0
        while True:
            with self._change:
                while self._round == seen and not self._closed:
                    self._change.wait()
                if self._closed:
                    return
                seen = self._round
                if self._over:
                    continue
                self._at_work += 1
            self._print_parts(renderer)
            with self._change:
                self._at_work -= 1
                self._change.notify_all()

    def _print_parts(self, renderer: Renderer) -> None:
        while (part := self._next_part(renderer)) is not None:
            self._print(part, renderer)
            del part  # its bytes' buffer is used again for the next one

    def _next_part(self, renderer: Renderer) -> Part | None:
        with self._change:
            if self._over:
                return None
            number = self._claimed
            self._claimed += 1
            ahead, error = self._attempt(self._claim)
        if ahead is not None:
            _, error = self._attempt(ahead.read)
        if number != self._taken or self._written <= self._alone:
            with self._change:
                self._change.wait_for(lambda: (number == self._taken and self._written > self._alone) or self._over)
        if self._over:
            return None
        batch = None
        if error is None:
            batch, error = self._attempt(lambda: self._take(ahead))
        with self._change:
            if batch is None:
                self._over, self._error = True, self._error if self._ended else error
            else:
                if large(batch):
                    self._alone = number
                self._taken += 1
            self._change.notify_all()
        if batch is None or not self._selects(number, batch):
            return None
        return self._carried_part(number, batch, renderer)

    def _selects(self, number: int, batch: EventBatch) -> bool:
        """Select of a batch at its turn; False if an earlier one was the last."""
        if number != self._selected:
            with self._change:
                self._change.wait_for(lambda: number == self._selected or self._ended or self._dropped)
        if self._ended or self._dropped:
            return False
        _, error = self._attempt(lambda: self._select(batch))
        with self._change:
            self._selected += 1
            if error is not None:
                self._over = self._ended = True
                self._error = error
            self._change.notify_all()
        return True

    def _carried_part(self, number: int, batch: EventBatch, renderer: Renderer) -> Part | None:
        unfolded = renderer.unfolded(batch)
        if number != self._carried:
            with self._change:
                self._change.wait_for(lambda: number == self._carried or self._dropped)
        if self._dropped:
            return None
        part = self._carry(batch, unfolded)
        with self._change:
            if part is None:
                self._over = True
            else:
                part.number = number
            self._carried += 1
            self._change.notify_all()
        return part

    @staticmethod
    def _attempt(function: Callable[[], T | None]) -> tuple[T | None, Exception | None]:
        """Return the result, or the error, which `work` raises at its turn."""
        try:
            return function(), None
        except Exception as error:
            return None, error

    def _print(self, part: Part, renderer: Renderer) -> None:
        def put(piece: Buffer | bytes) -> None:
            if part.number == self._written:
                self._write_waiting(part)
                self._put(piece)
                return
            part.waiting.append(piece)
            if sum(map(len, part.waiting)) >= WAITING:
                self._wait_for_turn(part)
                self._write_waiting(part)

        try:
            renderer.resume(part.state, put, lambda batch, index: part.refused.append(index))
            try:
                part.print(renderer)
            finally:
                renderer.hand_on()
        except Exception as error:  # the caller of `work` raises it, after the text before
            part.error = error
        try:
            self._wait_for_turn(part)
            self._write_waiting(part)
        except Exception as error:
            part.error = error
        if not self._dropped:
            for index in part.refused:
                self._warn_refused(part.batch, index)
            if part.error is not None:
                part.state = renderer.state.copy()
        with self._change:
            if not self._dropped and part.error is not None:
                self._last = part
                self._over = self._dropped = True
            self._written += 1
            self._change.notify_all()

    def _wait_for_turn(self, part: Part) -> None:
        if part.number != self._written:
            with self._change:
                self._change.wait_for(lambda: part.number == self._written or self._dropped)

    def _write_waiting(self, part: Part) -> None:
        for piece in part.waiting:
            self._put(piece)
        part.waiting.clear()

    def _put(self, piece: Buffer | bytes) -> None:
        if not self._dropped:
            self._write(piece)
