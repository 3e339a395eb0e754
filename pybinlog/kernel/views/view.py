# distutils: extra_compile_args = -O1
"""View: batches of events in, rows out; the part that the views share."""

import cython
from cython.cimports.pybinlog.kernel.base.batch import EventBatch, bytes_of
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, MARIA_QUERY_COMPRESSED, encrypts
from cython.cimports.pybinlog.kernel.base.memory import raise_interrupt
from cython.cimports.pybinlog.kernel.rows.rows import RowsFields, rows_parse
from cython.cimports.pybinlog.kernel.scan.classify import QueryParts, query_parts
from cython.cimports.pybinlog.kernel.views.view_events import VIEW_RARE


@cython.cclass
class View:
    """Takes batch after batch; a view is a subclass, which says what an event adds.

    `add(batch, index)` continues from an event and returns the index of the one it came to; `status` says why.
    `pop()` gives the rows since the last call, `memory_wanted()` bytes for which there was no memory.
    """

    def __cinit__(self, events: ViewEvents, columns: ArrowColumns, *args, **kwargs):
        self.events = events
        self.columns = columns
        self.ordinary = InflatedEvent()
        self.most_rows = 65536
        self.most_bytes = 8 << 20

    def bytes_held(self) -> cython.size_t:
        return self.columns.bytes_held()

    def trouble(self) -> cython.int:
        """Return why the rows so far cannot be taken: a status, VIEW_DONE if they can."""
        return self.columns.trouble()

    def memory_wanted(self) -> int:
        return self.columns.memory_wanted()

    def pop(self):
        self.count = 0
        return self.columns.pop()

    def event(self, e: p_Event, format: p_const_Format, text: cython.p_const_char, length: cython.size_t) -> cython.int:
        return VIEW_DONE

    def end_of_group(self) -> cython.int:
        return 0

    def put_damage(
        self, start: uint64_t, end: uint64_t, text: cython.p_const_char, length: cython.size_t
    ) -> cython.int:
        return 0

    def add(self, batch: EventBatch, start: cython.Py_ssize_t, inflated: object = None) -> int:
        """Add the events from index `start` on; `inflated` is the content of that one, after VIEW_COMPRESSED.

        The view inflates ordinary compressed events itself.
        """
        i: cython.Py_ssize_t = start
        seen: cython.size_t = 0
        status: cython.int = VIEW_DONE
        # rows of one event may come out in portions: its inflated content stays until they are through
        if self.status != VIEW_FULL:
            self.at = cython.NULL
            self.text = cython.NULL
        self.status = VIEW_DONE  # (an error leaves it so)
        if inflated is not None:
            self.inflated = inflated
            self.text = cython.cast(cython.p_const_char, bytes_of(inflated))
            self.length = len(inflated)
        with cython.nogil:
            while i < batch.count:
                if self.count != seen:
                    seen = self.count
                    if seen >= self.most_rows or self.bytes_held() >= self.most_bytes:
                        status = VIEW_FULL
                        break
                status = self.event(
                    cython.address(batch.events[i]), cython.address(batch.format), self.text, self.length
                )
                if status == VIEW_COMPRESSED and self.inflate(
                    cython.address(batch.events[i]), cython.address(batch.format)
                ):
                    continue
                if status == VIEW_DONE and encrypts(cython.address(batch.events[i])):
                    status = VIEW_ENCRYPTED
                elif status == VIEW_DONE and self.events.rare:
                    status = VIEW_RARE
                    self.events.rare = False
                if status != VIEW_DONE:
                    break
                i += 1
                self.text = cython.NULL
            trouble: cython.int = self.trouble()
        raise_interrupt()
        status = status if trouble == VIEW_DONE else trouble
        if status != VIEW_FULL:
            self.text = cython.NULL
        if self.text == cython.NULL:
            self.inflated = None
        self.status = status
        return i

    def inflate(self, e: p_const_Event, format: p_const_Format) -> cython.bint:
        """Let `text` be what a compressed event holds; False if it is not ordinary."""
        parts: QueryParts
        rows: RowsFields
        self.data_at = -1
        if e.type == MARIA_QUERY_COMPRESSED:
            if query_parts(cython.address(parts), format, e.data, e.body_end) < 0:
                return False
            at: octets = cython.cast(octets, parts.text)
        elif rows_parse(cython.address(rows), format, e.data, e.body_end) < 0:
            return False
        else:
            at = rows.rows
        self.data_at = at - e.data - COMMON_HEADER_LENGTH
        if not self.ordinary.read(e, at - e.data, format, False):
            return False
        self.text = self.ordinary.text.data + (at - e.data)
        self.length = self.ordinary.text.length - (at - e.data)
        return True

    def damage(self, start: cython.ulonglong, end: cython.ulonglong, sentence: bytes | None) -> None:
        """Note unreadable bytes from `start` to `end`; with a sentence, add a row with it.

        Whether the events after it are of the same transaction is unknown.
        """
        self.finish()
        if sentence is not None:
            self.put_damage(start, end, sentence, len(sentence))

    def leave_payload(self) -> None:
        """Return to the events of the log; the payload was the last of its transaction."""
        try:
            if self.events.group.open:
                self.end_of_group()
        finally:
            self.events.leave_payload()

    def finish(self) -> None:
        """End the view: no more events come, and a transaction that is still open stays so."""
        if self.events.group.open and not self.events.group_over:
            self.end_of_group()
        self.events.finish()
