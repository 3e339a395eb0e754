# Conditions: what is asked of events by what they do.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport MARIA_QUERY_COMPRESSED, octets, p_const_Event, p_const_Format
from pybinlog.kernel.scan.classify cimport QueryParts, TEXT_ENOUGH
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.query_fields cimport LastStatus, p_Query, Query
from pybinlog.kernel.scan.statement_tables cimport find_table, StatementTables, TableName


cdef enum:
    KNOWN_NAMES = 64          # as many as six bits of a hash are
    LONGEST_NAMES = 512       # bytes: two names of at most 64 characters; longer ones are looked up each time

# A name that was looked up, and what came of it.
cdef struct KnownName:
    bint used
    bint matches
    bint has_table
    uint32_t database_length
    uint32_t length
    char bytes[512]

cdef class NameFilter:
    cdef readonly object ask_for
    cdef readonly bint includes       # an event without a name does not match
    cdef KnownName known[KNOWN_NAMES]

    # `table` is NULL for a statement whose tables are not known, which is judged by its default database.
    cdef bint has(
        self, const char* database, size_t database_length, const char* table, size_t table_length
    ) noexcept nogil

# A statement that only begins, ends or divides a transaction: BEGIN, COMMIT, SAVEPOINT, XA ... True if it is unreadable.
cdef bint is_frame_word(
    InflatedEvent inflated, const QueryParts* parts, p_const_Event e, p_const_Format format
) noexcept nogil
cdef class Conditions:
    cdef readonly NameFilter names     # None: all
    cdef NameFilter spellings          # those that match in any case; None: not asked
    cdef readonly dict respelled       # names of statements that these match alone -> number of them
    cdef readonly size_t respelled_count
    cdef bint everything               # nothing is asked
    cdef bint asks_rows_only           # nothing is asked of events but of their tables and operations
    cdef bint by_type
    cdef bint[256] types
    cdef int operations                # a sum of INSERTS and so on; 0: all
    cdef frozenset threads             # None: all
    cdef frozenset servers             # None: all
    cdef uint32_t server_id_mask
    cdef StatementTables statements
    cdef bint by_columns               # names are those of a view's columns: a statement has no table
    cdef bint names_statements         # names choose statements, too, not only rows
    cdef LastStatus last_status[4]

    cdef bint match_type(self, uint8_t kind) noexcept nogil
    cdef bint match_thread(self, uint32_t thread_id) noexcept nogil
    cdef bint match_server(self, p_const_Event e) noexcept nogil
    cdef bint match_names(self, const char* database, size_t database_length, const char* table, size_t table_length) noexcept nogil
    cdef bint match_operation(self, int operation) noexcept nogil
    # Match the tables and the operation of a statement; `mark` is that of one that does not match.
    cdef bint match_statement(
        self, InflatedEvent inflated, p_const_Event e, p_const_Format format, uint8_t* mark
    ) except -1 nogil
    cdef int note_respelled(self) except -1 with gil
    cdef bint read_statement(
        self, InflatedEvent inflated, p_const_Event e, p_const_Format format, Query* query
    ) except -1 nogil
    cdef bint match_tables(self, NameFilter names, size_t count) noexcept nogil
    cdef bint match_default_database(self, const Query* query) noexcept nogil

# Used in this module only.
cdef bint read_text(p_Query query, InflatedEvent inflated, const QueryParts* parts, p_const_Event e, p_const_Format format) noexcept nogil
