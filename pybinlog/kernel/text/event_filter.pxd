# EventFilter: which events are asked for.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport FORMAT_DESCRIPTION, ROTATE, Event, Format
from pybinlog.kernel.scan.gtid_fields cimport GtidFilter
from pybinlog.kernel.text.printer cimport DONE, SKIPPED, STOPPED, Options, Progress

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

cdef class EventFilter:
    cdef Options options
    cdef Progress progress
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef readonly GtidWindow window     # None: no position is given by GTIDs
    cdef bytes database
    cdef public bint inside_payload     # the current events are those of a Transaction_payload

    cdef void filter_as(self, EventFilter other)
    cdef bint skips_database(self, const char* name, size_t length) noexcept nogil
    cdef int filtered_by_window(self, const Event* e, const Format* format) noexcept nogil
    cdef int filtered_by_gtid(self, const Event* e, const Format* format) noexcept nogil


cdef inline int filter_event(EventFilter filter, const Event* e, const Format* format) noexcept nogil:
    """DONE; FILTERED where only its position is shown; SKIPPED; STOPPED where all before it were; CORRUPT.

    What the filters remember moves on by the event.
    """
    cdef Options* options = &filter.options
    cdef int outcome
    if filter.window is not None:
        outcome = filter.filtered_by_window(e, format)
        if outcome != DONE:
            return outcome
    if e.type != FORMAT_DESCRIPTION:
        if filter.progress.events < options.offset or e.timestamp < options.start_datetime:
            return SKIPPED
        # from the first event that is late enough on, all are: a log may go back in time
        options.start_datetime = 0
        options.offset = 0
        if e.type != ROTATE and options.server_id and options.server_id != (e.server_id & options.server_id_mask):
            return SKIPPED
    if not filter.inside_payload and e.position >= options.stop_position:
        return STOPPED
    if e.timestamp >= options.stop_datetime:
        return SKIPPED if filter.inside_payload else STOPPED
    if filter.include_gtids is None and filter.exclude_gtids is None and not options.skip_gtids:
        return DONE
    return filter.filtered_by_gtid(e, format)
