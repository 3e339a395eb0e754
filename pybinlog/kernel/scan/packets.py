"""PacketSplitter: takes the packets of a server's dump thread apart, in place, so that only the events stay.

A packet has a length of 3 bytes, a sequence number and, before an event, a zero byte. An event that does not fit into
one continues in the next packet. It trusts nothing: sequence numbers must follow each other, an event must fill its
packets, and begin at the end of the previous one (MySQL Internals manual, "Packets", "Binlog Network Stream").
"""

import cython
from cython.cimports.cpython.buffer import PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.event import ARTIFICIAL, COMMON_HEADER_LENGTH, FORMAT_DESCRIPTION, HEARTBEAT
from cython.cimports.pybinlog.kernel.base.event import HEARTBEAT_V2, MAGIC_LENGTH, MARIA_START_ENCRYPTION, ROTATE
from cython.cimports.pybinlog.kernel.base.little_endian import read_u24
from cython.cimports.pybinlog.kernel.base.memory import memmove


@cython.final
@cython.cclass
class PacketSplitter:
    """One connection's packets, from the first after the command on.

    `split(buffer, start, end)` moves the bytes of events towards `start`, up to `kept`; `taken` and `status` say how
    far it came and why it ended. The bytes from `taken` to `end` must come first the next time. It stops at a fake
    Rotate, which is there as a whole then: call `drop()` or `keep()`, and split again. Heartbeats are skipped.

    `position` is that of the next event, or of the one that is not all there; `begin_log` sets it. Without `numbered`
    the numbers of packets are skipped: inside compressed packets, they have no meaning.

    After `expect_semi_sync()` the first packet tells whether two bytes stand before each event, as they do where the
    server waits for answers; they are taken out, too. `answer` is then where the last event of the current log ends
    that it wants to be told of; after such an event it numbers its packets from 1 again.
    """

    def __cinit__(self):
        format_default(cython.address(self.format))
        self.next_sequence = 1
        self.numbered = True
        self.head = 1
        self.position = self.end = MAGIC_LENGTH

    def begin_log(self, position: cython.ulonglong) -> None:
        """Begin a log at that position with the next event."""
        self.position = self.end = position
        self.answer = 0

    def drop(self) -> None:
        """Leave out the fake Rotate that comes next."""
        self.decided = self.drops = True

    def keep(self) -> None:
        """Take the fake Rotate that comes next for an event like others."""
        self.decided = True
        self.drops = False

    def expect_semi_sync(self) -> None:
        """Expect a mark on each event that says whether the server wants an answer. Not every server sends it."""
        self.unsure = True

    @property
    def checksums(self) -> bool:
        """Return True if events have a CRC32, by the last Format_description."""
        return self.format.checksum_algorithm == 1

    def split(self, buffer: object, start: cython.size_t, end: cython.size_t) -> None:
        """Raise ValueError if the offsets are beyond the buffer, BufferError if it is read-only."""
        view: Py_buffer
        PyObject_GetBuffer(buffer, cython.address(view), PyBUF_WRITABLE)
        try:
            if not start <= end <= cython.cast(cython.size_t, view.len):
                raise ValueError("offsets beyond the buffer")
            data: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), view.buf)
            into: cython.size_t = start
            at: cython.size_t = start
            count: cython.size_t
            status: cython.int
            with cython.nogil:
                while True:
                    if self.packet_left:
                        count = end - at
                        if count > self.packet_left:
                            count = self.packet_left
                        if not self.dropping:
                            memmove(data + into, data + at, count)
                            into += count
                            self.event_left -= count
                        at += count
                        self.packet_left -= count
                        if self.packet_left:
                            status = PACKETS_MORE
                            break
                    if not self.continues:
                        self.position = self.end
                        if self.asks:
                            self.asks = False
                            self.answer = self.end
                            self.next_sequence = 1
                    status = self.begin_packet(data + at, end - at)
                    if status != -1:
                        break
                    at += PACKET_HEADER
                    if self.event_left == self.event_size and not self.dropping:
                        at += self.head
        finally:
            PyBuffer_Release(cython.address(view))
        self.status = status
        self.kept = into
        self.taken = at

    def begin_packet(self, data: octets, size: cython.size_t) -> cython.int:
        """Read the head of a packet; return -1 if its bytes can be passed on."""
        if size < PACKET_HEADER:
            return PACKETS_MORE
        length: uint32_t = read_u24(data)
        self.length = length
        self.sequence = data[3]
        if self.numbered and data[3] != self.next_sequence:
            return PACKETS_BAD_SEQUENCE
        if self.continues:
            if length > self.event_left or (length < LARGEST_PACKET and length != self.event_left):
                return PACKETS_BAD_LENGTH
            self.continues = length == LARGEST_PACKET
            self.next_sequence += 1
            self.packet_left = length
            return -1
        if size == PACKET_HEADER:
            return PACKETS_BAD_LENGTH if length == 0 else PACKETS_MORE
        self.kind = data[4]
        if length == 0:
            return PACKETS_BAD_LENGTH
        if data[4] == 0xFF or (data[4] == 0xFE and length < 9):
            if length > LARGEST_WHOLE:
                return PACKETS_BAD_LENGTH
            if size < PACKET_HEADER + length:
                return PACKETS_MORE
            return PACKETS_ERROR if data[4] == 0xFF else PACKETS_END
        if data[4] != 0:
            return PACKETS_BAD_KIND
        if self.unsure and size > PACKET_HEADER + 1:
            # the first event is a fake Rotate, which begins with a time of 0
            self.unsure = False
            self.semi_sync = data[5] == SEMI_SYNC
            self.head = 3 if self.semi_sync else 1
        head: uint32_t = self.head
        if length < head + COMMON_HEADER_LENGTH:
            return PACKETS_BAD_LENGTH
        if size < PACKET_HEADER + head + COMMON_HEADER_LENGTH:
            return PACKETS_MORE
        if self.semi_sync and data[5] != SEMI_SYNC:
            self.kind = data[5]
            return PACKETS_BAD_KIND
        event: octets = data + PACKET_HEADER + head
        event_size: uint32_t = fields.event_size_of(event)
        if event_size < length - head or (length < LARGEST_PACKET and event_size != length - head):
            return PACKETS_BAD_LENGTH
        self.event_size = event_size
        self.dropping = False
        status: cython.int = self.begin_event(event, size - PACKET_HEADER - head)
        if status != -1:
            return status
        self.asks = self.semi_sync and data[6] & 1
        self.decided = False
        self.continues = length == LARGEST_PACKET
        self.next_sequence += 1
        self.packet_left = length if self.dropping else length - head
        self.event_left = 0 if self.dropping else event_size
        return -1

    def begin_event(self, event: octets, size: cython.size_t) -> cython.int:
        """Read an event's header, or the whole event if it is about the stream; return -1 if it can be passed on."""
        kind: uint8_t = event[4]
        flags: cython.int = fields.flags_of(event)
        self.kind = kind
        self.end_log_pos = fields.end_log_pos_of(event)
        if kind == ROTATE and fields.timestamp_of(event) == 0 and flags & ARTIFICIAL:
            if self.event_size > LARGEST_WHOLE or self.event_size < COMMON_HEADER_LENGTH + 8:
                return PACKETS_BAD_LENGTH
            if size < self.event_size:
                return PACKETS_MORE
            if not self.decided:
                return PACKETS_ROTATE
            self.dropping = self.drops
            return -1
        if kind == HEARTBEAT or kind == HEARTBEAT_V2:
            if self.length == LARGEST_PACKET:
                return PACKETS_BAD_LENGTH
            self.dropping = True
            return -1
        if kind == FORMAT_DESCRIPTION:
            if self.event_size > LARGEST_WHOLE:
                return PACKETS_BAD_LENGTH
            if size < self.event_size:
                return PACKETS_MORE
            format: Format
            if format_parse(cython.address(format), event, self.event_size) == 0:  # (the reader says what is wrong)
                self.format = format
            if self.end_log_pos == 0:
                return -1  # the server sends it before the requested part of a log
            self.position = MAGIC_LENGTH
        if kind == MARIA_START_ENCRYPTION and self.end_log_pos == 0:
            self.dropping = True  # it stands earlier in the log, and is sent before a later part, which is decrypted
            return -1
        if self.end_log_pos == 0 or flags & ARTIFICIAL:
            # artificial ones stand in no log; MariaDB may not say where events in a group end
            self.end = self.position if flags & ARTIFICIAL else self.position + self.event_size
            return -1
        gap: uint32_t = self.end_log_pos - self.event_size - cython.cast(uint32_t, self.position)
        if gap != 0 and (not self.gaps or gap >= cython.cast(uint32_t, 1) << 31):
            return PACKETS_BAD_POSITION
        self.position += gap
        self.end = self.position + self.event_size
        return -1
