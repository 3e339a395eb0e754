# Filter: the stage that marks the events to drop.
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.filter.database cimport DatabaseCondition
from pybinlog.kernel.filter.event_conditions cimport EventConditions
from pybinlog.kernel.filter.transaction_scope cimport TransactionScope

cdef class Filter:
    cdef EventConditions events
    cdef DatabaseCondition database          # None: all
    cdef TransactionScope transactions       # None: each event is judged by itself
    cdef bint over

    cdef void mark(self, EventBatch batch) noexcept nogil
