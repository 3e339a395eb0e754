# EventText: the text of one event after the other.
from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.text cimport put_bytes, put_memory, Text, text_free, text_grow
from pybinlog.kernel.rows.rows cimport ROWS_MORE, rows_parse, RowsFields
from pybinlog.kernel.rows.rows_text cimport rows_begin, rows_more, RowsCursor
from pybinlog.kernel.rows.table_map cimport TableMaps
from pybinlog.kernel.text.carried_state cimport LentNames
from pybinlog.kernel.text.postponed cimport PostponedEvents
from pybinlog.kernel.text.printer cimport p_Printer, Printer
from pybinlog.kernel.text.text_state cimport TextState

cdef class EventText:
    cdef TextState state
    cdef Printer printer
    cdef RowsFields rows                # of the current row event
    cdef RowsCursor cursor              # and how far its rows are written
    cdef TableMaps maps                 # in force, for the rows' text
    cdef LentNames lent                 # what they lack; None: nothing is lent
    cdef PostponedEvents postponed      # of the current statement, if it is large
    cdef Text deferred                  # Intvar, Rand, User_var events that wait for their statement
    cdef int action                     # of the event that left the loop
    cdef bint force_if_open
    cdef bint inside_payload            # the current events are those of a Transaction_payload
    cdef bint verify_checksum           # before an event is printed or omitted
    cdef size_t hand_on_at              # bytes of finished text at which it is passed on
    cdef size_t postpone_at             # bytes of text that wait from which on a statement's later events are postponed

    cdef void drop_all(self) noexcept nogil
    cdef int query_text(self, p_const_Event e, EventBatch batch, int action) noexcept nogil
    cdef int statement_text(self, p_const_Event e, EventBatch batch, int action) noexcept nogil
    # Note a statement's event: it is postponed, or from here on they are. The result of its text, or NO_MEMORY.
    cdef int note(self, p_const_Event e, EventBatch batch, bint own, int status) noexcept nogil
    cdef bint remaps(self, p_const_Event e, EventBatch batch) noexcept nogil
    # Print postponed events from that index on: BINLOG text, or their rows. DONE, FULL or an error.
    cdef int again(self, EventBatch batch, Py_ssize_t* index, bint rows) noexcept nogil
    # `e` is the row event of type `kind`, or what that stands for.
    cdef int rows_text(self, p_const_Event e, EventBatch batch, int kind, int action) noexcept nogil
    # Let the map of a Table_map know what it lacks; False if there is no memory.
    cdef bint lend(self, p_const_Event e, EventBatch batch) noexcept nogil
    cdef int defer(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef int put_deferred(self, EventBatch batch) noexcept nogil
    cdef int loop(self, EventBatch batch, Py_ssize_t* index) noexcept nogil
