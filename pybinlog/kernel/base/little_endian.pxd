# Little-endian fields, read byte by byte so that no alignment is assumed; the C compiler makes one load of it.
# Inline functions only: there is no little_endian.py.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t


cdef inline uint16_t read_u16(const uint8_t* p) noexcept nogil:
    return <uint16_t>(p[0] | (p[1] << 8))


cdef inline uint32_t read_u24(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | (<uint32_t>p[1] << 8) | (<uint32_t>p[2] << 16)


cdef inline uint32_t read_u32(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | (<uint32_t>p[1] << 8) | (<uint32_t>p[2] << 16) | (<uint32_t>p[3] << 24)


cdef inline uint64_t read_u48(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u32(p) | (<uint64_t>read_u16(p + 4) << 32)


cdef inline uint64_t read_u64(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u32(p) | (<uint64_t>read_u32(p + 4) << 32)
