"""LargeStatements: prints the events of a large statement again at its end, in parts; if it can, on several threads.

The header lines of all events of a statement come first, then its BINLOG text, then its rows. So its events are read
once for each: from the log, or from what is kept of it.
"""

from collections.abc import Callable, Iterator
from mmap import mmap

from pybinlog.dump.ordered_thread_pool import OrderedThreadPool, Part
from pybinlog.errors import CorruptEventError, TruncatedError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.buffer import BufferPool
from pybinlog.kernel.text.postponed import PostponedEvents
from pybinlog.kernel.text.render import Renderer, RenderError
from pybinlog.kernel.text.text_state import TextState
from pybinlog.source import Source

Place = tuple[int, int, bool]

AT_ONCE = 1 << 20
"""Bytes of events that are printed as one part, at most."""
LARGE = 96 << 20
"""Bytes of events from which on their BINLOG text is worth several threads: one prints fewer as fast."""
TEXT_AT_ONCE = 1 << 20
"""Bytes of rows' text that a part makes, by that of the first part: the text of narrow rows is many times larger."""
GRAIN = 1 << 16
"""Sizes of memory are multiples of it, so that the next part can have the last one's."""


class LargeStatements:
    def __init__(self) -> None:
        self.source: Source | None = None
        """The log, which is read again if its events are not kept."""
        self.pool: Callable[[], OrderedThreadPool] | None = None
        """Returns threads that print parts, if there are any."""
        self._memory = BufferPool()

    def print(self, renderer: Renderer, postponed: PostponedEvents, parts: range, rows: bool, apart: bool) -> None:
        """Print parts of a statement's events: their rows, or their BINLOG text. `apart`: other threads may print, too.

        Raise SourceError if the log cannot be read, CorruptEventError or TruncatedError if it changed meanwhile.
        """
        most = AT_ONCE
        if rows:
            place, parts, before = postponed.part(parts[0]), parts[1:], renderer.text_bytes
            self._print_part(renderer, postponed, place, rows)
            most = min(AT_ONCE, TEXT_AT_ONCE * (place[1] - place[0]) // (renderer.text_bytes - before + 1))
        is_large = len(parts) > 1 and (rows or postponed.part(parts[-1])[1] - postponed.part(parts[0])[0] >= LARGE)
        places = joined((postponed.part(number) for number in parts), most)
        if apart and self.pool is not None and is_large:
            self._print_apart(renderer, postponed, places, rows)
            return
        for place in places:
            self._print_part(renderer, postponed, place, rows)

    def _print_part(self, renderer: Renderer, postponed: PostponedEvents, place: Place, rows: bool) -> None:
        reading = PartReading(self, postponed, place)
        reading.read()
        print_events(renderer, reading.batch(), rows)

    def _print_apart(self, renderer: Renderer, postponed: PostponedEvents, places: Iterator[Place], rows: bool) -> None:
        state = renderer.state.copy()

        def claim() -> PartReading | None:
            place = next(places, None)
            return None if place is None else PartReading(self, postponed, place)

        def read_batch(reading: PartReading | None) -> EventBatch | None:
            return None if reading is None else reading.batch()

        def carry(batch: EventBatch, unfolded: EventBatch) -> Part:
            return PrintedAgain(batch, state, renderer, rows)

        assert self.pool is not None
        last = self.pool().work(claim, read_batch, carry)
        if last is not None and last.error is not None:
            raise last.error

    def memory(self, size: int) -> memoryview:
        size += -size % GRAIN
        return memoryview(self._memory.allocate(size, size <= 2 * AT_ONCE))


class PartReading:
    """The bytes of one part, once they are `read`."""

    def __init__(self, statements: LargeStatements, postponed: PostponedEvents, place: Place):
        self._statements = statements
        self._postponed = postponed
        self._begin, self._end, self._kept = place
        self._buffer: memoryview | mmap = memoryview(b"")

    def read(self) -> None:
        """Read the bytes; once, in any thread. Large kept events are mapped into memory instead."""
        if self._kept and self._end - self._begin > AT_ONCE:
            mapped = self._postponed.mapped(self._begin, self._end)
            if mapped is not None:
                self._buffer = mapped
                return
        self._buffer = memory = self._statements.memory(self._end - self._begin)
        at = self._begin
        with memory[: self._end - self._begin] as view:
            while at < self._end:
                count = self._read_at(at, view[at - self._begin :])
                if not count:
                    raise TruncatedError("the log became shorter while it was read", file=self._file, position=at)
                at += count

    def _read_at(self, position: int, view: memoryview) -> int:
        if self._kept:
            return self._postponed.read_kept(position, view)
        assert self._statements.source is not None
        return self._statements.source.read_at(position, view)

    @property
    def _file(self) -> str | None:
        return None if self._statements.source is None else self._statements.source.name

    def batch(self) -> EventBatch:
        """Return the events. Raise CorruptEventError if they are others than before."""
        size = self._end - self._begin
        try:
            is_mapped = not isinstance(self._buffer, memoryview)
            return self._postponed.batch(self._file, self._buffer, size, self._begin, self._kept, is_mapped)
        except ValueError as error:
            raise changed(self._file, error.args[0]) from None


class PrintedAgain(Part):
    """A part of a large statement, whose tables `origin` knows."""

    def __init__(self, batch: EventBatch, state: TextState, origin: Renderer, rows: bool):
        super().__init__(batch, state)
        self._origin = origin
        self._rows = rows

    def print(self, renderer: Renderer) -> None:
        if self._rows:
            renderer.share_tables(self._origin)
        print_events(renderer, self.batch, self._rows)


def print_events(renderer: Renderer, batch: EventBatch, rows: bool) -> None:
    try:
        with renderer.slow_path.printing(batch):
            renderer.print_again(batch, rows)
    except RenderError as error:
        raise changed(batch.file, batch.header(error.index).position) from None


def changed(file: str | None, position: int) -> CorruptEventError:
    return CorruptEventError("the log changed while it was read", file=file, position=position)


def joined(places: Iterator[Place], most: int) -> Iterator[Place]:
    """Yield places, those beside each other as one if that has at most so many bytes."""
    first = next(places, None)
    if first is None:
        return
    begin, end, kept = first
    for place in places:
        if place[0] != end or place[2] is not kept or place[1] - begin > most:
            yield begin, end, kept
            begin, _, kept = place
        end = place[1]
    yield begin, end, kept
