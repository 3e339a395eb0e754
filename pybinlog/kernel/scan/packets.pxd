# PacketSplitter: the packets of a server's dump thread, of which only the events stay.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport Format, format_default, format_parse, octets


cpdef enum:
    PACKETS_MORE = 0           # more bytes are needed
    PACKETS_ROTATE = 1         # a fake Rotate event: the server begins to send a log
    PACKETS_END = 2            # the server has sent everything requested
    PACKETS_ERROR = 3          # the server says what is wrong
    PACKETS_BAD_SEQUENCE = 4   # packets are missing, or came twice
    PACKETS_BAD_LENGTH = 5     # a packet is shorter, or longer, than what is in it
    PACKETS_BAD_KIND = 6       # a packet that is neither an event nor an end nor an error
    PACKETS_BAD_POSITION = 7   # an event does not follow the one before it

cdef enum:
    PACKET_HEADER = 4
    LARGEST_PACKET = 0xFFFFFF
    SEMI_SYNC = 0xEF           # before each event of semi-synchronous replication, and whether an answer is wanted
    LARGEST_WHOLE = 1 << 16    # bytes of the packets that are looked at as a whole

cdef class PacketSplitter:
    cdef Format format
    cdef uint64_t packet_left          # bytes of the current packet that are still to come
    cdef uint64_t event_left           # of the current event
    cdef uint8_t next_sequence
    cdef bint continues                # the event continues in the next packet
    cdef bint dropping                 # the rest of the packet is not wanted
    cdef bint decided                  # what becomes of the fake Rotate that comes next
    cdef bint drops
    cdef public bint numbered          # packets are numbered one by one
    cdef public bint gaps              # events may be omitted between two others, as a GTID set asks for
    cdef bint unsure                   # the first packet has not told yet whether it is semi-synchronous
    cdef readonly bint semi_sync       # the server says of each event whether it wants an answer
    cdef bint asks                     # it wants one to the current event
    cdef readonly uint32_t head        # bytes of a packet that stand before its event
    cdef readonly uint64_t answer      # the end of the last event for which it wants one; 0 if there is none
    cdef readonly uint64_t position    # where the next event of the log begins; of one that is not all there, its own
    cdef readonly uint64_t end         # of the event that is under way
    cdef readonly int status
    cdef readonly size_t kept          # the events that were taken end here
    cdef readonly size_t taken         # the bytes that were looked at end here
    cdef readonly uint8_t sequence     # of the packet that was refused
    cdef readonly uint32_t length
    cdef readonly uint8_t kind
    cdef readonly uint32_t event_size
    cdef readonly uint32_t end_log_pos

    cdef int begin_packet(self, octets data, size_t size) noexcept nogil
    cdef int begin_event(self, octets event, size_t size) noexcept nogil
