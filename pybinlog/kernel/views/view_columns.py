# distutils: extra_compile_args = -O1
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ViewColumns: batches of events in, columns in Arrow's layout out; the part that the views share."""

import cython

from cython.cimports.cpython.buffer import PyBUF_READ
from cython.cimports.cpython.memoryview import PyMemoryView_FromMemory
from cython.cimports.pybinlog.kernel.base.batch import EventBatch, bytes_of
from cython.cimports.pybinlog.kernel.base.event_kind import encrypts
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, malloc, realloc
from cython.cimports.pybinlog.kernel.base.text import Text
from cython.cimports.pybinlog.kernel.views.arrow_column import (
    STRINGS,
    ArrowColumn,
    column_failed,
    column_free,
    column_init,
    column_take,
    data_length,
)
from cython.cimports.pybinlog.kernel.views.view_events import (
    VIEW_DONE,
    VIEW_ENCRYPTED,
    VIEW_FULL,
    VIEW_NO_MEMORY,
    VIEW_TOO_LARGE,
    ViewEvents,
)
from cython.cimports.pybinlog.kernel.views.view_filter import ViewFilter


def spill_to_file(owner, text):
    """The drain of a column's strings: those of a large value go to a file. Where that cannot be, they stay."""
    with cython.gil:
        columns: ViewColumns = cython.cast(ViewColumns, owner)
        if columns.spill is None:
            return
        data = PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
        try:
            columns.spill.write(columns.index_of(text), text.drained, data)
        except OSError:
            return
    text.drained += text.length
    text.length = 0


@cython.cclass
class ViewColumns(ViewEvents):
    """Takes batch after batch and fills columns; a view is a subclass, which says what an event adds.

    `add(batch, index)` continues from an event and returns the index of the one it came to; `status` says why.
    `take()` gives the columns by name, each as (count, nulls, validity bits, values, data).
    """

    def __cinit__(self, wanted, filter: ViewFilter, *args, **kwargs):
        self.names = ()
        self.most_rows = 65536
        self.most_bytes = 8 << 20

    def __dealloc__(self):
        i: cython.size_t
        for i in range(self.column_count):
            column_free(self.columns[i])
            free(self.columns[i])
        free(self.columns)
        free(self.strings)

    def column(self, name, kind):
        """Another column of that name."""
        added: cython.pointer(ArrowColumn)
        columns: cython.pointer(cython.pointer(ArrowColumn)) = cython.cast(
            cython.pointer(cython.pointer(ArrowColumn)),
            realloc(self.columns, (self.column_count + 1) * cython.sizeof(cython.p_void)),
        )
        if columns == cython.NULL:
            raise MemoryError("no memory for a column")
        self.columns = columns
        added = cython.cast(cython.pointer(ArrowColumn), malloc(cython.sizeof(ArrowColumn)))
        if added == cython.NULL:
            raise MemoryError("no memory for a column")
        columns[self.column_count] = added
        column_init(added, kind)
        added.data.drain = spill_to_file
        added.data.owner = cython.cast(cython.p_void, self)
        self.names += (name,)
        self.column_count += 1
        return added

    def want(self, wanted) -> None:
        """Fill only the columns of these names."""
        i: cython.size_t
        free(self.strings)
        self.string_count = 0
        self.strings = cython.cast(
            cython.pointer(cython.pointer(ArrowColumn)), calloc(self.column_count + 1, cython.sizeof(cython.p_void))
        )
        if self.strings == cython.NULL:
            raise MemoryError("no memory for columns")
        for i in range(self.column_count):
            self.columns[i].wanted = self.names[i] in wanted
            if self.columns[i].wanted and self.columns[i].kind == STRINGS:
                self.strings[self.string_count] = self.columns[i]
                self.string_count += 1

    def bytes_held(self):
        i: cython.size_t
        total: cython.size_t = 0
        for i in range(self.string_count):
            total += data_length(self.strings[i])
        return total

    def index_of(self, data):
        i: cython.size_t
        for i in range(self.column_count):
            if cython.address(self.columns[i].data) == data:
                return i
        return -1

    def failed(self):
        i: cython.size_t
        for i in range(self.column_count):
            if column_failed(self.columns[i]):
                return True
        return False

    def memory_wanted(self) -> int:
        """Bytes for which a column had no memory; 0 where it was for something else."""
        i: cython.size_t
        wanted: cython.size_t = 0
        for i in range(self.column_count):
            wanted = max(wanted, self.columns[i].data.wanted, self.columns[i].values.wanted)
        return wanted

    def take(self) -> dict:
        """The columns that are wanted, by name; empty ones take their places. MemoryError where they did not fit."""
        i: cython.size_t
        taken: dict = {}
        for i in range(self.column_count):
            if self.columns[i].wanted:
                taken[self.names[i]] = column_take(self.columns[i], self.drained(i))
        self.count = 0
        return taken

    def drained(self, index: cython.size_t):
        """The strings of a column that lie in a file in part; None where they are in memory."""
        text: cython.pointer(Text) = cython.address(self.columns[index].data)
        if not text.drained:
            return None
        rest = b"" if not text.length else PyMemoryView_FromMemory(text.data, text.length, PyBUF_READ)
        return self.spill.whole(index, text.drained, rest)

    def too_large(self):
        """Whether a column holds more bytes than Arrow's offsets can count."""
        i: cython.size_t
        for i in range(self.column_count):
            if self.columns[i].too_large:
                return True
        return False

    # ---- events

    def add(self, batch: EventBatch, start: cython.Py_ssize_t, inflated=None) -> int:
        """Add the events from index `start` on; `inflated` is the content of that one, after VIEW_COMPRESSED."""
        i: cython.Py_ssize_t = start
        status: cython.int = VIEW_DONE
        text: cython.p_const_char = cython.NULL
        length: cython.size_t = 0
        # rows of one event may come out in portions: its inflated content stays until they are through
        self.inflated = inflated if inflated is not None else self.inflated
        if self.inflated is not None:
            text = cython.cast(cython.p_const_char, bytes_of(self.inflated))
            length = len(self.inflated)
        with cython.nogil:
            while i < batch.count:
                if self.count and (self.count >= self.most_rows or self.bytes_held() >= self.most_bytes):
                    status = VIEW_FULL
                    break
                status = self.event(cython.address(batch.events[i]), cython.address(batch.format), text, length)
                if status == VIEW_DONE and encrypts(cython.address(batch.events[i])):
                    status = VIEW_ENCRYPTED
                if status != VIEW_DONE:
                    break
                i += 1
                text = cython.NULL
            if self.failed():
                status = VIEW_NO_MEMORY
            elif self.too_large():
                status = VIEW_TOO_LARGE
        if self.raised is not None:
            raised = self.raised
            self.raised = None
            raise raised
        if status != VIEW_FULL or text == cython.NULL:
            self.inflated = None
        self.status = status
        return i

    def damage(self, start: cython.ulonglong, end: cython.ulonglong, sentence: bytes | None) -> None:
        """The bytes from `start` to `end` cannot be read; with a sentence about it a row says so.

        Nobody knows whether what comes after it is of the same transaction.
        """
        self.finish()
        if sentence is not None:
            self.put_damage(start, end, sentence, len(sentence))

    def put_damage(self, start, end, text, length):
        pass

    def event(self, e, format, text, length):
        return VIEW_DONE
