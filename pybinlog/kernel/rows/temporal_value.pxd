from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_u24, read_u64
from pybinlog.kernel.base.text cimport p_Text, text_grow


# A date, a time or both, in the parts that the bytes hold: nothing is checked against the calendar.
cdef struct Moment:
    bint negative                      # of a time
    uint32_t year
    uint32_t month
    uint32_t day
    uint32_t hour
    uint32_t minute
    uint32_t second
    uint32_t microsecond
ctypedef const Moment* p_const_Moment

# Set the date and the time that are so many seconds after 1970 in UTC, and no fraction; return the year, which may be
# below 0.
cdef int64_t moment_of_seconds(Moment* moment, int64_t seconds) noexcept nogil

# Their texts, without quotes.
cdef void put_timestamp(p_Text text, int64_t seconds, uint32_t microseconds, int decimals) noexcept nogil
cdef void put_datetime(p_Text text, p_const_Moment moment, int decimals) noexcept nogil
# A time in UTC; False for the zero timestamp, which is put as zeros.
cdef bint put_utc(p_Text text, int64_t seconds, uint32_t microseconds, int decimals) noexcept nogil
cdef void put_time(p_Text text, p_const_Moment moment, int decimals) noexcept nogil
cdef void put_old_datetime(p_Text text, p_const_Moment moment) noexcept nogil
cdef void put_old_time(p_Text text, p_const_Moment moment) noexcept nogil
# A date with dashes, as JSON has it, and with colons, as the reference prints a row's.
cdef void put_json_date(p_Text text, p_const_Moment moment) noexcept nogil
cdef void put_date(p_Text text, p_const_Moment moment) noexcept nogil

cdef enum:
    STORED_HOURS = 4095                # the bits of a time's hours that a row's value has, and that JSON's has
    JSON_HOURS = 1023

cdef inline uint64_t read_big_endian(octets p, int size) noexcept nogil:
    """A big-endian integer of 0 to 8 bytes."""
    cdef uint64_t value = 0
    cdef int i
    while size >= 4:  # one load, if the compiler knows the size
        value = (value << 32) | (<uint32_t>p[0] << 24 | <uint32_t>p[1] << 16 | <uint32_t>p[2] << 8 | p[3])
        p += 4
        size -= 4
    for i in range(size):
        value = (value << 8) | p[i]
    return value

# The packed 64-bit forms, which JSON holds and which rows hold shortened.
cdef inline void unpack_datetime(Moment* moment, int64_t packed) noexcept nogil:
    cdef uint64_t value = <uint64_t>packed if packed >= 0 else 0 - <uint64_t>packed
    cdef uint32_t months = <uint32_t>(value >> 46)
    moment.year = months // 13
    moment.month = months % 13
    moment.day = (value >> 41) & 31
    moment.hour = (value >> 36) & 31
    moment.minute = (value >> 30) & 63
    moment.second = (value >> 24) & 63
    moment.microsecond = value & 0xFFFFFF

cdef inline void unpack_time(Moment* moment, int64_t packed, uint32_t hours) noexcept nogil:
    """`hours` masks the hours."""
    cdef uint64_t value = <uint64_t>packed if packed >= 0 else 0 - <uint64_t>packed
    moment.negative = packed < 0
    moment.hour = <uint32_t>(value >> 36) & hours
    moment.minute = (value >> 30) & 63
    moment.second = (value >> 24) & 63
    moment.microsecond = value & 0xFFFFFF

# The forms with fractions of MySQL 5.6 and later; `decimals` is 0 to 6.
cdef inline int64_t read_timestamp2(Moment* moment, octets data, int decimals) noexcept nogil:
    """The seconds since the epoch; of `moment`, only the microseconds are set."""
    moment.microsecond = 0
    if decimals > 4:
        moment.microsecond = <uint32_t>read_big_endian(data + 4, 3)
    elif decimals > 2:
        moment.microsecond = <uint32_t>read_big_endian(data + 4, 2) * 100
    elif decimals > 0:
        moment.microsecond = <uint32_t>data[4] * 10000
    return read_big_endian(data, 4)

cdef inline void read_datetime2(Moment* moment, octets data, int decimals) noexcept nogil:
    cdef int32_t fraction = 0
    if decimals > 4:
        fraction = <int32_t>(read_big_endian(data + 5, 3) << 8) >> 8
    elif decimals > 2:
        fraction = (<int32_t>(read_big_endian(data + 5, 2) << 16) >> 16) * 100
    elif decimals > 0:
        fraction = (<int32_t>(<uint32_t>data[5] << 24) >> 24) * 10000
    unpack_datetime(moment, (<int64_t>read_big_endian(data, 5) - (<int64_t>1 << 39)) * 0x1000000 + fraction)

cdef inline void read_time2(Moment* moment, octets data, int decimals) noexcept nogil:
    cdef int64_t seconds
    cdef int64_t fraction = 0
    if decimals > 4:
        unpack_time(moment, <int64_t>read_big_endian(data, 6) - (<int64_t>1 << 47), STORED_HOURS)
        return
    seconds = <int64_t>read_big_endian(data, 3) - 0x800000
    # Fractions of a negative time count from the second below it.
    if decimals > 2:
        fraction = <int64_t>read_big_endian(data + 3, 2)
        if seconds < 0 and fraction:
            seconds += 1
            fraction -= 0x10000
        fraction *= 100
    elif decimals > 0:
        fraction = data[3]
        if seconds < 0 and fraction:
            seconds += 1
            fraction -= 0x100
        fraction *= 10000
    unpack_time(moment, seconds * 0x1000000 + fraction, STORED_HOURS)

# The forms of 5.5 and earlier.
cdef inline void read_old_datetime(Moment* moment, octets data) noexcept nogil:
    """Eight bytes: the number YYYYMMDDhhmmss."""
    cdef uint64_t value = read_u64(data)
    cdef uint64_t date = value // 1000000
    cdef uint32_t time = <uint32_t>(value % 1000000)
    moment.year = <uint32_t>(date // 10000)
    moment.month = <uint32_t>(date % 10000) // 100
    moment.day = date % 100
    moment.hour = time // 10000
    moment.minute = time % 10000 // 100
    moment.second = time % 100
    moment.microsecond = 0

cdef inline void read_old_time(Moment* moment, octets data) noexcept nogil:
    """Three bytes: the signed number hhmmss."""
    cdef uint32_t value = read_u24(data)
    moment.negative = value >= 0x800000
    if moment.negative:
        value = 0x1000000 - value
    moment.hour = value // 10000
    moment.minute = value % 10000 // 100
    moment.second = value % 100
    moment.microsecond = 0

cdef inline void read_date(Moment* moment, octets data) noexcept nogil:
    """Three bytes: year, month and day in 15, 4 and 5 bits."""
    cdef uint32_t value = read_u24(data)
    moment.year = value >> 9
    moment.month = (value >> 5) & 15
    moment.day = value & 31

# Used in this module only.
cdef char* write_field(char* at, uint32_t value) noexcept nogil
cdef char* write_fraction(char* at, uint32_t microseconds, int decimals) noexcept nogil
cdef char* write_date(char* at, p_const_Moment moment) noexcept nogil
cdef char* write_clock(char* at, p_const_Moment moment) noexcept nogil
