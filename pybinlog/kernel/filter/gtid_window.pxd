# GtidWindow: the transactions between two of MariaDB's GTID positions.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format


cdef enum WindowPlace:
    WITHIN = 0
    OUTSIDE = 1
    AFTER = 2         # every wanted event came before
    UNREADABLE = -1

# How far a domain's transactions have come.
cdef enum Stage:
    BEFORE = 0
    OPEN = 1
    OVER = 2

# Why a log's first Gtid_list does not fit the positions.
cpdef enum Contradiction:
    LACKS_TRANSACTIONS = 0    # the log begins after the start
    START_LACKS_DOMAIN = 1    # the start names no GTID of a domain that the list has
    BEGINS_AFTER_STOP = 2

cdef struct Domain:
    uint32_t id
    bint has_start
    bint has_stop
    uint64_t start           # the last sequence number before the window
    uint64_t stop            # the last one in it
    uint8_t stage
    bint reached             # a sequence number came that is not less than the start

cdef class GtidWindow:
    cdef Domain* domains
    cdef Py_ssize_t count
    cdef bint has_stops
    cdef bint outside                 # the current transaction is outside
    cdef bint listed                  # the first Gtid_list came
    cdef tuple start_gtids
    cdef tuple stop_gtids
    cdef readonly uint64_t listed_at  # its position
    cdef readonly list contradictions # (domain, server, sequence number, Contradiction) of the first Gtid_list

    cdef Domain* add(self, uint32_t id) noexcept
    cdef Domain* domain(self, uint32_t id) noexcept nogil
    cdef int read_list(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef bint compare(self, p_const_Event e, p_const_Format format) noexcept with gil
    cdef int begin_transaction(self, uint32_t id, uint64_t number) noexcept nogil
    cdef int place_of(self, p_const_Event e, p_const_Format format) noexcept nogil
