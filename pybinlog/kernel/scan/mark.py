"""Marker: the header bits that hold an event's boundary type (WL#4162, F1) or statement bits, written over batches."""

import cython
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.checksum import crc32
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_AS_STRING, PyBytes_FromStringAndSize, memcpy
from cython.cimports.pybinlog.kernel.scan.classify import marks_bits

# The marker is bits 10 to 12 of the flags (13, if it is statement bits), which end with the header's last byte.
FLAGS_HIGH = cython.declare(cython.int, 18)
FLAGS_LOW = cython.declare(cython.int, 17)
SHIFT = cython.declare(cython.int, 2)
MASK = cython.declare(uint8_t, 0x3C)
TYPE_MASK = cython.declare(uint8_t, 7)


def event_checksum(event: cython.pointer(uint8_t), whole: cython.size_t) -> uint32_t:
    """Return the CRC32 that belongs at the end of an event; the in-use flag of a Format_description is omitted."""
    flags: uint8_t = event[FLAGS_LOW]
    if event[4] == FORMAT_DESCRIPTION:
        event[FLAGS_LOW] = flags & ~cython.cast(uint8_t, BINLOG_IN_USE)
    crc: uint32_t = crc32(event, whole - 4)
    event[FLAGS_LOW] = flags
    return crc


@cython.cclass
class Marker:
    """Writes each event's boundary type, or with `bits` its statement bits, into its header, or (`clear`) zeroes them.

    The scanner has worked out the bits then. An event that carries a marker keeps it, and one of the other form is
    refused. Checksums are made again where an event has one, and nothing else changes. `changed` and `kept` count, by
    boundary type (0 to 7), the markers written or cleared and the events left alone; `changed_bits` and `kept_bits`
    those of logs that have statement bits, by their number (0 to 15).
    """

    def __cinit__(self, clear: cython.bint = False, bits: cython.bint = False):
        self.clear = clear
        self.bits = bits

    def mark(self, batch: EventBatch):
        """Return the bytes of the batch's events, marked; None if it is refused (`error_code`, `error_index`).

        The batch itself is not changed. The checksums that the scanner can verify are taken to be right.
        """
        total: cython.size_t = 0
        index: cython.Py_ssize_t
        for index in range(batch.count):
            total += batch.events[index].event_size
        out: bytes = PyBytes_FromStringAndSize(cython.NULL, total)
        start: cython.pointer(uint8_t) = cython.cast(cython.pointer(uint8_t), PyBytes_AS_STRING(out))
        with cython.nogil:
            status: cython.int = self.mark_all(cython.address(batch.format), batch.events, batch.count, start)
        self.error_code = status
        return out if status == 0 else None

    def new_marker(self, event: p_const_Event, has_bits: cython.bint, old: uint8_t) -> cython.int:
        """Return the event's new marker, or -1 if its old one is of the other form."""
        if self.clear:
            return 0 if has_bits else old & ~TYPE_MASK
        if self.bits:
            return event.bits & 15 if has_bits or old == 0 else -1
        if has_bits:
            return -1
        return old if old & TYPE_MASK else old | (event.boundary & TYPE_MASK)

    def mark_all(
        self, format: p_const_Format, events: p_const_Event, count: cython.Py_ssize_t, out: cython.pointer(uint8_t)
    ) -> cython.int:
        has_bits: cython.bint = marks_bits(format)
        index: cython.Py_ssize_t
        for index in range(count):
            event: p_const_Event = events + index
            size: cython.size_t = event.event_size
            memcpy(out, event.data, size)
            has_checksum: cython.bint = size != event.body_end
            if encrypts(event):
                self.error_index = index
                return MARK_ENCRYPTED
            if has_checksum and not event.has_checksum and event_checksum(out, size) != read_u32(out + size - 4):
                self.error_index = index
                return MARK_BAD_CHECKSUM
            # A damaged version or algorithm would let a log with checksums pass for one without.
            if self.suspects and size >= 23 and crc32(out, size - 4) == read_u32(out + size - 4):
                self.error_index = index
                return MARK_HIDDEN_CHECKSUM
            self.suspects = event.type == FORMAT_DESCRIPTION and not has_checksum
            old: uint8_t = (out[FLAGS_HIGH] & MASK) >> SHIFT
            new: cython.int = self.new_marker(event, has_bits, old)
            if new < 0:
                self.error_index = index
                return MARK_OTHER_FORM
            if new == old:
                if has_bits:
                    self.kept_bits[old] += 1
                else:
                    self.kept[old & TYPE_MASK] += 1
            else:
                if self.bits or has_bits:
                    self.changed_bits[old if self.clear else new] += 1
                else:
                    self.changed[(old if self.clear else new) & TYPE_MASK] += 1
                out[FLAGS_HIGH] = (out[FLAGS_HIGH] & ~MASK) | (new << SHIFT)
                if has_checksum:
                    crc: uint32_t = event_checksum(out, size)
                    out[size - 4] = crc & 255
                    out[size - 3] = (crc >> 8) & 255
                    out[size - 2] = (crc >> 16) & 255
                    out[size - 1] = crc >> 24
            out += size
        return 0
