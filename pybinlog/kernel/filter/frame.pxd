# Frame: the events of a transaction that wait until one of it matches.
from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.batch cimport bytes_of, EventBatch
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_Event
from pybinlog.kernel.base.text cimport Text, text_free, text_take
from pybinlog.kernel.condition.row_condition cimport KEPT_FAILED, RowCondition
from pybinlog.kernel.rows.rows cimport p_RowsFields, rows_parse, RowsFields
from pybinlog.kernel.rows.table_map cimport p_TableMap, TableMaps
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
    cdef bint map_table(self, p_const_Event e, EventBatch batch) noexcept nogil
    # Leave in an event of a table the rows that match. False if none does, or `raised`; True for an event that cannot be read.
    cdef bint match(self, p_Event e, EventBatch batch, uint64_t table_id) noexcept nogil
    cdef bint inflate(self, p_const_Event e, EventBatch batch, p_RowsFields fields) noexcept nogil
    # Inflate an event that is not ordinary; set `raised`, or return False if it is broken.
    cdef bint inflate_large(self, p_const_Event e, EventBatch batch, p_RowsFields fields) noexcept with gil
    # Leave the rows in `kept` in an event, or set `raised` and return False. `head` bytes come before its rows.
    cdef bint cut(self, p_Event e, EventBatch batch, size_t head) noexcept with gil

cdef enum:
    # Bytes of a frame that may wait: with more (savepoints, blocks of LOAD DATA) a transaction is always kept.
    MOST_WAITING = 1 << 20

# The verdict about an event.
cdef enum Verdict:
    DROPPED = 0
    MATCHES = 1               # it matches: keep it and the waiting events
    FRAMES = 2                # it is kept if something of its transaction matches
    PREPARES = 3              # it is kept if something of its statement does
    STANDS_APART = 4          # of no transaction: it is kept, and changes nothing
    ENDS_ROWS = 5             # the end of a statement whose rows before it are kept
    DROPS_STATEMENT = 6       # dropped, and what waits of its statement
    ASKS_PAYLOAD = 7          # a Transaction_payload

cdef class Frame:
    cdef readonly bint kept            # something of the transaction matched, and so its frame is kept
    # what waits: first the events in `held`, then those of the batch from `first` to before `to`
    cdef EventBatch held               # None if there is none
    cdef Py_ssize_t held_count
    cdef list ready                    # what was held and is kept
    cdef Py_ssize_t first
    cdef Py_ssize_t to                 # the next free place in the batch
    cdef Py_ssize_t statement          # the first that waits of the statement, counted from the first that waits; or -1
    cdef uint64_t waiting              # bytes of them
    cdef uint64_t statement_waiting    # of the statement's among them

    cdef void begin_batch(self, EventBatch batch)
    cdef list end_batch(self, EventBatch batch)
    cdef void carry_out(self, EventBatch batch, Py_ssize_t index, int verdict) noexcept nogil
    # Let an event be the next one in the batch that is kept, or waits.
    cdef void append(self, EventBatch batch, Py_ssize_t index) noexcept nogil
    cdef void overtake(self, EventBatch batch, Py_ssize_t index) noexcept nogil
    cdef void drop_statement(self) noexcept nogil
    cdef void drop_waiting(self) noexcept nogil
    cdef void keep_waiting(self) noexcept nogil
    cdef object hold(self, EventBatch batch)

cdef inline void frame_wait(Frame frame, EventBatch batch, Py_ssize_t index, bint prepares) noexcept nogil:
    """Let an event wait, with its statement if it `prepares` one; or keep it, if the frame is kept."""
    cdef uint64_t size = batch.events[index].event_size
    if prepares and frame.statement < 0:
        frame.statement = frame.held_count + frame.to - frame.first
        frame.statement_waiting = 0
    if frame.to != index:
        batch.events[frame.to] = batch.events[index]
    frame.to += 1
    if frame.kept and not prepares:
        frame.keep_waiting()
        return
    frame.waiting += size
    if prepares:
        frame.statement_waiting += size
    if frame.waiting > MOST_WAITING:
        frame.keep_waiting()
        frame.kept = True
