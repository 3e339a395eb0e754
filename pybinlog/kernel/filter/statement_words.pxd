# The words that statements begin with. `inflated` is the caller's own: threads may not share one.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.classify cimport QueryParts

# A statement that only begins, ends or divides a transaction: BEGIN, COMMIT, SAVEPOINT, XA ... True if it is unreadable.
cdef bint is_frame_word(
    InflatedEvent inflated, const QueryParts* parts, const Event* e, const Format* format
) noexcept nogil
# Its Operation.
cdef int statement_operation(
    InflatedEvent inflated, const QueryParts* parts, const Event* e, const Format* format
) noexcept nogil
