"""PacketFramer: the events of batches as the packets with which a dump thread sends them, without those to omit.

A packet has a length of 3 bytes, a sequence number and, before an event, a zero byte. An event that does not fit into
one continues in the next packet (MySQL Internals manual, "Packets", "Binlog Network Stream"). Transactions are omitted
as a whole, by rules of servers: MySQL's `Binlog_sender`, MariaDB's `slave_connect_state` and `slave_until_gtid`.
"""

import cython
from cython.cimports.cpython.buffer import PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cython.cimports.pybinlog.kernel.base import event, facts
from cython.cimports.pybinlog.kernel.base.checksum import crc32_from
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcpy, realloc
from cython.cimports.pybinlog.kernel.scan import gtid_fields
from cython.cimports.pybinlog.kernel.scan.classify import END_TRANSACTION, SELF_CONTAINED, marks_bits

OMITTED = cython.declare(cython.int, -2)
SENT = cython.declare(cython.int, -1)
PACKET_HEAD = cython.declare(cython.size_t, 5)  # its header and the byte before the event
NO_LIMIT = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
FLAGS_LOW = cython.declare(cython.int, 17)
FLAGS_HIGH = cython.declare(cython.int, 18)
MARKER_SHIFT = cython.declare(cython.int, 2)
MARKER_OF_BYTE = cython.declare(uint8_t, 0x3C)


