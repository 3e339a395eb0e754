"""PartialRows: the row event that MariaDB 12.3 and later split into Partial_rows events (MDEV-32570).

The server splits a row event above binlog_row_event_fragment_threshold. Each part has the number of parts (4 bytes),
its own number from 1 on (4), flags (1), if flag 1 is set the size of the row event (8), and bytes of the row event.
These begin with its header and have no checksum. Only the first part has the size. Source: MariaDB's documentation,
"PARTIAL_ROW_DATA_EVENT", and the server's sources.
"""

import cython
from cython.cimports.pybinlog.kernel.base import fields
from cython.cimports.pybinlog.kernel.base.checksum import checksum_matches, crc32
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, MARIA_PARTIAL_ROWS, is_compressed_rows
from cython.cimports.pybinlog.kernel.base.facts import type_of_code
from cython.cimports.pybinlog.kernel.base.little_endian import read_u64
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_AS_STRING, PyBytes_FromStringAndSize, memcpy
from cython.cimports.pybinlog.kernel.scan import classify

HAS_SIZE = cython.declare(cython.uchar, 1)
LARGEST_JOINED = cython.declare(uint64_t, 0x7FFFFFFF)
# A server's smallest part has 1 kB.
MOST_HEADERS = cython.declare(uint64_t, 1 << 20)
# The bits of a marker that say how a statement begins, and the others.
BEGIN_BITS = cython.declare(uint16_t, 0x3000)
END_BITS = cython.declare(uint16_t, 0x0C00)
MARKER_BITS = cython.declare(uint16_t, 0x1C00)


def part_parse(part: cython.pointer(Part), event: octets, body_end: cython.size_t) -> cython.bint:
    """Fill `part` from the event's bytes. Return False if it is too short, or its numbers are impossible.

    The server's sources describe the two numbers in one order and write them in the other. No part's number exceeds
    the number of parts, so pybinlog takes the smaller one as the part's, whichever comes first.
    """
    head: fields.MariaPartialRowsHead
    end: octets = event + body_end
    at: octets = fields.maria_partial_rows_head(cython.address(head), event + COMMON_HEADER_LENGTH, end)
    if at == cython.NULL:
        return False
    part.number = min(head.number, head.total)
    part.total = max(head.number, head.total)
    part.whole = 0
    if head.flags == HAS_SIZE:
        if end - at < 8:
            return False
        part.whole = read_u64(at)
        at += 8
    elif head.flags:
        return False
    part.data = at
    part.size = end - at
    return part.size > 0 and part.number > 0 and part.total > 1 and (part.number == 1) == (part.whole > 0)


