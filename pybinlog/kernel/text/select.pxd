# Selection: which events are asked for.
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format
from pybinlog.kernel.scan.gtid_filter cimport GtidFilter
from pybinlog.kernel.text.gtid_window cimport GtidWindow
from pybinlog.kernel.text.printer cimport Options, Progress

cdef class Selection:
    cdef Options options
    cdef Progress progress
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef readonly GtidWindow window     # None: no position is told by GTIDs
    cdef bytes database
    cdef public bint inside_payload     # the events at hand are those of a Transaction_payload

    cdef void choose_as(self, Selection other)
    cdef bint skips_database(self, const char* name, size_t length) noexcept nogil
    # DONE; FILTERED where only its position is shown; SKIPPED; STOPPED where all before it were; CORRUPT. What the
    # filters remember goes on by the event.
    cdef int asked_for(self, const Event* e, const Format* format) noexcept nogil
    cdef int filtered_by_gtid(self, const Event* e, const Format* format) noexcept nogil
