# GtidWindow: MariaDB's start and stop positions by GTID.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format

# Where an event lies, as place_of() says.
cdef enum WindowPlace:
    WITHIN = 0
    OUTSIDE = 1
    AFTER = 2         # all that was asked for came before
    UNREADABLE = -1

# How far a domain's transactions have come.
cdef enum Stage:
    BEFORE = 0
    OPEN = 1
    OVER = 2

cdef struct Domain:
    uint32_t id
    bint has_start
    bint has_stop
    uint64_t start           # the last sequence number that is not asked for
    uint64_t stop            # the last one that is
    uint8_t stage
    bint reached             # a sequence number came that is not less than the start

cdef class GtidWindow:
    cdef Domain* domains
    cdef Py_ssize_t count
    cdef bint has_stops
    cdef bint outside                 # the current transaction is not asked for
    cdef readonly bint ended          # the stop of every domain was passed
    cdef readonly int lists           # Gtid_list events so far; from the second on they are not counted
    cdef tuple start_gtids
    cdef tuple stop_gtids

    cdef Domain* add(self, uint32_t id) noexcept
    cdef Domain* domain(self, uint32_t id) noexcept nogil
    cdef int take_list(self, const Event* e, const Format* format) noexcept nogil
    cdef int take(self, uint32_t id, uint64_t number) noexcept nogil
    cdef int place_of(self, const Event* e, const Format* format) noexcept nogil
