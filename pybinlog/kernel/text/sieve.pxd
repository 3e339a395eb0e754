# Sieve: leaves in a batch what is asked for, whole transactions with their frames.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.name_filter cimport NameFilter
from pybinlog.kernel.scan.payload cimport PayloadReader
from pybinlog.kernel.scan.query_fields cimport QueryParts
from pybinlog.kernel.text.event_filter cimport EventFilter

# What becomes of an event.
cdef enum Verdict:
    LEFT = 0                  # left out
    KEPT = 1                  # something that is asked for: it and what waits stay
    FRAMES = 2                # it stays where something of its transaction does
    PREPARES = 3              # it stays where something of its statement does
    STANDS_APART = 4          # of no transaction: it stays, and changes nothing
    ENDS_ROWS = 5             # the end of a statement whose rows before it stay
    DROPS_STATEMENT = 6       # left out, and what waits of its statement
    ASKS_PAYLOAD = 7          # a Transaction_payload

# A table of the current statement.
cdef struct StatementTable:
    uint64_t id
    bint matches

cdef class Sieve(EventFilter):
    cdef NameFilter names              # None: all
    cdef bint by_type
    cdef bint[256] types
    cdef int operations                # a sum of INSERTS and so on; 0: all
    cdef frozenset threads             # None: all
    cdef frozenset servers             # None: all
    cdef object warn
    cdef object is_kept                # (batch, index) -> whether something of a payload stays
    cdef PayloadReader payloads        # None: `is_kept` reads all
    cdef Sieve inside
    cdef readonly bint ended           # the end of what was asked for is reached
    cdef dict prepared_xids            # of XA transactions without their end so far: whether something of them stays

    # of the current transaction
    cdef bint in_group
    cdef bint kept                     # something of it stays, and so does its frame
    cdef bint in_xa
    cdef bytes xid
    cdef bint thread_in_filter         # BEGIN came in a thread that is asked for
    cdef bint server_in_filter
    cdef Text tables                   # of the current statement: an array of StatementTable
    cdef bint rows_kept                # rows of the current statement stay
    # what waits: first the events in `held`, then those of the batch from `first` to before `to`
    cdef EventBatch held               # None where none
    cdef Py_ssize_t held_count
    cdef list ready                    # what was held and stays
    cdef Py_ssize_t first
    cdef Py_ssize_t to                 # the next free place in the batch
    cdef Py_ssize_t statement          # the first that waits of the statement, counted from the first that waits; or -1
    cdef uint64_t waiting              # bytes of them
    cdef uint64_t statement_waiting    # of the statement's among them

    cdef int judge(self, const Event* e, EventBatch batch) noexcept nogil
    cdef int judge_foreign(self, const Event* e, EventBatch batch) noexcept nogil
    cdef void note_prepared(self, const Event* e, EventBatch batch, bint kept) noexcept nogil
    cdef int judge_query(self, const Event* e, EventBatch batch) noexcept nogil
    cdef int judge_second_phase(self, const char* text, size_t length, int otherwise) noexcept nogil
    cdef int judge_table(self, const Event* e, EventBatch batch) noexcept nogil
    cdef int judge_rows(self, const Event* e, EventBatch batch) noexcept nogil
    cdef bint thread_matches(self) noexcept nogil
    cdef bint has_thread(self, uint32_t thread_id) noexcept nogil
    cdef bint has_server(self, const Event* e) noexcept nogil
    cdef bint is_named(self, uint8_t kind) noexcept nogil
    cdef int operation_of(self, const QueryParts* parts, const Event* e, EventBatch batch) noexcept nogil
    cdef void take_xid(self, const char* text, size_t length) noexcept nogil
    cdef bint run(self, EventBatch batch, Py_ssize_t* index) noexcept nogil
    cdef void take(self, EventBatch batch, Py_ssize_t index, int verdict) noexcept nogil
    cdef bint payload_matches(self, EventBatch batch, Py_ssize_t index) except -1
    cdef void begin_group(self, const Event* e) noexcept nogil
    cdef void end_group(self) noexcept nogil
    cdef void drop_statement(self) noexcept nogil
    cdef void drop_waiting(self) noexcept nogil
    cdef void keep_waiting(self) noexcept nogil
    cdef object hold(self, EventBatch batch)
