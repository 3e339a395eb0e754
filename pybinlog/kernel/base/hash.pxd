# Hashes of words and bytes.
# Inline functions only: there is no hash.py.
from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_u32, read_u64


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
