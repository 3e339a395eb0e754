# What the three views have in common: which events are asked for, tables, transactions. See kernel/views/view_columns.py.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from pybinlog.kernel.views.arrow_column cimport ArrowColumn, ColumnKind
from pybinlog.kernel.base.batch cimport EventBatch
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.views.event_group cimport EventGroup
from pybinlog.kernel.scan.gtid_fields cimport Gtid, GtidFilter
from pybinlog.kernel.scan.name_filter cimport NameFilter
from pybinlog.kernel.scan.query_fields cimport Query
from pybinlog.kernel.rows.table_map cimport TableMap, TableMaps
from pybinlog.kernel.base.text cimport Text

# Why add() came back; names of the module for Python code, too.
cpdef enum:
    VIEW_DONE = 0             # all events of the batch are in
    VIEW_FULL = 1             # take() what is there, then continue with the same event
    VIEW_PAYLOAD = 2          # give the events inside this Transaction_payload, then continue after it
    VIEW_COMPRESSED = 3       # give this compressed event of MariaDB again, inflated
    VIEW_CORRUPT = 4          # a length in the event reaches beyond its end
    VIEW_NO_TABLE = 5         # rows of a table that no Table_map described
    VIEW_UNREADABLE = 6       # a row cannot be read on
    VIEW_TOO_LARGE = 7        # a value does not fit into an Arrow column
    VIEW_NO_MEMORY = 8
    VIEW_ENCRYPTED = 9        # MariaDB's: the events after this one cannot be read
    VIEW_REFUSED = 10         # `refused` has the error that says why

cdef struct Name:
    const char* data
    size_t length

cdef class ViewFilter:
    cdef list kept                    # the objects that the names point into
    cdef GtidFilter gtids             # None: all
    cdef GtidFilter excluded_gtids    # None: none
    cdef NameFilter patterns          # None: all
    cdef int operations               # a sum of INSERTS and so on; 0: all
    cdef frozenset servers            # None: all
    cdef frozenset threads            # None: all
    cdef int64_t start_time           # microseconds since 1970 UTC
    cdef int64_t stop_time
    cdef bint by_time
    cdef uint64_t first_position
    cdef uint64_t stop_position
    cdef bint by_type
    cdef bint types[256]
    cdef Name* databases
    cdef size_t database_count
    cdef Name* tables                 # pairs: database (NULL: any), table
    cdef size_t table_count

    cdef bint has_time(self, int64_t time) noexcept nogil
    cdef bint has_position(self, uint64_t position) noexcept nogil
    cdef bint has_gtid(self, const Gtid* gtid) noexcept nogil
    cdef bint has_ids(self, uint32_t server_id, int64_t thread_id) noexcept nogil
    cdef bint has_names(self, const Name* database, const Name* table) noexcept nogil

cdef class ViewColumns:
    cdef ArrowColumn** columns        # each stays where it is
    cdef size_t column_count
    cdef ArrowColumn** strings        # those that are wanted and hold bytes
    cdef size_t string_count
    cdef tuple names
    cdef ViewFilter filter
    cdef TableMaps maps
    cdef EventGroup group
    cdef bint group_over              # the current event is the last of its group
    cdef bint group_chosen            # by the GTID filter
    cdef int64_t group_thread         # of its BEGIN, or of MariaDB's Gtid; -1 where it is not known
    cdef bint thread_wanted
    cdef bint belongs                 # the current event is one of the group's
    cdef bint inside                  # a Transaction_payload
    cdef uint64_t payload_position
    cdef uint64_t payload_end
    cdef bytes file                   # as UTF-8
    cdef const char* file_data
    cdef size_t file_length
    cdef public uint64_t log_number   # by the file's name; 0 where that has none
    cdef public int file_number       # of the span's, from 0
    cdef public object spill          # takes the strings of a large value out of memory; see spill_to_file
    cdef readonly object refused      # after VIEW_REFUSED
    cdef public object catalog        # knows tables whose Table_maps do not say all; None: nobody is asked
    cdef public uint64_t definitions  # counts the changes of what the catalog knows, from 1
    cdef object raised                # by the catalog, for add() to raise
    cdef object inflated              # the content of the current compressed event
    cdef readonly int status
    cdef readonly size_t count        # rows so far in these columns
    cdef public uint64_t hide_before  # events before this position are followed, but give no rows
    cdef public bint permissive       # an event that cannot be read gives the row without its fields
    cdef public size_t most_rows
    cdef public size_t most_bytes
    # of the current event
    cdef Query query
    cdef bint has_query
    cdef bint defines                 # that query is DDL, as far as it is known
    cdef Name database
    cdef Name table
    cdef uint64_t table_id
    cdef uint16_t rows_flags

    cdef ArrowColumn* column(self, str name, ColumnKind kind) except NULL
    cdef size_t bytes_held(self) noexcept nogil
    cdef Py_ssize_t index_of(self, const Text* data) noexcept nogil
    cdef bint failed(self) noexcept nogil
    cdef bint too_large(self) noexcept nogil
    cdef int follow(self, Event* e, const Format* format, const char* text, size_t length) noexcept nogil
    cdef int names_of(self, Event* e, const Format* format) noexcept nogil
    cdef int count_rows_of(self, const Event* e, const Format* format, const char* data, size_t length) noexcept nogil
    cdef int64_t thread_of(self) noexcept nogil
    cdef int define(self, Event* e) noexcept nogil
    cdef int describe(self, Event* e, TableMap* map, size_t names) noexcept nogil
    cdef bint hidden(self, const Event* e) noexcept nogil
    cdef bint chosen(self, const Event* e) noexcept nogil
    cdef bint fits_filter(self, const Event* e) noexcept nogil
    cdef int event(self, Event* e, const Format* format, const char* text, size_t length) except -1 nogil
    cdef void end_of_group(self) noexcept nogil
    cdef void put_damage(self, uint64_t start, uint64_t end, const char* text, size_t length) noexcept nogil

cdef void spill_to_file(void* owner, Text* text) noexcept nogil
