# MappedTables: the ids of the tables that were mapped since a part of a log began.
from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    TABLES = 4096             # slots; a power of two

cdef class MappedTables:
    cdef uint64_t ids[4096]
    cdef uint32_t stamps[4096]           # a slot is in use where it has the current stamp
    cdef uint32_t stamp
    cdef int count

    cdef void begin(self) noexcept nogil
    cdef void add(self, uint64_t table_id) noexcept nogil
    cdef bint has(self, uint64_t table_id) noexcept nogil
