# The fields of a Transaction_payload, and the events inside of an ordinary one.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport bytes_of, EventBatch
from pybinlog.kernel.base.buffer cimport Buffer
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_Event
from pybinlog.kernel.base.fields cimport COMPRESSION_NONE, COMPRESSION_ZSTD, PAYLOAD_COMPRESSION_TYPE
from pybinlog.kernel.base.fields cimport PAYLOAD_END_MARK, PAYLOAD_PAYLOAD_SIZE, PAYLOAD_UNCOMPRESSED_SIZE
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_memory, text_grow, text_take
from pybinlog.kernel.scan.scan cimport SCAN_NEED_MORE, Scanner


# The reason why `log_events` ended: the rest is not a whole event, or the limit came; the event at the offset is
# impossible, or another Transaction_payload.
cpdef enum:
    PAYLOAD_NEED_MORE = 0
    PAYLOAD_BAD_SIZE = 1
    PAYLOAD_NESTED = 2

cdef struct PayloadFields:
    octets data                  # the payload itself, compressed as a rule
    size_t size
    uint64_t compression_type
    uint64_t uncompressed_size

# The inflated bytes of a payload.
cdef struct Plain:
    octets data
    size_t size

cdef class PayloadReader:
    cdef PayloadFields fields        # of the last payload
    cdef readonly Scanner scanner    # of the events inside
    cdef EventBatch batch
    cdef Buffer compressed         # the bytes of the payload that is being inflated, which the batch owns
    cdef OwnText memory             # of events that have their checksums
    cdef object decompressor

    cdef bint find(self, p_const_Event e) noexcept nogil
    cdef bytes inflate(self)
    cdef object inflate_all(self, EventBatch outer)
    cdef bint scan(
        self, EventBatch batch, EventBatch outer, p_Text text, octets data, size_t length, bint checksums
    ) noexcept nogil
    cdef bint unfold(
        self, EventBatch batch, EventBatch inner, EventBatch outer, const Plain* plain, p_Text text
    ) noexcept nogil
    cpdef EventBatch events(self, EventBatch outer, Py_ssize_t index, bint checksums)
    cpdef EventBatch unfolded(self, EventBatch outer)

cdef bint payload_parse(PayloadFields* fields, octets body, size_t left) noexcept nogil
cdef uint64_t frame_content_size(octets frame, size_t size) noexcept nogil

# Used in this module only.
cdef void put_event(p_Text text, octets data, uint32_t size, bint checksum) noexcept nogil
cdef size_t room_for(size_t size) noexcept nogil
cdef bint read_number(octets* at, octets end, uint64_t* value) noexcept nogil
