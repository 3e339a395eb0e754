# PacketFramer: the events of batches as a dump thread's packets.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport p_const_Event
from pybinlog.kernel.scan.gtid_fields cimport GtidFilter
from pybinlog.kernel.scan.mark cimport Marker


cpdef enum:
    FRAMES_FULL = 0        # the buffer is full
    FRAMES_ALL = 1         # all events of the batch are in packets, or were omitted
    FRAMES_END = 2         # the next event is at the stop position or after it
    FRAMES_OWN_ID = 3      # the next event carries the server id that its receiver drops
    FRAMES_HOLE = 4        # a domain continues after its start, whose GTID is not there
    FRAMES_UNTIL = 5       # all domains were sent up to where they end

cdef enum:
    LARGEST_PACKET = 0xFFFFFF

# A domain of MariaDB's GTIDs.
cdef struct Domain:
    uint32_t domain
    bint waits               # its transactions are omitted up to this GTID
    uint32_t start_server
    uint64_t start_number
    bint stops               # its transactions are sent up to this GTID only
    bint over
    uint32_t stop_server
    uint64_t stop_number
    bint was_sent            # the last GTID that was sent, or omitted because its receiver has it
    uint32_t last_server
    uint64_t last_number

cdef class PacketFramer:
    cdef GtidFilter known               # transactions that the receiver has
    cdef GtidFilter excluded            # those that it is not to get
    cdef Marker marker                  # None: markers are sent as they are
    cdef public bint annotates          # the receiver wants Annotate_rows
    cdef public bint strict             # a start that is not in the log is an error
    cdef public bint until              # domains end
    cdef public bint stops_before       # ... before the GTID at which they end, not after it
    cdef public uint64_t stop_position  # of the current log: no event from there on is sent
    cdef public uint8_t sequence        # of the next packet
    cdef bint drops_own                 # the receiver drops events with this server id ...
    cdef uint32_t own_id
    cdef bint rewrites                  # ... so they are sent with that one
    cdef uint32_t other_id
    cdef Domain* domains
    cdef Py_ssize_t domain_count
    cdef Py_ssize_t stops_left          # domains that have not come to their end
    cdef uint64_t* bounds               # of what is omitted of the current log: start and end, pair by pair
    cdef Py_ssize_t bound_count
    cdef readonly uint64_t handled      # the position after the last event that was sent or omitted
    cdef readonly bint omitted          # that event was omitted
    cdef readonly uint64_t events       # that were sent
    cdef readonly uint64_t transactions

    # of the current event
    cdef EventBatch batch
    cdef Py_ssize_t index
    cdef bint omits                     # its transaction is omitted
    cdef bint ends_after                # this is the last transaction of the last domain ...
    cdef bint over                      # ... and it has ended
    cdef bint under_way                 # some of its bytes are in packets
    cdef bint continues                 # after this packet another one follows
    cdef bint changed                   # its header is another one
    cdef bint begins                    # no packet of it has begun
    cdef uint64_t at                    # bytes of it that are in packets
    cdef uint64_t packet_left           # bytes of it that come in the current packet
    cdef uint8_t header[19]             # what stands in place of its header ...
    cdef uint8_t checksum[4]            # ... and of its checksum
    cdef bint has_checksum

    cdef int next_event(self) noexcept nogil
    cdef bint judge_gtid(self, p_const_Event e) noexcept nogil
    cdef int judge_domain(self, p_const_Event e) noexcept nogil
    cdef Domain* domain_of(self, uint32_t number) noexcept nogil
    cdef bint in_range(self, uint64_t position) noexcept nogil
    cdef void change(self, p_const_Event e) noexcept nogil
    cdef size_t copy(self, uint8_t* to, size_t room) noexcept nogil
    cdef int frame(self, uint8_t* data, size_t size, size_t* into) noexcept nogil
    cdef void end_event(self) noexcept nogil
    cdef void note(self, Domain* at, uint32_t server, uint64_t number) noexcept nogil
