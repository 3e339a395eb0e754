# TextState: what the text of a dump remembers between two events.
from libc.stdint cimport uint64_t

from pybinlog.kernel.batch cimport EventBatch
from pybinlog.kernel.event cimport Event
from pybinlog.kernel.printer cimport Options, Progress, Session

cdef class TextState:
    cdef Options options
    cdef Session session
    cdef Progress progress
    cdef Py_ssize_t deferred             # Intvar, Rand, User_var events that wait for their statement

    cdef uint64_t tables[256]            # mapped in the batch that is gone over
    cdef int table_count

    cdef bint knows_table(self, uint64_t table_id) noexcept nogil
    cdef bint step(self, EventBatch batch, const Event* e) noexcept nogil
