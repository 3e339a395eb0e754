# EventConditions: what mysqlbinlog's own options ask of each event.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format
from pybinlog.kernel.filter.gtid_window cimport AFTER, GtidWindow, OUTSIDE, UNREADABLE
from pybinlog.kernel.scan.gtid_fields cimport Gtid, gtid_parse, GtidFilter, maria_gtid_name


# The verdict about an event: a mark; 0 to keep it; or ENDS, to drop it and all after it.
cdef enum:
    KEPT = 0
    ENDS = 1

cdef class EventConditions:
    cdef readonly GtidWindow window    # None: no position is given by GTIDs
    cdef GtidFilter include_gtids      # None: all
    cdef GtidFilter exclude_gtids      # None: none
    cdef bint inside_payload           # the events are those of a payload that is kept
    cdef uint32_t server_id            # 0: all
    cdef uint32_t server_id_mask
    cdef uint64_t stop_position
    cdef int64_t stop_time             # seconds since 1970 UTC
    # what is used up by the first event that they let pass
    cdef uint64_t offset
    cdef int64_t start_time
    # memory
    cdef uint64_t events               # so far
    cdef bint left_out                 # the current transaction, by its GTID

    cdef bint is_empty(self) noexcept nogil
    cdef int judge(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef int judge_gtid(self, p_const_Event e, p_const_Format format) noexcept nogil
