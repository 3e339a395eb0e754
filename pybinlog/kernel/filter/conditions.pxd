# Conditions: what is asked of events by what they do.
from libc.stdint cimport uint8_t, uint32_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.filter.name_filter cimport NameFilter
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.scan.classify cimport QueryParts

cdef class Conditions:
    cdef NameFilter names              # None: all
    cdef bint everything               # nothing is asked
    cdef bint asks_rows_only           # nothing is asked of events but of their tables and operations
    cdef bint by_type
    cdef bint[256] types
    cdef int operations                # a sum of INSERTS and so on; 0: all
    cdef frozenset threads             # None: all
    cdef frozenset servers             # None: all
    cdef uint32_t server_id_mask

    cdef bint match_type(self, uint8_t kind) noexcept nogil
    cdef bint match_thread(self, uint32_t thread_id) noexcept nogil
    cdef bint match_server(self, const Event* e) noexcept nogil
    cdef bint match_names(self, const char* database, size_t database_length, const char* table, size_t table_length) noexcept nogil
    cdef bint match_operation(self, int operation) noexcept nogil
    cdef bint match_statement(
        self, InflatedEvent inflated, const QueryParts* parts, const Event* e, const Format* format
    ) noexcept nogil
