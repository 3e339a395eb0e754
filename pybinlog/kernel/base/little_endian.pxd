# Little-endian fields, read byte by byte so that no alignment is assumed; the C compiler makes one load of it.
# And length-encoded integers, and the lengths that row images hold. Inline functions only: there is no little_endian.py.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t

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

cdef enum:
    LENENC_NULL = 251

cdef inline bint read_lenenc(const uint8_t** at, const uint8_t* end, uint64_t* value) noexcept nogil:
    """Read the length-encoded integer at at[0] and step over it; False where it does not end before `end`.

    The null mark (251) reads as 2^64 - 1, a length that nothing can have.
    """
    cdef const uint8_t* p = at[0]
    cdef size_t left = end - p
    if left < 1:
        return False
    if p[0] <= LENENC_NULL:
        value[0] = p[0] if p[0] < LENENC_NULL else ~<uint64_t>0
        at[0] = p + 1
    elif p[0] == 252:
        if left < 3:
            return False
        value[0] = read_u16(p + 1)
        at[0] = p + 3
    elif p[0] == 253:
        if left < 4:
            return False
        value[0] = read_u24(p + 1)
        at[0] = p + 4
    else:
        if left < 9:
            return False
        value[0] = read_u64(p + 1)
        at[0] = p + 9
    return True

cdef inline uint32_t read_length(const uint8_t* p, size_t size) noexcept nogil:
    """A length in 1, 2, 3 or 4 bytes, as the values of strings and BLOBs begin with it."""
    if size == 1:
        return p[0]
    if size == 2:
        return read_u16(p)
    return read_u24(p) if size == 3 else read_u32(p)
