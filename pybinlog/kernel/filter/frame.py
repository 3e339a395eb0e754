"""Frame: the events of a transaction (GTID, BEGIN, Table_map, COMMIT ...) that wait until one of it matches.

They wait as places in the batch, or as copies if the batch ends before. Those that are kept move up in the batch's
array, so what is left of it is a batch like any other. The waiting bytes are bounded: above MOST_WAITING the frame is
kept, as if an event of it had matched.
"""

import cython

from cython.cimports.libc.stdint import uint8_t
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import CLOSES_STATEMENT, Event, Format
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memmove


@cython.cfunc
def same_format(a: cython.pointer(Format), b: cython.pointer(Format)) -> cython.bint:
    """Return True if events under both are read in the same way."""
    return (
        a.header_length == b.header_length
        and a.checksum_length == b.checksum_length
        and a.mariadb == b.mariadb
        and a.server_version == b.server_version
        and memcmp(a.post_header_length, b.post_header_length, 256) == 0
    )


@cython.final
@cython.cclass
class Frame:
    """The waiting events of the current transaction; `carry_out` and `frame_wait` say what becomes of each event of
    a batch."""

    def __cinit__(self):
        self.ready = []
        self.statement = -1

    def begin_batch(self, batch):
        """Continue with another batch."""
        self.first = self.to = 0
        if (
            batch.count
            and self.held_count
            and not same_format(cython.address(batch.format), cython.address(self.held.format))
        ):
            self.keep_waiting()  # it could not be read with the others
            self.kept = True

    def end_batch(self, batch):
        """Leave in the batch what is kept of it. Return batches of earlier events that are kept and come before it."""
        self.hold(batch)
        batch.count = self.first
        ready: list = self.ready
        self.ready = []
        return ready

    def carry_out(self, batch, index, verdict):
        """Do with an event what the verdict says, unless it says to wait (`frame_wait`)."""
        if verdict == MATCHES:
            self.keep_waiting()
            self.kept = True
            self.append(batch, index)
            self.first = self.to
        elif verdict == ENDS_ROWS:
            self.append(batch, index)
            batch.events[self.to - 1].bits |= CLOSES_STATEMENT
            self.first = self.to
        elif verdict == STANDS_APART:
            self.overtake(batch, index)

    def append(self, batch, index):
        if self.to != index:
            batch.events[self.to] = batch.events[index]
        self.to += 1

    def overtake(self, batch, index):
        """Keep an event before those that wait, which may still go."""
        e: Event = batch.events[index]
        memmove(
            batch.events + self.first + 1,
            batch.events + self.first,
            (self.to - self.first) * cython.sizeof(Event),
        )
        batch.events[self.first] = e
        self.first += 1
        self.to += 1

    def drop_statement(self):
        if self.statement < 0:
            return
        if self.statement < self.held_count:
            self.held_count = self.held.count = self.statement
            self.to = self.first
        else:
            self.to = self.first + self.statement - self.held_count
        self.statement = -1
        self.waiting -= self.statement_waiting
        self.statement_waiting = 0

    def drop_waiting(self):
        if self.held_count:
            with cython.gil:
                self.held = None
        self.held_count = 0
        self.to = self.first
        self.statement = -1
        self.waiting = self.statement_waiting = 0

    def keep_waiting(self):
        if self.held_count:
            with cython.gil:
                self.ready.append(self.held)
                self.held = None
        self.held_count = 0
        self.first = self.to
        self.statement = -1
        self.waiting = self.statement_waiting = 0

    def hold(self, batch):
        """Copy what waits of a batch: its bytes may go before more is known."""
        i: cython.Py_ssize_t
        e: cython.pointer(Event)
        data: bytes
        if self.first == self.to:
            return
        if self.held is None or not self.held_count:
            self.held = EventBatch()
            self.held.format = batch.format
            self.held.file = batch.file
        for i in range(self.first, self.to):
            e = self.held.add()
            if e == cython.NULL:
                raise MemoryError("no memory for events that wait")
            e[0] = batch.events[i]
            data = PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, e.data), e.event_size)
            self.held.side.append(data)
            e.data = cython.cast(cython.pointer(cython.const[uint8_t]), cython.cast(cython.p_const_char, data))
        self.held_count = self.held.count
        self.to = self.first
