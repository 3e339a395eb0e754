# Length-encoded integers, and the lengths, big-endian fields, bitmaps and decimals that row images hold.
# Inline functions only: there is no lenenc.py.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport read_u16, read_u24, read_u32, read_u64

ctypedef const uint8_t* octets

cdef enum:
    LENENC_NULL = 251
    MOST_GROUPS = 9              # of nine digits, in a DECIMAL


cdef inline bint read_lenenc(octets* at, octets end, uint64_t* value) noexcept nogil:
    """Read the length-encoded integer at at[0] and step over it; False where it does not end before `end`.

    The null mark (251) reads as 2^64 - 1, a length that nothing can have.
    """
    cdef octets p = at[0]
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


cdef inline uint32_t read_length(octets p, size_t size) noexcept nogil:
    """A length in 1, 2, 3 or 4 bytes, as the values of strings and BLOBs begin with it."""
    if size == 1:
        return p[0]
    if size == 2:
        return read_u16(p)
    return read_u24(p) if size == 3 else read_u32(p)


cdef inline uint64_t read_big_endian(octets p, int size) noexcept nogil:
    """A big-endian integer of 0 to 8 bytes."""
    cdef uint64_t value = 0
    cdef int i
    while size >= 4:  # one load, where the compiler knows the size
        value = (value << 32) | (<uint32_t>p[0] << 24 | <uint32_t>p[1] << 16 | <uint32_t>p[2] << 8 | p[3])
        p += 4
        size -= 4
    for i in range(size):
        value = (value << 8) | p[i]
    return value


cdef inline bint has_bit(octets bitmap, size_t i) noexcept nogil:
    """Bit i % 8 of byte i // 8."""
    return (bitmap[i >> 3] >> (i & 7)) & 1


cdef inline int count_bits(octets bitmap, size_t bits) noexcept nogil:
    """How many of the first `bits` bits are set."""
    cdef size_t i
    cdef int count = 0
    cdef uint64_t some
    while bits:
        some = 0
        for i in range(8):  # as many bytes as there are, up to eight
            if 8 * i < bits:
                some |= <uint64_t>bitmap[i] << (8 * i)
        if bits < 64:
            some &= (<uint64_t>1 << bits) - 1
            bits = 64
        # the sums of pairs, of fours, of bytes, and of all bytes
        some -= some >> 1 & <uint64_t>0x5555555555555555
        some = (some & <uint64_t>0x3333333333333333) + (some >> 2 & <uint64_t>0x3333333333333333)
        some = some + (some >> 4) & <uint64_t>0x0F0F0F0F0F0F0F0F
        count += <int>(some * <uint64_t>0x0101010101010101 >> 56)
        bitmap += 8
        bits -= 64
    return count


cdef inline int decimal_size(int precision, int scale) noexcept nogil:
    """Bytes of a DECIMAL(precision, scale): nine digits in four, fewer in fewer; -1 where no server makes such a one."""
    cdef unsigned int whole = precision - scale
    cdef unsigned int part = scale
    # a server's number has at most 65 digits in at most nine groups
    if precision <= 0 or scale < 0 or precision < scale or (whole + 8) // 9 + (part + 8) // 9 > MOST_GROUPS:
        return -1
    return whole // 9 * 4 + (whole % 9 + 1) // 2 + part // 9 * 4 + (part % 9 + 1) // 2