@cython.final
@cython.cclass
class PartialRows:
    """The parts of one row event, in a buffer that may not have them all yet.

    A scanner looks at them again as more bytes arrive; what was seen before is not looked at twice.
    """

    def look(self, data: octets, left: cython.size_t, position: uint64_t, format: p_const_Format) -> cython.int:
        part: Part
        at: cython.size_t = 0
        size: uint32_t = fields.event_size_of(data)
        trailer: uint32_t = format.checksum_length
        self.at = 0
        self.first_size = size
        self.problem = PARTS_MALFORMED
        if size < trailer or not part_parse(cython.address(part), data, size - trailer):
            return PARTS_BAD
        self.number = part.number
        self.total = self.due_total = part.total
        self.due = 1
        self.whole = part.whole
        if part.number != 1:
            self.problem = PARTS_BEGIN_LATE
            return PARTS_BAD
        headers: uint64_t = 8 + cython.cast(uint64_t, part.total) * (
            COMMON_HEADER_LENGTH + fields.MARIA_PARTIAL_ROWS_HEAD + trailer
        )
        if part.whole > LARGEST_JOINED or headers > part.whole + MOST_HEADERS:
            self.problem = PARTS_TOO_LARGE
            return PARTS_BAD
        if part.size < COMMON_HEADER_LENGTH:
            return PARTS_BAD
        if not self.holds_rows(part.data, format):
            self.problem = PARTS_WITHOUT_ROWS
            return PARTS_BAD
        held: uint64_t = part.size
        if self.position == position and self.seen <= left:
            at = self.seen
            held = self.seen_held
            size = fields.event_size_of(data + at)
            part_parse(cython.address(part), data + at, size - trailer)
        while part.number < part.total:
            self.position = position
            self.seen = at
            self.seen_held = held
            self.wanted = max(part.whole + headers if at == 0 else self.wanted, at + size + COMMON_HEADER_LENGTH)
            if left - at < size + COMMON_HEADER_LENGTH:
                return PARTS_MISSING
            self.at = at + size
            self.due = part.number + 1
            self.other_type = data[self.at + 4]
            if type_of_code(format, self.other_type, fields.flags_of(data + self.at)) != MARIA_PARTIAL_ROWS:
                self.problem = PARTS_INTERRUPTED
                return PARTS_BAD
            size = fields.event_size_of(data + self.at)
            self.problem = PARTS_MALFORMED
            if not COMMON_HEADER_LENGTH + fields.MARIA_PARTIAL_ROWS_HEAD + trailer < size <= LARGEST_JOINED:
                return PARTS_BAD
            if left - self.at < size:
                self.wanted = max(self.wanted, self.at + size)
                return PARTS_MISSING
            if not part_parse(cython.address(part), data + self.at, size - trailer):
                return PARTS_BAD
            self.number = part.number
            self.total = part.total
            if part.total != self.due_total:
                self.problem = PARTS_OF_ANOTHER
                return PARTS_BAD
            if part.number != self.due:
                self.problem = PARTS_OUT_OF_ORDER
                return PARTS_BAD
            at = self.at
            held += part.size
        self.at = 0
        self.held = held
        self.stored = at + size
        if (held != self.whole and held + trailer != self.whole) or not self.fits(data, trailer):
            self.problem = PARTS_OF_OTHER_SIZE
            return PARTS_BAD
        self.problem = PARTS_ARE_SOUND
        return PARTS_WHOLE

    def holds_rows(self, whole: octets, format: p_const_Format) -> cython.bint:
        """Return True if the header is that of a row event."""
        kind: uint8_t = type_of_code(format, whole[4], fields.flags_of(whole))
        return is_rows(kind) or is_compressed_rows(kind)

    def fits(self, data: octets, trailer: uint32_t) -> cython.bint:
        """Return True if the row event's header says as many bytes as there are, with or without a checksum."""
        said: uint32_t = fields.event_size_of(data + COMMON_HEADER_LENGTH + fields.MARIA_PARTIAL_ROWS_HEAD + 8)
        return said == self.held or said == self.held + trailer

    def extent(self, data: octets, left: cython.size_t) -> cython.size_t:
        part: Part
        at: cython.size_t = self.first_size
        while left - at >= COMMON_HEADER_LENGTH and data[at + 4] == MARIA_PARTIAL_ROWS:
            size: uint32_t = fields.event_size_of(data + at)
            if not COMMON_HEADER_LENGTH <= size <= left - at:
                break
            if part_parse(cython.address(part), data + at, size) and part.number == 1:
                break
            at += size
        return at

    def checksums_match(self, data: octets) -> cython.bint:
        while self.at < self.stored:
            size: uint32_t = fields.event_size_of(data + self.at)
            if not checksum_matches(data + self.at, size):
                return False
            self.at += size
        self.at = 0
        return True

    def join(self, data: octets, format: p_const_Format) -> bytes:
        part: Part
        trailer: uint32_t = format.checksum_length
        at: cython.size_t = 0
        grown: uint32_t = cython.cast(uint32_t, self.held) + trailer
        joined: bytes = PyBytes_FromStringAndSize(cython.NULL, grown)
        start: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), PyBytes_AS_STRING(joined))
        to: cython.pointer(uint8_t) = start
        flags: uint16_t = fields.flags_of(data)
        last: uint16_t = flags
        with cython.nogil:
            while at < self.stored:
                size: uint32_t = fields.event_size_of(data + at)
                part_parse(cython.address(part), data + at, size - trailer)
                memcpy(to, part.data, part.size)
                to += part.size
                memcpy(start + 13, data + at + 13, 4)  # the end of the last part is the event's
                last = fields.flags_of(data + at)
                at += size
            memcpy(start + 9, cython.address(grown), 4)
            flags = flags & BEGIN_BITS | last & END_BITS if classify.marks_bits(format) else last & MARKER_BITS
            flags |= fields.flags_of(start)
            memcpy(start + 17, cython.address(flags), 2)
            if trailer:
                sum: uint32_t = crc32(start, self.held)
                if not self.checksums_match(data):
                    sum = ~sum  # a wrong checksum of a part is a wrong one of the event
                memcpy(to, cython.address(sum), 4)
        return joined
