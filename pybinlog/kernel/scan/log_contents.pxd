# The contents of a log, for sentences about it.
from libc.stdint cimport int64_t, uint64_t

cdef class OpenTransaction:
    cdef uint64_t position
    cdef int64_t since
    cdef readonly int64_t begins
    cdef readonly bint ended

    cdef void end(self) noexcept

cdef class HeldGtids:
    cdef dict runs                   # (uuid, tag) -> list of [first, after the last]
