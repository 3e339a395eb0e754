# RowScope: which events give rows of a view.
from libc.stdint cimport int64_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.filter.conditions cimport Conditions, is_frame_word
from pybinlog.kernel.rows.table_map cimport p_TableMap, TableMaps
from pybinlog.kernel.scan.gtid_fields cimport Gtid, GtidFilter
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent


# The source of a row of the view.
cpdef enum:
    OF_EVENTS = 0
    OF_TRANSACTIONS = 1       # an event is kept if it makes its transaction match
    OF_ROWS = 2               # a Table_map is kept by its names
    OF_DEFINITIONS = 3        # only Table_maps are judged, by their names

cdef class RowScope:
    cdef Conditions conditions
    cdef int of
    cdef GtidFilter include_gtids      # None: all
    cdef GtidFilter exclude_gtids      # None: none
    cdef bint by_time
    cdef int64_t start_time            # microseconds since 1970 UTC
    cdef int64_t stop_time
    cdef uint64_t start_position
    cdef uint64_t stop_position
    cdef readonly RowScope inside      # None inside payloads
    # memory
    cdef InflatedEvent inflated
    cdef TableMaps maps                # filled if names are a condition
    cdef bint open                     # a transaction is
    cdef bint over                     # the last event ended it
    cdef bint wanted                   # the transaction, by its GTID
    cdef int64_t thread                # of the transaction; -1: not known
    cdef uint64_t group_position       # where it begins
    cdef bint is_inside                # a payload, whose position this is:
    cdef uint64_t payload_position

    cdef int judge(self, p_const_Event e, p_const_Format format) except -1 nogil
    cdef bint follow(self, p_const_Event e, p_const_Format format) noexcept nogil
    # KEPT or a mark.
    cdef int match(self, p_const_Event e, p_const_Format format, bint belongs) except -1 nogil
    cdef bint match_gtid(self, const Gtid* gtid) noexcept nogil
    cdef bint match_position(self, uint64_t position) noexcept nogil
    cdef bint match_table(self, p_const_Event e, p_const_Format format) noexcept nogil
