# GTID events, and Previous_gtids: their fields.
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format

cdef enum:
    UNDEFINED_SERVER_VERSION = 999999
    LAST_NUMBER = 0x7FFFFFFFFFFFFFFF  # is not given to a transaction any more

cdef struct Gtid:
    bint anonymous
    bint may_have_statements         # not only row events
    const uint8_t* uuid              # 16 bytes
    uint8_t uuid_bytes[16]           # (where uuid points for a tagged event)
    uint8_t tag_length
    const char* tag
    int64_t number
    int64_t last_committed
    int64_t sequence_number
    uint64_t immediate_commit_timestamp
    uint64_t original_commit_timestamp
    uint64_t transaction_length
    uint32_t immediate_server_version
    uint32_t original_server_version

# A Previous_gtids event, source by source.
cdef struct PreviousGtids:
    bint tagged
    uint64_t left                    # sources that are still to come
    const uint8_t* at
    const uint8_t* end
    # of the current source
    const uint8_t* uuid
    const char* tag
    size_t tag_length
    const uint8_t* intervals         # start and end, 8 bytes each; the end is exclusive
    uint64_t interval_count

cdef int gtid_parse(Gtid* gtid, const Event* e, const Format* format) noexcept nogil
cdef int previous_gtids_begin(PreviousGtids* gtids, const Event* e, const Format* format) noexcept nogil
# 1 where there is another source, 0 where there is none, -1 where it reaches beyond the event.
cdef int previous_gtids_next(PreviousGtids* gtids) noexcept nogil
