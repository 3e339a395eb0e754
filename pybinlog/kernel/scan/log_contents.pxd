# The contents of a log.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport ANONYMOUS_GTID, FORMAT_DESCRIPTION, is_gtid
from pybinlog.kernel.base.event cimport MARIA_BINLOG_CHECKPOINT, MARIA_GTID, MARIA_GTID_LIST, octets, p_Event
from pybinlog.kernel.base.event cimport PREVIOUS_GTIDS, RELAY_LOG, ROTATE
from pybinlog.kernel.scan.gtid_fields cimport Gtid, gtid_parse, LAST_NUMBER, LISTED_GTID, maria_gtid_list_parse
from pybinlog.kernel.scan.gtid_fields cimport maria_gtid_name, previous_gtids_begin, previous_gtids_next, PreviousGtids


cdef class OpenTransaction:
    cdef uint64_t position
    cdef int64_t since
    cdef readonly int64_t begins
    cdef readonly bint ended

    cdef void end(self) noexcept

cdef enum:
    MOST_RUNS = 32            # that are open at a time

# The GTIDs first to next - 1 of one source.
cdef struct HeldRun:
    uint8_t uuid[16]
    uint8_t tag_length
    char tag[32]
    int64_t first
    int64_t next

cdef class HeldGtids:
    cdef HeldRun runs[32]
    cdef int count
    cdef int oldest                  # the run that is closed next
    cdef readonly list closed        # of gtid_set.Intervals
    cdef readonly bint has_anonymous # there is a transaction without a GTID (MySQL)
    cdef readonly uint32_t last_time # of the last event, in seconds since 1970

    cdef readonly uint64_t last_commit # the latest time of a commit, in microseconds since 1970; 0 if none is known

    cdef void read_event(self, EventBatch batch, p_Event e)
    cdef void add(self, const Gtid* gtid)
    cdef void join(self, int at) noexcept nogil

cdef class GtidsAround:
    cdef HeldRun before[32]
    cdef HeldRun after[64]
    cdef int before_count            # -1: not known
    cdef int after_count

    cdef void read(self, EventBatch batch)
    cdef bint read_before(self, EventBatch batch, p_Event e) noexcept nogil
    cdef bint read_listed(self, EventBatch batch, p_Event e) noexcept nogil
    cdef void add_after(self, HeldRun* held) noexcept nogil
    cdef bint continued_by(self, GtidsAround other) noexcept nogil

# Used in this module only.
cdef bint is_among(HeldRun* run, HeldRun* runs, int count) noexcept nogil
cdef bint of_source(HeldRun* run, Gtid* gtid) noexcept nogil
cdef bint same_source(HeldRun* run, HeldRun* other) noexcept nogil
