# CRC32 as zlib has it, and whether an event's own is right.
from libc.stdint cimport uint8_t, uint32_t

cdef uint32_t crc32_from(uint32_t crc, const uint8_t* data, size_t size) noexcept nogil
cdef uint32_t crc32(const uint8_t* data, size_t size) noexcept nogil
cdef bint checksum_matches(const uint8_t* data, size_t size) noexcept nogil
