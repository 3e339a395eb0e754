from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.rows.image_route cimport COUNT_INTERRUPTED, count_rows, ImageRoute, ROUTED_TABLES
from pybinlog.kernel.rows.table_map cimport TableMaps, p_TableMap
from pybinlog.kernel.scan.digests cimport Digests
from pybinlog.kernel.scan.query_fields cimport LastStatus, p_Query, Query, query_is_transaction_keyword
from pybinlog.kernel.scan.statement_tables cimport StatementTables
from pybinlog.kernel.views.event_group cimport EventGroup, p_EventGroup
from pybinlog.kernel.views.unlogged_rows cimport UnloggedRows


# Why add() came back; names of the module for Python code, too.
cpdef enum:
    VIEW_DONE = 0             # all events of the batch are in
    VIEW_FULL = 1             # pop() what is there, then continue with the same event
    VIEW_PAYLOAD = 2          # give the events inside this Transaction_payload, then continue after it
    VIEW_COMPRESSED = 3       # give this compressed event of MariaDB again, inflated
    VIEW_CORRUPT = 4          # a length in the event reaches beyond its end
    VIEW_NO_TABLE = 5         # rows of a table that no Table_map described
    VIEW_UNREADABLE = 6       # a row cannot be read on
    VIEW_TOO_LARGE = 7        # a value does not fit into an Arrow column
    VIEW_NO_MEMORY = 8
    VIEW_ENCRYPTED = 9        # MariaDB's: the events after this one cannot be read
    VIEW_REFUSED = 10         # `refused` has the error that says why
    VIEW_RARE = 11            # Python must read the event's fields (layout), then continue after it
    VIEW_INTERRUPTED = 12     # never seen: add() raises the error of a signal's handler

cdef struct Name:
    const char* data
    size_t length

cdef class ViewEvents:
    cdef TableMaps maps
    cdef ImageRoute routes[4 * ROUTED_TABLES]  # through images whose rows are counted, four for a table
    cdef EventGroup group
    cdef bint group_over              # the current event is the last of its group
    cdef int64_t group_thread         # of its BEGIN, or of MariaDB's Gtid; -1 if it is not known
    cdef int64_t first_thread         # of its first statement; -1 if none has come
    cdef bint thread_wanted
    cdef uint64_t sql_mode            # of the transaction's last Query that has one; 0 if none has
    cdef bint belongs                 # the current event is one of the group's
    cdef bint inside                  # a Transaction_payload
    cdef uint64_t payload_position
    cdef uint64_t payload_end
    cdef bytes file                   # as UTF-8
    cdef const char* file_data
    cdef size_t file_length
    cdef public uint64_t log_number   # by the file's name; 0 if that has none
    cdef public int file_number       # of the span's, from 0
    cdef public object catalog        # knows tables whose Table_maps do not say all; None: ask no one
    cdef uint32_t server_start        # when the server was started, by the last log that says so; 0 if none does
    cdef public uint64_t definitions  # counts the changes of what the catalog knows, from 1
    cdef public object rolled_back    # see Span.rolled_back; None: no transaction is omitted
    cdef public Digests digests       # of statements; None if nobody wants them
    cdef public StatementTables statements  # judges statements; None if nobody wants that
    cdef public UnloggedRows unlogged # counts those of rows that the log does not contain; None: nothing does
    cdef public object cascades       # finds the foreign keys that a change runs; None: nothing does
    cdef bint watches_cascades        # some are known
    cdef bint keys_only               # the catalog knows nothing else
    cdef dict cascade_plans           # by a Table_map's number: what its changes run, as `cascades` said
    cdef uint64_t cascading_map       # of the current statement, the last whose foreign keys were noted; 0: none were
    cdef bint by_group                # what it notes waits for the end of the transaction
    cdef public uint64_t hide_before  # events before this position are followed, but give no rows
    # of the current event
    cdef Query query
    cdef LastStatus last_status[4]
    cdef bint has_query
    cdef bint rare                    # it is of a type that Python reads
    cdef bint defines                 # that query is DDL, as far as it is known
    cdef bint changes_rows            # the current event is a statement that changes rows, or may
    cdef Name database
    cdef Name table
    cdef p_TableMap map               # of a Table_map or row event; NULL: the table is not known
    cdef uint16_t rows_flags

    cdef int follow(self, p_Event e, p_const_Format format, const char* text, size_t length) except -1 nogil
    cdef int names_of(self, p_Event e, p_const_Format format) except -1 nogil
    cdef int read_small(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef void note_start(self, p_const_Event e) noexcept nogil
    cdef int count_rows_of(self, p_const_Event e, p_const_Format format, const char* data, size_t length) noexcept nogil
    cdef int count_others(self, p_const_Event e, p_const_Format format, const char* data, size_t length) noexcept nogil
    cdef int64_t thread_of(self) noexcept nogil
    cdef int32_t digest_of(self, const char* statement, size_t length) except? -2 nogil
    cdef int define(self, p_Event e) except -1 with gil
    cdef tuple logged(self, p_const_Event e)
    cdef int describe(self, p_Event e, p_TableMap map, size_t names) except -1 nogil
    cdef int lend(self, p_Event e, p_TableMap map, size_t names) except -1 with gil
    cdef int note_unlogged(self, p_const_Event e) except -1 nogil
    cdef int note_cascades(
        self, p_const_Event e, p_const_Format format, const char* data, size_t length
    ) except -1 nogil
    cdef int ask_cascades(self, p_const_Event e) except -1 with gil
    cdef int note_plan(self, int operation, uint64_t changed) except -1 with gil
    cdef int note_statement_cascades(self, uint8_t type, bint noted) except -1 with gil
    cdef bint left_out(self) noexcept nogil
    cdef bint is_rolled_back(self) noexcept with gil
    cdef bint hidden(self, p_const_Event e) noexcept nogil
    cdef bint chosen(self, p_const_Event e) noexcept nogil
    cdef bint cuts_group(self, p_const_Event e) noexcept nogil
