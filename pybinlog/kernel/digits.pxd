# cython: cdivision=True
# Decimal digits, written two at a time into room that the caller has made.
# Inline functions only: there is no digits.py.
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from pybinlog.kernel.text cimport Text, text_grow


cdef inline const char* two_digits(uint32_t value) noexcept nogil:
    """The two digits of a value below 100."""
    cdef const char* pairs = (
        b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        b"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
    )
    return pairs + 2 * value


cdef inline char* write_two_digits(char* to, uint32_t value) noexcept nogil:
    """The two digits of a value below 100; returns the place behind them."""
    memcpy(to, two_digits(value), 2)
    return to + 2


cdef inline char* write_digits(char* to, uint64_t value, int digits) noexcept nogil:
    """The last `digits` digits of the value, with leading zeros; returns the place behind them."""
    cdef char* at = to + digits
    while at - to >= 2:
        at -= 2
        memcpy(at, two_digits(<uint32_t>(value % 100)), 2)
        value //= 100
    if at > to:
        to[0] = <char>(48 + value % 10)
    return to + digits


cdef inline char* write_unsigned(char* to, uint64_t value) noexcept nogil:
    """The decimal number without leading zeros, at most 20 characters; `to` has room for 24. Returns its end."""
    cdef char digits[24]
    cdef int at = 20
    cdef uint32_t low
    while value >> 32:
        at -= 2
        memcpy(digits + at, two_digits(<uint32_t>(value % 100)), 2)
        value //= 100
    low = <uint32_t>value
    while low >= 100:
        at -= 2
        memcpy(digits + at, two_digits(low % 100), 2)
        low //= 100
    if low >= 10:
        at -= 2
        memcpy(digits + at, two_digits(low), 2)
    else:
        at -= 1
        digits[at] = <char>(48 + low)
    memcpy(to, digits + at, 20 - at)
    return to + 20 - at


cdef inline void put_number(Text* text, int64_t value) noexcept nogil:
    """The decimal number with its sign."""
    cdef char* at
    if not text_grow(text, 24):
        return
    at = text.data + text.length
    if value < 0:
        at[0] = 45
        at = write_unsigned(at + 1, <uint64_t>0 - <uint64_t>value)
    else:
        at = write_unsigned(at, <uint64_t>value)
    text.length = at - text.data
