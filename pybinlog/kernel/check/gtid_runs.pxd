from libc.stdint cimport int64_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport ANONYMOUS_GTID, MARIA_GTID, p_const_Event, p_const_Format


cdef enum:
    RUNS = 32                 # sources whose newest GTIDs are counted on here

# One GTID: of MySQL (uuid, tag) or of MariaDB (domain and server in the first eight bytes, MARIA as tag_length).
cdef struct GtidName:
    uint8_t uuid[16]
    uint8_t tag_length
    char tag[32]
    int64_t number
    uint64_t position         # of its event
    uint8_t type

# GTIDs start to next - 1 of one source were seen and stand in no set yet; `limit` is the next that a set holds.
cdef struct GtidRun:
    GtidName name
    int64_t start
    int64_t next
    int64_t limit

cdef enum GtidFound:
    GTID_CORRUPT = -1
    GTID_ANONYMOUS = 0
    GTID_NAMED = 1

cdef class GtidRuns:
    cdef GtidRun runs[32]
    cdef int count
    cdef GtidRun again        # GTIDs that a set holds already, start to next - 1 of them seen again

    # Return True if a GTID is the one after its source's last: then no set is needed.
    cdef bint count_on(self, const GtidName* gtid) noexcept nogil

# The GTID of a GTID event of either server; `clock` tells whether last_committed is not below sequence_number.
cdef GtidFound read_gtid(GtidName* name, p_const_Event e, p_const_Format format, bint* clock) noexcept nogil
# (uuid, tag, number, position, type); the tag of MariaDB's is None.
cdef tuple gtid_tuple(const GtidName* name)

cdef enum:
    WINDOW = 1048576               # numbers below the highest that are remembered; a power of two
    WINDOW_WORDS = 16384                  # their bits, 64 a word

cdef class XidWindow:
    cdef uint64_t top                   # the highest number so far; 0: none
    cdef uint64_t words[16384]
    cdef bint met                       # the last number was there already
    cdef readonly uint64_t again        # the number that the last run of such numbers began with

    # A log begins.
    cdef void forget(self) noexcept nogil
    # Return True if the number was there already, and the one before it was not.
    cdef bint meets(self, uint64_t xid) noexcept nogil
    cdef void move_to(self, uint64_t xid) noexcept nogil

# Used in this module only.
cdef bint same_source(const GtidName* a, const GtidName* b) noexcept nogil
