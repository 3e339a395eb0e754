# Digits, decimal ones and hexadecimal, written into room that the caller has made.
# Inline functions only: there is no digits.py.
from libc.stdint cimport uint32_t, uint64_t
from pybinlog.kernel.base.memory cimport memcpy


cdef inline const char* two_digits(uint32_t value) noexcept nogil:
    """The two digits of a value below 100."""
    cdef const char* pairs = (
        b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        b"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
    )
    return pairs + 2 * value

cdef inline char* write_two_digits(char* to, uint32_t value) noexcept nogil:
    """The two digits of a value below 100; returns the place after them."""
    memcpy(to, two_digits(value), 2)
    return to + 2

cdef inline char* write_digits(char* to, uint64_t value, int digits) noexcept nogil:
    """The last `digits` digits of the value, with leading zeros; returns the place after them."""
    cdef char* at = to + digits
    while at - to >= 2:
        at -= 2
        memcpy(at, two_digits(<uint32_t>(value % 100)), 2)
        value //= 100
    if at > to:
        to[0] = <char>(48 + value % 10)
    return to + digits

cdef extern from *:
    int __builtin_ctzll(unsigned long long value) nogil
    uint64_t __builtin_bswap64(uint64_t value) nogil

cdef inline uint64_t eight_digits(uint32_t value) noexcept nogil:
    """The eight digits of a value below 10 ** 8 as the bytes of a word, the first digit lowest: no loop, no table.

    The halves of the number lie apart in the word and are divided together, by multiplying and shifting.
    """
    cdef uint64_t halves = (value // 10000) | (<uint64_t>(value % 10000) << 32)
    cdef uint64_t hundreds = ((halves * 10486) >> 20) & 0x7F0000007FULL
    cdef uint64_t pairs = ((halves - 100 * hundreds) << 16) + hundreds
    cdef uint64_t tens = ((pairs * 103) >> 10) & 0x000F000F000F000FULL
    return ((pairs - 10 * tens) << 8) + tens

cdef inline char* write_short(char* to, uint32_t value) noexcept nogil:
    """A number below 10 ** 8 without leading zeros; `to` has room for 8. Returns its end."""
    cdef uint64_t digits
    cdef int zeros
    if value < 10:
        to[0] = <char>(48 + value)
        return to + 1
    digits = eight_digits(value)
    zeros = __builtin_ctzll(digits) >> 3
    digits = (digits + 0x3030303030303030ULL) >> (zeros * 8)
    memcpy(to, &digits, 8)
    return to + 8 - zeros

cdef inline char* write_eight(char* to, uint32_t value) noexcept nogil:
    """The eight digits of a value below 10 ** 8; returns the place after them."""
    cdef uint64_t digits = eight_digits(value) + 0x3030303030303030ULL
    memcpy(to, &digits, 8)
    return to + 8

cdef inline char* write_unsigned(char* to, uint64_t value) noexcept nogil:
    """The decimal number without leading zeros, at most 20 characters; `to` has room for 24. Returns its end."""
    cdef uint64_t high, top
    if value < 100000000:
        return write_short(to, <uint32_t>value)
    high = value // 100000000
    if high < 100000000:
        to = write_short(to, <uint32_t>high)
    else:
        top = high // 100000000
        to = write_eight(write_short(to, <uint32_t>top), <uint32_t>(high - top * 100000000))
    return write_eight(to, <uint32_t>(value - high * 100000000))

cdef inline char* write_hex(char* to, uint32_t value) noexcept nogil:
    """The eight hexadecimal digits of the value, lower case; returns the place after them."""
    cdef uint64_t digits = value
    cdef uint64_t letters
    digits = (digits & 0xFFFF) | ((digits & 0xFFFF0000ULL) << 16)
    digits = (digits & 0x000000FF000000FFULL) | ((digits & 0x0000FF000000FF00ULL) << 8)
    digits = (digits & 0x000F000F000F000FULL) | ((digits & 0x00F000F000F000F0ULL) << 4)
    letters = ((digits + 0x0606060606060606ULL) >> 4) & 0x0101010101010101ULL
    digits = __builtin_bswap64(digits + 0x3030303030303030ULL + letters * 39)
    memcpy(to, &digits, 8)
    return to + 8

cdef enum:
    MOST_GROUPS = 9              # of nine digits

cdef inline int decimal_size(int precision, int scale) noexcept nogil:
    """Bytes of a DECIMAL(precision, scale): nine digits in four, fewer in fewer; -1 where no server makes such a one."""
    cdef unsigned int whole = precision - scale
    cdef unsigned int part = scale
    # a server's number has at most 65 digits in at most nine groups
    if precision <= 0 or scale < 0 or precision < scale or (whole + 8) // 9 + (part + 8) // 9 > MOST_GROUPS:
        return -1
    return whole // 9 * 4 + (whole % 9 + 1) // 2 + part // 9 * 4 + (part % 9 + 1) // 2
