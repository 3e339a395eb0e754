# TransactionScope: keeps whole transactions with their frames.
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_Event
from pybinlog.kernel.base.text cimport put_memory, Text, text_free
from pybinlog.kernel.filter.conditions cimport Conditions
from pybinlog.kernel.filter.event_conditions cimport ENDS, EventConditions, KEPT
from pybinlog.kernel.filter.frame cimport Frame, MatchingRows
from pybinlog.kernel.scan.gtid_fields cimport maria_gtid_parse, MariaGtid
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.payload cimport PayloadReader

# A table of the current statement.
cdef struct StatementTable:
    uint64_t id
    bint matches

cdef class TransactionScope:
    cdef Conditions conditions
    cdef EventConditions events        # None inside payloads
    cdef object warn
    cdef TransactionScope inside       # for the events of payloads; None inside them
    cdef PayloadReader payloads        # None: `slow_path` reads all
    cdef object slow_path
    cdef bint keeps_all                # nothing is asked
    cdef bint judges_events            # `events` asks something of the events of the current batch
    cdef bint frames_wait              # nothing is asked of the events that only frame a transaction or a statement
    cdef readonly MatchingRows rows    # None: there is no condition on their values
    cdef readonly bint ended           # nothing more is kept
    cdef readonly object raised        # the error that ended it
    cdef bint resolves                 # XA transactions are kept whole only: a cut-off group, or decision, is dropped
    cdef readonly list undecidable     # of the decisions that `resolves` dropped: the ids
    cdef dict prepared_xids            # of XA transactions without their end so far: whether something of them is kept
    cdef Frame frame
    cdef InflatedEvent inflated

    # of the current transaction
    cdef bint in_group
    cdef bint in_xa
    cdef bint xa_ended                 # its XA END came
    cdef bytes xid
    cdef bint thread_in_filter         # BEGIN came in a thread that matches
    cdef bint server_in_filter
    cdef Text tables                   # of the current statement: an array of StatementTable
    cdef bint rows_kept                # rows of the current statement are kept

    cdef int judge(self, p_Event e, EventBatch batch) except -1 nogil
    cdef int judge_foreign(self, p_const_Event e, EventBatch batch) except -1 nogil
    cdef void note_prepared(self, p_const_Event e, EventBatch batch, bint kept) noexcept nogil
    cdef int judge_query(self, p_const_Event e, EventBatch batch) except -1 nogil
    cdef int judge_second_phase(self, const char* text, size_t length, int otherwise) noexcept nogil
    cdef int judge_table(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int judge_rows(self, p_Event e, EventBatch batch) noexcept nogil
    cdef void fail(self, object error) noexcept
    cdef bint thread_matches(self) noexcept nogil
    cdef bint is_named(self, uint8_t kind) noexcept nogil
    cdef void keep_maria_xid(self, const MariaGtid* gtid) noexcept nogil
    cdef void keep_xid(self, const char* text, size_t length) noexcept nogil
    cdef bint run(self, EventBatch batch, Py_ssize_t* index) except -1 nogil
    cdef inline void carry_out(self, EventBatch batch, Py_ssize_t index, int verdict) noexcept nogil
    cdef bint payload_matches(self, EventBatch batch, Py_ssize_t index) except -1
    cdef void begin_group(self, p_const_Event e) noexcept nogil
    cdef void end_group(self) noexcept nogil

# Used in this module only.
cdef bint begins_group(p_const_Event e) noexcept nogil
cdef bint ends_group(p_const_Event e) noexcept nogil
