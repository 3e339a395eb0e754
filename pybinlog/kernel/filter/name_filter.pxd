# NameFilter: the databases and tables that match.
from libc.stdint cimport uint32_t

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
    cdef object ask_for
    cdef readonly bint includes       # an event without a name does not match
    cdef KnownName known[KNOWN_NAMES]

    # `table` is NULL for a statement, which is judged by its default database.
    cdef bint has(
        self, const char* database, size_t database_length, const char* table, size_t table_length
    ) noexcept nogil
