"""Frame: the events of a transaction (GTID, BEGIN, Table_map, COMMIT ...) that wait until one of it matches.

They wait as places in the batch, or as copies if the batch ends before. Those that are kept move up in the batch's
array, so what is left of it is a batch like any other. The waiting bytes are bounded: above MOST_WAITING the frame is
kept, as if an event of it had matched.

MatchingRows leaves in row events the rows that meet a condition on their values; compiled, as it sees every row. An
event some of whose rows match is replaced by a copy without the others. Its header stays as it is in the log, with the
size and the checksum that it has there: do not print them as bytes or in base64.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memmove
from cython.cimports.pybinlog.kernel.rows import table_map

from pybinlog.errors import BinlogError

NO_MEMORY = cython.declare(cython.int, -2)  # of table_maps_put


def compressed(rows: bytes) -> bytes:
    """Return row images in the form that a compressed row event has them in (kernel/scan/inflated_event)."""
    import zlib

    return b"\x84" + len(rows).to_bytes(4, "big") + zlib.compress(rows, 1)


@cython.final
@cython.cclass
class MatchingRows:
    """The rows of one stream's events.

    `slow_path.inflated_rows(batch, index, at)` returns the row images of a compressed event that is not ordinary, whose
    data begin at `at` in its body, and raises BinlogError if it is broken.
    """

    def __cinit__(self):
        table_map.table_maps_init(cython.address(self.maps))
        self.inflated = InflatedEvent()

    def __dealloc__(self):
        table_map.table_maps_free(cython.address(self.maps))
        text_free(cython.address(self.kept))

    def __init__(self, condition: RowCondition, slow_path: object):
        self.condition = condition
        self.slow_path = slow_path

    def map_table(self, e: p_const_Event, batch: EventBatch) -> cython.bint:
        status: cython.int = table_map.table_maps_put(
            cython.address(self.maps), cython.address(batch.format), e.data, e.body_end
        )
        if status == NO_MEMORY:
            with cython.gil:
                self.raised = MemoryError("no memory for a Table_map")
        return status == 0

    def match(self, e: p_Event, batch: EventBatch, table_id: uint64_t) -> cython.bint:
        fields: RowsFields
        dropped: uint64_t = 0
        map: p_TableMap = table_map.table_maps_get(cython.address(self.maps), table_id)
        if map != cython.NULL and self.condition.drops(e, cython.address(batch.format), map, cython.address(dropped)):
            return False
        if rows_parse(cython.address(fields), cython.address(batch.format), e.data, e.body_end) != 0:
            return True
        if event.is_compressed_rows(e.type) and not self.inflate(e, batch, cython.address(fields)):
            return True
        self.kept.length = 0
        count: int64_t = self.condition.keep(
            cython.address(fields), cython.address(self.maps), cython.address(self.kept)
        )
        if count == KEPT_FAILED:
            with cython.gil:
                self.raised = self.condition.pop_error()
            return False
        if count == 0:
            return False
        if self.kept.length and self.kept.length != fields.rows_size:
            return self.cut(e, batch, fields.head_size)
        return True

    def inflate(self, e: p_const_Event, batch: EventBatch, fields: p_RowsFields) -> cython.bint:
        """Let `fields` have the row images of a compressed event; False if it is broken."""
        if not self.inflated.read(e, fields.head_size, cython.address(batch.format), False):
            return self.inflate_large(e, batch, fields)
        fields.rows = self.inflated.event.data + fields.head_size
        fields.rows_size = self.inflated.event.body_end - fields.head_size
        return True

    def inflate_large(self, e: p_const_Event, batch: EventBatch, fields: p_RowsFields) -> cython.bint:
        try:
            self.large = self.slow_path.inflated_rows(
                batch, e - batch.events, fields.head_size - event.COMMON_HEADER_LENGTH
            )
            fields.rows = bytes_of(self.large)
            fields.rows_size = len(self.large)
        except BinlogError:
            return False
        except BaseException as error:
            self.raised = error
            return False
        return True

    def cut(self, e: p_Event, batch: EventBatch, head: cython.size_t) -> cython.bint:
        try:
            rows: bytes = text_take(cython.address(self.kept))
            if event.is_compressed_rows(e.type):
                rows = compressed(rows)
            before: bytes = PyBytes_FromStringAndSize(e.data, head)
            after: bytes = PyBytes_FromStringAndSize(e.data + e.body_end, e.event_size - e.body_end)
            batch.replace(e, before + rows + after)
        except BaseException as error:
            self.raised = error
            return False
        return True


@cython.cfunc
def same_format(a: cython.pointer(event.Format), b: cython.pointer(event.Format)) -> cython.bint:
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

    def begin_batch(self, batch: EventBatch):
        """Continue with another batch."""
        self.first = self.to = 0
        if (
            batch.count
            and self.held_count
            and not same_format(cython.address(batch.format), cython.address(self.held.format))
        ):
            self.keep_waiting()  # it could not be read with the others
            self.kept = True

    def end_batch(self, batch: EventBatch) -> list:
        """Leave in the batch what is kept of it. Return batches of earlier events that are kept and come before it."""
        self.hold(batch)
        batch.count = self.first
        ready: list = self.ready
        self.ready = []
        return ready

    def carry_out(self, batch: EventBatch, index: cython.Py_ssize_t, verdict: cython.int):
        """Do with an event what the verdict says, unless it says to wait (`frame_wait`)."""
        if verdict == MATCHES:
            self.keep_waiting()
            self.kept = True
            self.append(batch, index)
            self.first = self.to
        elif verdict == ENDS_ROWS:
            self.append(batch, index)
            batch.events[self.to - 1].bits |= event.CLOSES_STATEMENT
            self.first = self.to
        elif verdict == STANDS_APART:
            self.overtake(batch, index)

    def append(self, batch: EventBatch, index: cython.Py_ssize_t):
        if self.to != index:
            batch.events[self.to] = batch.events[index]
        self.to += 1

    def overtake(self, batch: EventBatch, index: cython.Py_ssize_t):
        """Keep an event before those that wait, which may still go."""
        e: event.Event = batch.events[index]
        memmove(
            batch.events + self.first + 1,
            batch.events + self.first,
            (self.to - self.first) * cython.sizeof(event.Event),
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

    def hold(self, batch: EventBatch) -> object:
        """Copy what waits of a batch: its bytes may go before more is known."""
        i: cython.Py_ssize_t
        if self.first == self.to:
            return
        if self.held is None or not self.held_count:
            self.held = EventBatch()
            self.held.format = batch.format
            self.held.file = batch.file
        for i in range(self.first, self.to):
            e: p_Event = self.held.add()
            if e == cython.NULL:
                raise MemoryError("no memory for events that wait")
            e[0] = batch.events[i]
            data: bytes = PyBytes_FromStringAndSize(e.data, e.event_size)
            self.held.side.append(data)
            e.data = cython.cast(octets, cython.cast(cython.p_const_char, data))
        self.held_count = self.held.count
        self.to = self.first
