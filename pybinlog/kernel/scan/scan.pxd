# Scanner: bytes -> batches of events with their boundaries.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport bytes_between, EventBatch
from pybinlog.kernel.base.event cimport Format, format_parse, MAGIC_NUMBER, octets, p_const_Format, p_Event, stored_end
from pybinlog.kernel.scan.classify cimport Boundary, BoundaryTables
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.partial_rows cimport PartialRows, PARTS_BAD, PARTS_MISSING


# Why a scan ended: the bytes did; the batch is complete, scan on from `consumed`; or an error in the event that would have
# come next.
cpdef enum:
    SCAN_NEED_MORE = 0
    SCAN_RESCAN = 1
    SCAN_BAD_SIZE = 2
    SCAN_TOO_BIG = 3
    SCAN_BAD_FORMAT_DESCRIPTION = 4
    SCAN_BAD_CHECKSUM = 5
    SCAN_UNKNOWN_TYPE = 6
    SCAN_NO_MEMORY = 7
    SCAN_BAD_PARTS = 8         # `parts` says what is wrong with the parts of a row event

cdef enum:
    # The reference refuses larger events too: the largest max_allowed_packet, 1 GiB, and the room for a header.
    MAXIMUM_SIZE = 1074790400

cdef class Scanner:
    cdef Format format
    cdef Boundary boundary
    cdef BoundaryTables tables
    cdef InflatedEvent inflated           # the start of a compressed statement
    cdef readonly PartialRows parts
    cdef public bint joins_parts          # a row event in parts is one event; otherwise each part is one
    cdef Py_ssize_t last_count            # events of the last batch: the next one may have as many
    cdef public bint verify_checksum
    cdef public bint checksums_follow     # the receiver of the events verifies their checksums
    cdef public bint force_read
    cdef public bint feed_parser          # off while the events before --start-position are read
    cdef public bint statement_bits       # work out each event's statement bits, too
    cdef public object last_in_payload    # (payload's body) -> the last event inside, None if it cannot be read
    cdef public bint parse_bits           # ... and let the parser of bits refuse events, not that of boundary types
    cdef bint usual                       # the parser of boundary types is fed, and bits are off
    cdef public bint whole_groups         # let a batch end after an event group if it can
    cdef public bint many_logs            # a stream may hold several logs, each with its magic bytes
    cdef public uint64_t position         # of the next event in the stream
    cdef readonly int error_code          # why the last scan ended: SCAN_*
    cdef readonly size_t consumed         # bytes of the last scan that its batch took
    cdef readonly size_t wanted           # bytes of the event that was not all there; 0 if its header was not
    cdef readonly int error_type          # the type of the event that it is about
    cdef readonly uint64_t error_size     # and its size; of parts that cannot be joined that of all
    cdef readonly size_t error_at         # how far after `position` the part is that is wrong

    cdef int next_event(self, EventBatch batch, octets data, size_t left) noexcept nogil
    cdef int join_parts(self, EventBatch batch, octets* data, size_t left) noexcept nogil
    cdef void judge_by_text(self, p_Event event) noexcept nogil
    cdef void read_marker(self, p_Event event) noexcept nogil
    cdef bint unusual_event(self, p_Event event, uint8_t worked_out) noexcept nogil
    cdef uint8_t payload_kind(self, p_Event event) noexcept
    cdef int add_events(self, EventBatch batch, octets data, size_t size) noexcept nogil
    cdef void enter_payload(self, p_const_Format format, bint checksums) noexcept nogil
    cpdef EventBatch scan(self, buffer, size_t start, size_t end, object file)
