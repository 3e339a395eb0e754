# The words that statements begin with.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.scan.query_fields cimport QueryParts

# A statement that only begins, ends or divides a transaction: BEGIN, COMMIT, SAVEPOINT, XA ... True if it is unreadable.
cdef bint is_frame_word(const QueryParts* parts, const Event* e, const Format* format) noexcept nogil
# Its Operation.
cdef int statement_operation(const QueryParts* parts, const Event* e, const Format* format) noexcept nogil
# Those of compressed ones, apart: a function with Python objects takes the GIL whenever it is called.
cdef bint inflated_is_frame_word(const Event* e, const Format* format) noexcept with gil
cdef int inflated_operation(const Event* e, const Format* format) noexcept with gil
