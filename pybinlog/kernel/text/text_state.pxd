# TextState: what the text of a dump remembers between two events, and how an event changes it.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport octets, p_const_Event
from pybinlog.kernel.rows.rows cimport statement_head, StatementHead, TableIds
from pybinlog.kernel.scan.gtid_fields cimport Gtid, MariaGtid
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.query_fields cimport LastStatus, p_Query, Query
from pybinlog.kernel.text.printer cimport Options, Progress, Session, SessionNames

# The effect of an event on the text, as a set of bits. If neither SHOWN nor PUTS_AT is in it, the event has no text.
cdef enum Action:
    SHOWN = 0x0001              # it has text of its own
    PUTS_AT = 0x0002            # its position is shown, alone if it is not SHOWN
    HELPED = 0x0004             # its text is not made by the compiled loop
    ADDS_COMMIT = 0x0010        # before it, what a filter left open is closed
    ENDS_LOG = 0x0020           # before it, the log before is closed
    OPENS = 0x0040              # a transaction begins
    CLOSES = 0x0080             # and ends
    TELLS_GTID = 0x0100         # the next transaction's
    USES_GTID = 0x0200          # a statement that commits by itself
    SKIPS = 0x0400              # a part of the transaction that was cut out
    SETS_SESSION = 0x0800
    DEFERS = 0x1000             # it waits for the statement that uses it
    USES_DEFERRED = 0x2000      # a statement, printed or omitted
    HOLDS = 0x8000              # its text waits for the end of the statement
    FLUSHES = 0x10000           # and that end is here
    BEGINS_LOG = 0x20000        # a Format_description
    TELLS_MARIA_GTID = 0x40000  # of the transaction that begins with it
    TRACES = 0x73FF0            # all that leave a trace, but for HOLDS

cdef class TextState:
    cdef Options options                 # of the text; what is kept of a log, the filter has said before
    cdef Progress progress
    cdef Session session
    cdef SessionNames names
    cdef LastStatus[4] last_status
    cdef TableIds mapped                 # in the current part; None if no rows are shown. It may forget some
    cdef public bint lacks_table         # rows are shown whose table was not mapped in the current part
    cdef bint passes_over                # printing the events looks at their GTIDs
    cdef p_const_Event last_gtid         # the last that was skipped so
    # of the event whose action was made last, if it has one
    cdef Query query
    cdef Gtid gtid
    cdef MariaGtid maria_gtid
    cdef StatementHead head
    cdef InflatedEvent inflated          # what a compressed one stands for

    # An Action, or CORRUPT. It changes nothing.
    cdef int action_of(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int query_action(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef bint inflate_query(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int maria_action(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int load_action(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int statement_action(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef void trace(self, p_const_Event e, EventBatch batch, int action) noexcept nogil
    # Events that are not printed here: their actions, settled.
    cdef int step_until_helped(self, EventBatch batch, Py_ssize_t* index) noexcept nogil
    cdef void note_table(self, p_const_Event e, int action) noexcept nogil
    cdef void assign(self, TextState other)


cdef inline void settle(TextState state, p_const_Event e, EventBatch batch, int action) noexcept nogil:
    """An event is done with: what its action leaves in the state."""
    if action & (SHOWN | FLUSHES):
        state.progress.head_waits = False
    elif action & PUTS_AT:
        state.progress.head_waits = True
    if action & HOLDS:
        state.progress.unflushed = True
    elif action & TRACES:
        state.trace(e, batch, action)

# Used in this module only.
cdef int other_action(uint8_t kind) noexcept nogil
