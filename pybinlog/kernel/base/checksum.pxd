# CRC32 as zlib has it, and whether an event's own is right.
from libc.stdint cimport uint32_t, uint8_t
from pybinlog.kernel.base.event cimport BINLOG_IN_USE, FORMAT_DESCRIPTION, octets


cdef uint32_t crc32_from(uint32_t crc, octets data, size_t size) noexcept nogil
cdef uint32_t crc32(octets data, size_t size) noexcept nogil
cdef bint checksum_matches(octets data, size_t size) noexcept nogil
