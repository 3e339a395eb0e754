# Selection: which events are printed.
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format
from pybinlog.kernel.scan.gtid_filter cimport GtidFilter
from pybinlog.kernel.text.gtid_window cimport GtidWindow
from pybinlog.kernel.text.printer cimport Options, Printer, Progress

cdef class Selection:
    cdef Printer printer
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef readonly GtidWindow window     # None: no position is given by GTIDs
    cdef bytes database
    cdef bint inside_payload            # the current events are those of a Transaction_payload

    cdef bint skips_database(self, const char* name, size_t length) noexcept nogil
    # Everything before the event's own text: whether it is asked for, and its "# at" line.
    cdef int begin(self, Event* e, EventBatch batch) noexcept nogil

# Whether an event is asked for: DONE; FILTERED where only its position is shown; SKIPPED; STOPPED where all before it
# were; CORRUPT. What the filters remember moves on by the event.
cdef int asked_for(
    Options* options, Progress* progress, GtidFilter wanted, GtidFilter unwanted, GtidWindow window,
    bint inside_payload, const Event* e, const Format* format
) noexcept nogil
cdef int filtered_by_gtid(
    const Options* options, Progress* progress, GtidFilter wanted, GtidFilter unwanted, const Event* e,
    const Format* format
) noexcept nogil
