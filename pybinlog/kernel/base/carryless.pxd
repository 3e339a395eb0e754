# CRC32 folded by carry-less multiplication, on processors that have it; `crc32_folds` tells.
from libc.stdint cimport uint8_t, uint32_t

cdef bint crc32_folds() noexcept nogil
cdef uint32_t crc32_fold(uint32_t crc, const uint8_t* data, size_t size) noexcept nogil
