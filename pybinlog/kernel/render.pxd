# Renderer: batches of events -> the text of a dump.
from libc.stdint cimport uint8_t, uint64_t

from pybinlog.kernel.batch cimport EventBatch
from pybinlog.kernel.event cimport Event
from pybinlog.kernel.gtid cimport GtidFilter
from pybinlog.kernel.printer cimport Printer
from pybinlog.kernel.rows cimport RowsCursor, RowsFields
from pybinlog.kernel.table_map cimport TableMaps
from pybinlog.kernel.text cimport Text

cdef class Renderer:
    cdef Printer printer
    cdef RowsFields rows                # of the row event at hand
    cdef RowsCursor cursor              # and how far its rows are written
    cdef TableMaps maps                 # in force, for the rows' text
    cdef TableMaps ignored              # those of databases that --database leaves out
    cdef Text deferred                  # Intvar, Rand, User_var events that wait for their statement
    cdef Py_ssize_t deferred_count
    cdef GtidFilter include_gtids
    cdef GtidFilter exclude_gtids
    cdef bint force_if_open
    cdef bint inside_payload
    cdef bytes database
    cdef readonly object helper
    cdef object write
    cdef object warn
    cdef object body_file               # what did not fit `body` and `footer`
    cdef object footer_file
    cdef readonly bint stopped
    cdef public object gtid_session     # what MariaDB's GTIDs have set in the session; None: nothing yet
    cdef public object old_loads        # LOAD DATA of servers before 5.0.3 that wait for their Execute_load, by file_id

    cdef bint filtered_by_gtid(self, const Event* e, EventBatch batch, int* status) noexcept nogil
    cdef bint skips_database(self, const char* name, size_t length) noexcept nogil
    cdef int begin(self, Event* e, EventBatch batch) noexcept nogil
    cdef int event_text(self, Event* e, EventBatch batch) noexcept nogil
    cdef int query_event(self, Event* e, Event* shown, EventBatch batch) noexcept nogil
    cdef int rows_event(self, Event* e, EventBatch batch) noexcept nogil
    cdef int defer(self, Event* e) noexcept nogil
    cdef int put_deferred(self, EventBatch batch) noexcept nogil
    cdef int loop(self, EventBatch batch, Py_ssize_t* index) noexcept nogil
    cdef void finish_rows(self)
    cdef void spill(self)
    cdef void flush_statement(self)
