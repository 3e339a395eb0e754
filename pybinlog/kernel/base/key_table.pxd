# Hashes of words and bytes, and a table by them.
from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_u32, read_u64
from pybinlog.kernel.base.text cimport put_memory, Text, text_free


cdef enum:
    HASH_PRIME = 0x9E3779B97F4A7C15

cdef inline uint64_t mixed(uint64_t hash, uint64_t word) noexcept nogil:
    """A hash with one more word in it."""
    hash = (hash ^ word) * HASH_PRIME
    return hash ^ (hash >> 29)

cdef inline uint64_t hash_of(uint64_t hash, octets data, size_t size) noexcept nogil:
    """A hash with some bytes more in it, and their number."""
    cdef octets end = data + size
    hash = mixed(hash, size + 1)
    while end - data >= 8:
        hash = mixed(hash, read_u64(data))
        data += 8
    size = end - data
    if size >= 4:
        hash = mixed(hash, read_u32(data) | <uint64_t>read_u32(end - 4) << 32)
    elif size:
        hash = mixed(hash, data[0] | <uint64_t>data[size >> 1] << 8 | <uint64_t>(end - 1)[0] << 16)
    return hash

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
