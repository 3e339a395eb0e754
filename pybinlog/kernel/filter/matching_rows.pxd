# MatchingRows: the rows of row events that meet a condition on their values.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.condition.row_condition cimport RowCondition
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMaps
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent

cdef class MatchingRows:
    cdef readonly RowCondition condition
    cdef object slow_path
    cdef readonly object raised        # the error after which nothing matches: the condition does not fit a table
    cdef TableMaps maps
    cdef InflatedEvent inflated
    cdef object large                  # the row images of a compressed event that is not ordinary
    cdef Text kept                     # the rows of an event that match

    # Keep a Table_map. False if it cannot be read, or `raised`.
    cdef bint map_table(self, const Event* e, EventBatch batch) noexcept nogil
    # Leave in an event of a table the rows that match. False if none does, or `raised`; True for an event that cannot be read.
    cdef bint match(self, Event* e, EventBatch batch, uint64_t table_id) noexcept nogil
    cdef bint inflate(self, const Event* e, EventBatch batch, RowsFields* fields) noexcept nogil
    # Inflate an event that is not ordinary; set `raised`, or return False if it is broken.
    cdef bint inflate_large(self, const Event* e, EventBatch batch, RowsFields* fields) noexcept with gil
    # Leave the rows in `kept` in an event, or set `raised` and return False. `head` bytes come before its rows.
    cdef bint cut(self, Event* e, EventBatch batch, size_t head) noexcept with gil