@cython.final
@cython.cclass
class PacketFramer:
    """One stream. `begin(batch)` gives it events, `fill(buffer)` makes packets of them until it returns FRAMES_ALL.

    A buffer of any size from 64 bytes on will do: large events are continued in the next one. After another status the
    stream has ended before the current event. `marker` writes boundary markers into the events, which are sent with new
    checksums then. The in-use flag of a Format_description is cleared.
    """

    def __cinit__(
        self,
        known: gtid_fields.GtidFilter = None,
        excluded: gtid_fields.GtidFilter = None,
        marker: Marker = None,
        sequence: cython.int = 1,
    ):
        self.known = known
        self.excluded = excluded
        self.marker = marker
        self.sequence = sequence
        self.stop_position = NO_LIMIT

    def __dealloc__(self):
        free(self.domains)
        free(self.bounds)

    def drop_own(self, server_id: cython.ulonglong) -> None:
        """Stop before the first event of a transaction with this server id, which its receiver would drop."""
        self.drops_own = True
        self.own_id = cython.cast(uint32_t, server_id)

    def rewrite_own(self, server_id: cython.ulonglong, other: cython.ulonglong) -> None:
        """Send events of transactions with this server id as those of another server."""
        self.drop_own(server_id)
        self.rewrites = True
        self.other_id = cython.cast(uint32_t, other)

    def begin_domain(self, domain: cython.ulonglong, server: cython.ulonglong, number: cython.ulonglong) -> None:
        """Omit a domain's transactions up to this GTID. Raise MemoryError."""
        at: cython.pointer(Domain) = self.domain_of(cython.cast(uint32_t, domain))
        if at == cython.NULL:
            raise MemoryError("no memory for a domain of GTIDs")
        at.waits = True
        at.start_server = cython.cast(uint32_t, server)
        at.start_number = number

    def end_domain(self, domain: cython.ulonglong, server: cython.ulonglong, number: cython.ulonglong) -> None:
        """Omit a domain's transactions after this GTID. Raise MemoryError."""
        at: cython.pointer(Domain) = self.domain_of(cython.cast(uint32_t, domain))
        if at == cython.NULL:
            raise MemoryError("no memory for a domain of GTIDs")
        at.stops = True
        at.stop_server = cython.cast(uint32_t, server)
        at.stop_number = number
        self.stops_left += 1

    @property
    def last_gtids(self) -> list:
        """Return (domain, server, sequence number) of the last transaction of each domain."""
        found = []
        i: cython.Py_ssize_t
        for i in range(self.domain_count):
            if self.domains[i].was_sent:
                found.append((self.domains[i].domain, self.domains[i].last_server, self.domains[i].last_number))
        return found

    @property
    def hole(self) -> tuple:
        """Return the missing GTID after FRAMES_HOLE."""
        i: cython.Py_ssize_t
        for i in range(self.domain_count):
            if self.domains[i].waits:
                return self.domains[i].domain, self.domains[i].start_server, self.domains[i].start_number
        return None

    def begin_log(self, ranges: list, stop_position: cython.ulonglong) -> None:
        """Begin a log: positions (start, end) of events to omit, in order; no event from `stop_position` on is sent."""
        i: cython.Py_ssize_t
        free(self.bounds)
        self.bound_count = 0
        self.bounds = cython.cast(
            cython.pointer(uint64_t), malloc((2 * len(ranges) + 1) * cython.sizeof(cython.ulonglong))
        )
        if self.bounds == cython.NULL:
            raise MemoryError("no memory for the positions to omit")
        for i in range(len(ranges)):
            self.bounds[2 * i], self.bounds[2 * i + 1] = ranges[i]
        self.bound_count = 2 * len(ranges)
        self.stop_position = stop_position
        self.omits = False

    def begin(self, batch: EventBatch) -> None:
        """Take the events of a batch; those of the batch before have been sent."""
        self.batch = batch
        self.index = 0

    @property
    def position(self) -> int:
        """The position of the event before which the stream has ended."""
        return self.batch.events[self.index].position

    def fill(self, buffer: object) -> tuple:
        """Make packets; return why it ended, FRAMES_*, and how many bytes of the buffer they take."""
        view: Py_buffer
        status: cython.int = 0
        into: cython.size_t = 0
        PyObject_GetBuffer(buffer, cython.address(view), PyBUF_WRITABLE)
        try:
            if view.len < 64:
                raise ValueError("the buffer is too small")
            with cython.nogil:
                status = self.frame(cython.cast(cython.pointer(uint8_t), view.buf), view.len, cython.address(into))
        finally:
            PyBuffer_Release(cython.address(view))
        if status == FRAMES_ALL:
            self.batch = None
        return status, into

    def frame(
        self, data: cython.pointer(uint8_t), size: cython.size_t, into: cython.pointer(cython.size_t)
    ) -> cython.int:
        at: cython.size_t = 0
        status: cython.int
        while True:
            if not self.under_way:
                status = self.next_event()
                if status != SENT:
                    break
            e: p_const_Event = self.batch.events + self.index
            if self.packet_left == 0 and (self.begins or self.continues):
                if size - at < PACKET_HEAD:
                    status = FRAMES_FULL
                    break
                length: uint64_t = e.event_size - self.at + (1 if self.begins else 0)
                self.continues = length >= LARGEST_PACKET
                if self.continues:
                    length = LARGEST_PACKET
                data[at] = length & 255
                data[at + 1] = (length >> 8) & 255
                data[at + 2] = (length >> 16) & 255
                data[at + 3] = self.sequence
                self.sequence += 1
                at += 4
                self.packet_left = length
                if self.begins:
                    data[at] = 0
                    at += 1
                    self.packet_left -= 1
                    self.begins = False
            count: cython.size_t = self.copy(data + at, size - at)
            at += count
            if self.packet_left:
                status = FRAMES_FULL
                break
            if not self.continues:
                self.end_event()
        into[0] = at
        return status

    def copy(self, to: cython.pointer(uint8_t), room: cython.size_t) -> cython.size_t:
        """Copy bytes of the current event, with what stands in place of its header and checksum."""
        e: p_const_Event = self.batch.events + self.index
        count: cython.size_t = room
        i: cython.size_t
        begin: uint64_t = self.at
        tail: uint64_t = e.event_size - 4
        if count > self.packet_left:
            count = self.packet_left
        memcpy(to, e.data + begin, count)
        if self.changed:
            for i in range(count):
                if begin + i >= event.COMMON_HEADER_LENGTH:
                    break
                to[i] = self.header[begin + i]
            if self.has_checksum and begin + count > tail:
                for i in range(0 if begin >= tail else tail - begin, count):
                    to[i] = self.checksum[begin + i - tail]
        self.at += count
        self.packet_left -= count
        return count

    def next_event(self) -> cython.int:
        """Find the next event to send."""
        while self.index < self.batch.count:
            if self.over:
                return FRAMES_UNTIL
            e: p_const_Event = self.batch.events + self.index
            if e.position >= self.stop_position:
                return FRAMES_END
            kind: uint8_t = e.type
            apart: cython.bint = facts.is_of_log(kind)
            if apart:
                self.omits = False
            elif event.is_gtid(kind):
                verdict: cython.int = self.judge_domain(e) if kind == event.MARIA_GTID else SENT
                if verdict >= 0:
                    return verdict
                self.omits = verdict == OMITTED or self.judge_gtid(e)
                if not self.omits:
                    self.transactions += 1
            if (
                self.omits
                or (self.bound_count and not apart and self.in_range(e.position))
                or (kind == event.MARIA_ANNOTATE_ROWS and not self.annotates)
            ):
                self.omitted = True
                self.end_event()
                continue
            self.changed = False
            if self.drops_own and not apart and e.server_id == self.own_id and not self.rewrites:
                return FRAMES_OWN_ID
            self.change(e)
            self.omitted = False
            self.under_way = self.begins = True
            self.at = self.packet_left = 0
            self.events += 1
            return SENT
        if self.over:
            return FRAMES_UNTIL
        return FRAMES_ALL

    def end_event(self):
        e: p_const_Event = self.batch.events + self.index
        self.handled = e.position + e.event_size
        self.under_way = self.continues = False
        self.index += 1
        if e.boundary == END_TRANSACTION or e.boundary == SELF_CONTAINED:
            self.omits = False
            self.over = self.ends_after

    def change(self, e: p_const_Event):
        """Work out the header and the checksum that the event is sent with."""
        i: cython.int
        memcpy(self.header, e.data, event.COMMON_HEADER_LENGTH)
        if e.type == event.FORMAT_DESCRIPTION and self.header[FLAGS_LOW] & event.BINLOG_IN_USE:
            self.header[FLAGS_LOW] &= ~cython.cast(uint8_t, event.BINLOG_IN_USE)
            self.changed = True
        if self.rewrites and e.server_id == self.own_id and not facts.is_of_log(e.type):
            for i in range(4):
                self.header[5 + i] = cython.cast(uint8_t, self.other_id >> (8 * i))
            self.changed = True
        if self.marker is not None:
            old: uint8_t = (self.header[FLAGS_HIGH] & MARKER_OF_BYTE) >> MARKER_SHIFT
            new: cython.int = self.marker.new_marker(e, marks_bits(cython.address(self.batch.format)), old)
            if new >= 0 and new != old:
                self.header[FLAGS_HIGH] = (self.header[FLAGS_HIGH] & ~MARKER_OF_BYTE) | (new << MARKER_SHIFT)
                self.changed = True
        # (a Format_description has one even in a log without checksums)
        self.has_checksum = e.event_size != e.body_end
        if self.changed and self.has_checksum:
            crc: uint32_t = crc32_from(0xFFFFFFFF, self.header, event.COMMON_HEADER_LENGTH)
            crc = ~crc32_from(
                crc,
                e.data + event.COMMON_HEADER_LENGTH,
                cython.cast(cython.size_t, e.event_size) - event.COMMON_HEADER_LENGTH - 4,
            )
            for i in range(4):
                self.checksum[i] = cython.cast(uint8_t, crc >> (8 * i))

    def in_range(self, position: uint64_t) -> cython.bint:
        i: cython.Py_ssize_t
        for i in range(0, self.bound_count, 2):
            if self.bounds[i] <= position < self.bounds[i + 1]:
                return True
        return False

    # ---- GTIDs

    def judge_gtid(self, e: p_const_Event) -> cython.bint:
        """Return True if the transaction is omitted by its GTID. One that cannot be read is sent."""
        gtid: gtid_fields.Gtid
        if self.known is None and self.excluded is None:
            return False
        if e.type == event.MARIA_GTID:
            if gtid_fields.maria_gtid_name(cython.address(gtid), e, cython.address(self.batch.format)) < 0:
                return False
        elif e.type == event.GTID or e.type == event.GTID_TAGGED:
            if gtid_fields.gtid_parse(cython.address(gtid), e, cython.address(self.batch.format)) < 0:
                return False
        else:
            return False
        if self.known is not None and self.known.contains(cython.address(gtid)):
            return True
        return self.excluded is not None and self.excluded.contains(cython.address(gtid))

    def judge_domain(self, e: p_const_Event) -> cython.int:
        """Return OMITTED or SENT, or the status with which the stream ends here.

        As MariaDB's dump thread: the start of a domain is found by its server and number, its end too.
        """
        gtid: gtid_fields.MariaGtid
        if gtid_fields.maria_gtid_begin(cython.address(gtid), e, cython.address(self.batch.format)) == cython.NULL:
            return SENT
        at: cython.pointer(Domain) = self.domain_of(gtid.domain)
        if at == cython.NULL:
            return SENT
        if at.waits:
            if e.server_id != at.start_server or gtid.sequence_number < at.start_number:
                return OMITTED
            if gtid.sequence_number > at.start_number and self.strict:
                return FRAMES_HOLE
            at.waits = False
            if gtid.sequence_number == at.start_number:
                self.note(at, e.server_id, gtid.sequence_number)
                return OMITTED
        if self.until:
            if self.stops_left == 0:
                return FRAMES_UNTIL
            if not at.stops or at.over:
                return OMITTED
            if e.server_id == at.stop_server and gtid.sequence_number >= at.stop_number:
                at.over = True
                self.stops_left -= 1
                if self.stops_before or gtid.sequence_number > at.stop_number:
                    return OMITTED if self.stops_left else FRAMES_UNTIL
                self.ends_after = self.stops_left == 0
        self.note(at, e.server_id, gtid.sequence_number)
        return SENT

    def note(self, at: cython.pointer(Domain), server: uint32_t, number: uint64_t):
        at.was_sent = True
        at.last_server = server
        at.last_number = number

    def domain_of(self, number: uint32_t) -> cython.pointer(Domain):
        """Return the domain, which is added if it is new; NULL if there is no memory."""
        i: cython.Py_ssize_t
        for i in range(self.domain_count):
            if self.domains[i].domain == number:
                return self.domains + i
        grown: cython.pointer(Domain) = cython.cast(
            cython.pointer(Domain), realloc(self.domains, (self.domain_count + 1) * cython.sizeof(Domain))
        )
        if grown == cython.NULL:
            return cython.NULL
        self.domains = grown
        grown[self.domain_count] = Domain(number, False, 0, 0, False, False, 0, 0, False, 0, 0)
        self.domain_count += 1
        return grown + self.domain_count - 1
