# CRC32 folded by carry-less multiplication, on processors that have it; `crc32_folds` tells.
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets


cdef bint crc32_folds() noexcept nogil
cdef uint32_t crc32_fold(uint32_t crc, octets data, size_t size) noexcept nogil
