# Filter: the stage that marks the events to drop.
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_Event
from pybinlog.kernel.base.text cimport put_memory, Text, text_free
from pybinlog.kernel.filter.event_conditions cimport ENDS, EventConditions, KEPT
from pybinlog.kernel.filter.transaction_scope cimport TransactionScope
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent


cdef class DatabaseCondition:
    cdef bytes name
    cdef const char* characters        # its own
    cdef size_t length
    cdef object name_in_load           # (batch, index) -> the database of an old LOAD DATA event, None: unreadable
    cdef InflatedEvent inflated
    cdef Text ignored                  # ids of the current statement's tables in other databases

    cdef int judge(self, EventBatch batch, Py_ssize_t index) noexcept nogil
    cdef bint differs(self, const char* name, size_t length) noexcept nogil
    cdef int judge_load(self, EventBatch batch, Py_ssize_t index) noexcept with gil
    cdef int judge_query(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int judge_rows(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef bint ignores(self, uint64_t table_id) noexcept nogil

cdef class Filter:
    cdef EventConditions events
    cdef DatabaseCondition database          # None: all
    cdef TransactionScope transactions       # None: each event is judged by itself
    cdef bint over

    cdef void mark(self, EventBatch batch) noexcept nogil
