"""ParallelDump: the batches of a log that comes without a pause, printed by several threads.

A large file flows from its start, a pipe or a compressed log once 4 MiB have come without a pause. As soon as nothing
comes for a moment, everything that is there is printed, and one thread continues, event by event. Large parts are worth
a thread each; an interactive pipe must see each event at once.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from pybinlog.dump.ordered_thread_pool import OrderedThreadPool, Part
from pybinlog.dump.selection import Selection
from pybinlog.dump.threads_worth import ThreadsWorth
from pybinlog.errors import BinlogError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.render import Renderer, RenderError
from pybinlog.kernel.text.text_state import TextState
from pybinlog.log.read_ahead import ReadAhead
from pybinlog.log.reader import Reader

FOLLOWED = 4
"""Batches that one thread prints while another reads, once a part could not be printed apart; it doubles each time."""
FOLLOWED_AT_MOST = 256
UNFOLDED_PART = 1 << 18
"""Bytes of a log that become a part where there are compressed transactions: inflated, it has several times as many."""
TEXT_AT_ONCE = 1 << 18
"""Bytes of text that the printing thread writes at once: they stay in its core's cache."""


class ParallelDump:
    """Prints a reader's batches by other threads, too, as long as it flows.

    Where `apart` allows it, the text's state is carried over each batch, and a pool of threads prints it from its entry
    state. Where the state cannot be carried over what a batch holds, one thread prints while another reads, with the
    dump's own renderer, which can go over everything.
    """

    def __init__(
        self,
        jobs: int,
        renderer: Renderer,
        render: Callable[[EventBatch], object],
        make_renderer: Callable[[], Renderer],
        explained: Callable[[RenderError, EventBatch], BinlogError],
        write: Callable[[bytes], object],
        warn_refused: Callable[[EventBatch, int], None],
        apart: bool,
        worth: ThreadsWorth,
    ):
        self._jobs = jobs
        self._renderer = renderer
        self._render = render
        self._make_renderer = make_renderer
        self._explained = explained
        self._write = write
        self._warn_refused = warn_refused
        self._apart = apart
        self._worth = worth
        self._thread: PrintingThread | None = None
        self._pool: OrderedThreadPool | None = None
        self.to_follow = 0
        self._followed = FOLLOWED // 2
        """Batches that were to be followed last."""
        self._left: deque[EventBatch | Exception] = deque()
        """Batches that were read and not printed, and the error that came after them."""
        self._state: TextState | None = None
        """After the last part that the pool took."""

    def rest(
        self,
        reader: Reader,
        first: EventBatch,
        batches: Iterator[EventBatch],
        selection: Selection,
        whole: Iterator[EventBatch] | None,
    ) -> Iterator[EventBatch]:
        """Yield the batches that do not flow, of the first one and the others; all before each of them is printed when
        it comes.

        `batches` are what the selection leaves of `whole`, which is None if others must not be read before it has.
        Raise what the reader or the printing raised, after the text before.
        """
        self._left.append(first)
        del first
        while True:
            try:
                batch = self._next(batches)
            except BaseException:
                self._catch_up()
                raise
            if batch is None:
                self._catch_up()
                return
            if reader.flows:
                self._worth.judge(batch, reader)
            if not reader.flows:
                self._catch_up()
                yield batch
                del batch  # its bytes' buffer is used again for the next one
            elif self._apart and not self.to_follow:
                self._left.appendleft(batch)
                del batch
                self._catch_up()
                self._print_apart(reader, batches, selection, whole)
            else:
                self.to_follow = max(0, self.to_follow - 1)
                self.follow(batch)
                del batch

    def close(self) -> None:
        """Let the threads end."""
        for threads in (self._thread, self._pool):
            if threads is not None:
                threads.close()

    def _next(self, batches: Iterator[EventBatch]) -> EventBatch | None:
        if not self._left:
            return next(batches, None)
        batch = self._left.popleft()
        if isinstance(batch, Exception):
            raise batch
        return batch

    # ---- by one thread while another reads

    def follow(self, batch: EventBatch) -> None:
        if self._thread is None:
            try:
                self._thread = PrintingThread(self._render)
            except RuntimeError:  # the system allows no thread: it is done here
                self._render(batch)
                return
            self._renderer.hand_on_at(TEXT_AT_ONCE)
        if not self._thread.put(batch):
            self._catch_up()

    def _catch_up(self) -> None:
        """Print all that is under way. The renderer is then ahead itself."""
        if self._thread is not None:
            self._thread.finish()

    # ---- in parts

    def _print_apart(
        self, reader: Reader, batches: Iterator[EventBatch], selection: Selection, whole: Iterator[EventBatch] | None
    ) -> None:
        left: list[EventBatch] = []
        selected: list[EventBatch] = []  # of those that were taken
        waited: dict[EventBatch, list[EventBatch]] = {}  # what came before a batch, of earlier ones

        def read_batch(ahead: ReadAhead | None) -> EventBatch | None:
            if ahead is not None:
                reader.offer(ahead)
            if not reader.flows:
                return None
            if whole is not None and not (self._left or selection.more_follows or selection.ended):
                return next(whole, None)
            batch = self._next(batches)
            if batch is not None:
                selected.append(batch)
            return batch

        def select(batch: EventBatch) -> None:
            if batch in selected:
                selected.remove(batch)
                return
            waited[batch] = selection.apply(batch)
            if selection.error is not None:
                raise selection.error

        def carry(batch: EventBatch, unfolded: EventBatch) -> Part | None:
            earlier = waited.pop(batch, [])
            self._worth.judge(batch, reader)
            part = None if left or earlier or not reader.flows else self.part(unfolded)
            if part is None:
                left.extend(each for each in (*earlier, batch) if len(each))
            elif unfolded is not batch:
                reader.part = UNFOLDED_PART
            return part

        try:
            last = self.pool().work(reader.claim, read_batch, carry, select)
        except Exception as error:
            if not self._left and not left:
                raise
            self._left.append(error)
            self._apart = False  # what is left comes before the error
            last = None
        finally:
            self._left.extendleft(reversed(left))
            if self._state is not None:
                self._renderer.resume(self._state, self._write, self._warn_refused)
                self._state = None
        if last is None or last.error is None:
            return
        self._renderer.resume(last.state, self._write, self._warn_refused)
        if isinstance(last.error, RenderError):
            raise self._explained(last.error, last.batch)
        raise last.error

    def pool(self) -> OrderedThreadPool:
        """Return the threads that print parts."""
        if self._pool is None:
            self._pool = OrderedThreadPool(self._jobs, self._make_renderer, self._write, self._warn_refused)
        return self._pool

    def part(self, batch: EventBatch) -> Part | None:
        """Return the next part; None if only the dump's own renderer can print the batch, alone."""
        entry = self._state if self._state is not None else self._renderer.state.copy()
        if entry.complete:
            after = entry.copy()
            if self._renderer.skip(batch, after):
                self._state = after
                self._followed = FOLLOWED // 2
                return Part(batch, entry)
        self.to_follow = self._followed = min(2 * self._followed, FOLLOWED_AT_MOST)
        return None


MOST_WAITING = 4
"""Batches that may be waiting or under way."""


class PrintingThread:
    """Calls `render(batch)` for each batch, until that raises.

    `put` and `finish` are called by one thread; what `render` writes and raises comes in the order of the batches.
    Raise RuntimeError if the system allows no more threads.
    """

    def __init__(self, render: Callable[[EventBatch], object]):
        self._render = render
        self._batches: SimpleQueue[EventBatch | None] = SimpleQueue()
        self._room = threading.Semaphore(MOST_WAITING)
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
        for _ in range(MOST_WAITING):
            self._room.acquire()
        self._room.release(MOST_WAITING)
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Let the thread end; what it has not begun to print is dropped."""
        self._over = True
        self._batches.put(None)
