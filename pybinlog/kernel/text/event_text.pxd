# EventText: the text of one event after the other.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.scan.query_fields cimport LastStatus
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.rows_text cimport RowsCursor
from pybinlog.kernel.text.select cimport Selection
from pybinlog.kernel.rows.table_map cimport TableMaps
from pybinlog.kernel.base.text cimport Text

cdef class EventText(Selection):
    cdef RowsFields rows                # of the current row event
    cdef RowsCursor cursor              # and how far its rows are written
    cdef TableMaps maps                 # in force, for the rows' text
    cdef Text ignored                   # ids of the tables whose database --database leaves out
    cdef Text deferred                  # Intvar, Rand, User_var events that wait for their statement
    cdef Py_ssize_t deferred_count
    cdef LastStatus[4] last_status
    cdef bint force_if_open
    cdef public bint verify_checksum     # before an event is printed or left out
    cdef public size_t hand_on_at        # bytes of finished text at which it is passed on

    cdef int event_text(self, Event* e, EventBatch batch) noexcept nogil
    cdef int query_event(self, Event* e, Event* shown, EventBatch batch) noexcept nogil
    cdef int rows_event(self, Event* e, EventBatch batch) noexcept nogil
    cdef bint ignores(self, uint64_t table_id) noexcept nogil
    cdef int defer(self, Event* e) noexcept nogil
    cdef int put_deferred(self, EventBatch batch) noexcept nogil
    cdef int loop(self, EventBatch batch, Py_ssize_t* index) noexcept nogil

cdef const char* rows_name(unsigned char type) noexcept nogil
