# TextState: what the text of a dump remembers between two events.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.text.printer cimport Options, Progress, Session
from pybinlog.kernel.scan.query_fields cimport LastStatus

cdef class TextState:
    cdef Options options
    cdef Session session
    cdef Progress progress
    cdef Py_ssize_t deferred             # Intvar, Rand, User_var events that wait for their statement

    cdef LastStatus[4] last_status
    cdef bint head_waits                 # the "# at" line of an event that was left out
    cdef uint64_t tables[256]            # mapped in the batch that is carried over
    cdef int table_count
    cdef uint64_t ignored[64]            # tables that --database leaves out
    cdef int ignored_count

    cdef bint knows_table(self, uint64_t table_id) noexcept nogil
    cdef bint ignores(self, uint64_t table_id) noexcept nogil
    cdef bint leaves_out(self, const char* name, size_t length) noexcept nogil
    cdef bint shows_table(self, EventBatch batch, const Event* e) noexcept nogil
    cdef bint step_statement(self, EventBatch batch, const Event* e) noexcept nogil
    cdef bint step_query(self, EventBatch batch, const Event* e) noexcept nogil
    cdef bint take_gtid(self, EventBatch batch, const Event* e) noexcept nogil
    cdef bint step(self, EventBatch batch, const Event* e) noexcept nogil
