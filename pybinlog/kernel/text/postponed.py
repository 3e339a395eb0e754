"""PostponedEvents: the row events of a large statement, until they are printed at its end.

The reference prints the header lines of all events of a statement first, then its BINLOG text, then its rows. The text
of a large statement does not wait: its events are read once more for each of the two. So this has their places in the
log; if the log can be read only once, the events themselves, which are several times smaller than their text: in
memory, or in an unnamed file.
"""

import os
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap

import cython
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.batch import EventBatch, bytes_between
from cython.cimports.pybinlog.kernel.base.buffer import Buffer, text_buffer
from cython.cimports.pybinlog.kernel.base.facts import type_of_code
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset

PART = cython.declare(uint64_t, 1 << 17)  # bytes of events from which on another part begins
LARGE = cython.declare(cython.size_t, 1 << 22)  # bytes of an event that is kept in a file alone
WRITTEN_AT_ONCE = cython.declare(cython.size_t, 1 << 22)  # bytes of it that are written at once


@cython.cfunc
def write_text(file: object, text: p_Text):
    """Move the text to a file, not copied."""
    if text.failed:
        text.failed = False
        text.length = 0
        raise MemoryError("no memory for the text of an event")
    piece: Buffer = text_buffer(text, text.length)
    try:
        file.write(piece)
    finally:
        piece.data = cython.NULL  # the memory stays with the text
        piece.size = 0
    text.drained += text.length
    text.length = 0


@cython.final
@cython.cclass
class PostponedEvents:
    """The events of one statement after the other."""

    def __dealloc__(self):
        text_free(cython.address(self.parts))
        text_free(cython.address(self.kept))

    def clear(self):
        """Begin another statement."""
        self.parts.length = 0
        self.printed = 0
        self.kept.length = 0
        self.kept.drained = 0
        if self.kept_file is not None:
            self.kept_file.close()
            self.kept_file = None

    def add(self, e: p_const_Event, own: cython.bint) -> cython.bint:
        part: Part
        part.kept = not (own and self.rereads and e.part_headers == 0)
        part.begin = self.kept.drained + self.kept.length if part.kept else e.position
        if part.kept:
            put_memory(cython.address(self.kept), e, cython.sizeof(Event))
            if e.event_size < LARGE:
                put_memory(cython.address(self.kept), e.data, e.event_size)
            else:
                with cython.gil:
                    try:
                        self.keep_large(e)
                    except BaseException as error:
                        self.error = error
                        return False
            part.end = self.kept.drained + self.kept.length
        else:
            part.end = e.position + e.event_size
        if self.parts.length > self.printed:
            last: cython.pointer(Part) = cython.cast(cython.pointer(Part), self.parts.data + self.parts.length) - 1
            if last.kept == part.kept and last.end == part.begin and last.end - last.begin < PART:
                last.end = part.end
                return not self.kept.failed
        put_memory(cython.address(self.parts), cython.address(part), cython.sizeof(Part))
        return not self.parts.failed and not self.kept.failed

    def keep_large(self, e: p_const_Event):
        """Write the event's bytes to the file, some at a time: those that were written need not stay in memory."""
        at: cython.size_t = 0
        while at < e.event_size:
            size: cython.size_t = min(WRITTEN_AT_ONCE, e.event_size - at)
            put_memory(cython.address(self.kept), e.data + at, size)
            self.spill()
            self.slow_path.much_text()
            at += size

    def spill(self):
        """Move what is kept to a file."""
        if self.kept_file is None:
            self.kept_file = self.slow_path.unnamed_file()
        write_text(self.kept_file, cython.address(self.kept))
        self.kept_file.flush()

    def gather(self):
        """Put all that is kept in one place, before it is read."""
        if self.kept_file is not None:
            self.spill()

    def __len__(self) -> int:
        """Count the parts."""
        return self.parts.length // cython.sizeof(Part)

    def part(self, index: cython.Py_ssize_t) -> tuple[int, int, bool]:
        """Return the place of a part: its begin and end, and whether it is kept."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        part: cython.pointer(Part) = cython.cast(cython.pointer(Part), self.parts.data) + index
        return part.begin, part.end, bool(part.kept)

    def mapped(self, begin: int, end: int) -> mmap | None:
        """Return the file of kept bytes up to `end`, mapped from the page of `begin` on; None if there is no file."""
        if self.kept_file is None:
            return None
        start = begin - begin % ALLOCATIONGRANULARITY
        return mmap(self.kept_file.fileno(), end - start, access=ACCESS_READ, offset=start)

    def read_kept(self, begin: int, view: memoryview) -> int:
        """Read kept bytes from an offset on; how many. By any thread, until the statement ends."""
        if self.kept_file is not None:
            return os.preadv(self.kept_file.fileno(), [view], begin)
        end = begin + len(view)
        if end > self.kept.length:
            raise ValueError("offsets beyond what is kept")
        view[:] = cython.cast(cython.p_char, self.kept.data)[begin:end]
        return len(view)

    def batch(
        self, file: object, buffer: object, size: cython.size_t, position: int, kept: cython.bint, mapped: cython.bint
    ) -> EventBatch:
        """Return the events of a part, which a buffer has, as a batch. Raise ValueError if they are other ones."""
        batch: EventBatch = EventBatch()
        batch.file = file
        batch.owner = buffer
        batch.format = self.format
        data: octets = bytes_between(buffer, len(buffer) - size if mapped else 0, len(buffer) if mapped else size)
        at: cython.ulonglong = position
        trailer: uint32_t = self.format.checksum_length
        while size:
            e: p_Event = batch.add()
            if e == cython.NULL:
                raise MemoryError("no memory for a batch of events")
            if kept:
                memcpy(e, data, cython.sizeof(Event))
                data += cython.sizeof(Event)
                size -= cython.sizeof(Event)
            else:
                memset(e, 0, cython.sizeof(Event))
                if size < COMMON_HEADER_LENGTH:
                    raise ValueError(at)
                e.event_size = fields.event_size_of(data)
                if not COMMON_HEADER_LENGTH + trailer <= e.event_size <= size:
                    raise ValueError(at)
                e.body_end = e.event_size - trailer
                e.position = at
                e.type = type_of_code(cython.address(self.format), data[4], fields.flags_of(data))
            e.data = data
            data += e.event_size
            size -= e.event_size
            at += e.event_size
        return batch
