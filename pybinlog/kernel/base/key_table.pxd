from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text


cdef struct KeyEntry:
    uint64_t hash
    size_t start              # in `keys`
    size_t length

cdef class KeyTable:
    cdef KeyEntry* entries
    cdef size_t count
    cdef size_t capacity      # a power of two
    cdef uint32_t* places     # open addressing, twice as many: a key's number and 1, or 0
    cdef Text keys            # one after the other
    cdef size_t wanted        # bytes for which there was no memory

    # Return the number of a key, a new one if need be; -1 without memory.
    cdef int64_t find(self, octets key, size_t length) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef bint grow(self) noexcept nogil
