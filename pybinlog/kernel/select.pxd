# Selection: which events are printed.
from pybinlog.kernel.batch cimport EventBatch
from pybinlog.kernel.event cimport Event
from pybinlog.kernel.gtid cimport GtidFilter
from pybinlog.kernel.printer cimport Printer

cdef class Selection:
    cdef Printer printer
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef bint filters_gtids             # whether any of the options about GTIDs is given
    cdef bytes database
    cdef bint inside_payload            # the events at hand are those of a Transaction_payload

    cdef bint filtered_by_gtid(self, const Event* e, EventBatch batch, int* status) noexcept nogil
    cdef bint skips_database(self, const char* name, size_t length) noexcept nogil
    # Everything before the event's own text: whether it is asked for, and its "# at" line.
    cdef int begin(self, Event* e, EventBatch batch) noexcept nogil
