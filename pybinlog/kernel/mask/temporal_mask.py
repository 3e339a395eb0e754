"""Dates and times, masked by dates and times: a day by a day of its class, a time by a time of a day.

The days that a TIMESTAMP can hold, 1970-01-02 to 2037-12-31, are a class, so that a date is masked alike in columns of
all types. Midnight stays midnight: a DATE equals such a DATETIME.
"""

import cython
from cython.cimports.pybinlog.kernel.base.digits import write_digits
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32, read_u64
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.mask.lanes import put_number
from cython.cimports.pybinlog.kernel.mask.permutation import FAMILY_DAY, FAMILY_SECOND, mask_fraction, mask_magnitude
from cython.cimports.pybinlog.kernel.mask.permutation import of_family, permute
from cython.cimports.pybinlog.kernel.rows import column, temporal_value

# Days since 1970-01-01.
FIRST_OF_TIMESTAMP = cython.declare(int64_t, 1)
LAST_OF_TIMESTAMP = cython.declare(int64_t, 24836)  # 2037-12-31
FIRST_DAY = cython.declare(int64_t, -719162)  # 0001-01-01
FIRST_OF_1000 = cython.declare(int64_t, -354285)
LAST_DAY = cython.declare(int64_t, 2932896)  # 9999-12-31
DAY = cython.declare(uint64_t, 86400)
LONGEST_TIME = cython.declare(uint64_t, 3020399)  # 838:59:59, which has no fraction
LAST_TIMESTAMP = cython.declare(uint64_t, 2147483647)


def day_of(year: uint32_t, month: uint32_t, day: uint32_t) -> int64_t:
    """Return the days since 1970-01-01 in the proleptic Gregorian calendar."""
    y: int64_t = cython.cast(int64_t, year) - (month <= 2)
    era: int64_t = (y if y >= 0 else y - 399) // 400
    of_era: int64_t = y - era * 400
    of_year: int64_t = (153 * (cython.cast(int64_t, month) + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def set_day(moment: p_Moment, day: int64_t):
    of: Moment
    moment.year = cython.cast(
        uint32_t, temporal_value.moment_of_seconds(cython.address(of), day * cython.cast(int64_t, DAY))
    )
    moment.month = of.month
    moment.day = of.day


def days_in(year: uint32_t, month: uint32_t) -> uint32_t:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


def mask_date(key: p_const_MaskKey, moment: p_Moment):
    early: int64_t = FIRST_OF_TIMESTAMP - FIRST_OF_1000
    if not 1 <= moment.month <= 12 or moment.day == 0 or moment.day > days_in(moment.year, moment.month):
        if moment.year:
            moment.year = cython.cast(uint32_t, mask_magnitude(key, moment.year, 9999))
        return
    if moment.year == 0 or moment.year > 9999:
        return
    day: int64_t = day_of(moment.year, moment.month, moment.day)
    if day < FIRST_OF_1000:
        day = FIRST_DAY + permute(key, day - FIRST_DAY, FIRST_OF_1000 - FIRST_DAY, of_family(FAMILY_DAY) | 1)
    elif FIRST_OF_TIMESTAMP <= day <= LAST_OF_TIMESTAMP:
        day = FIRST_OF_TIMESTAMP + permute(
            key, day - FIRST_OF_TIMESTAMP, LAST_OF_TIMESTAMP - FIRST_OF_TIMESTAMP + 1, of_family(FAMILY_DAY) | 2
        )
    else:
        number: int64_t = day - FIRST_OF_1000 if day < FIRST_OF_TIMESTAMP else early + day - LAST_OF_TIMESTAMP - 1
        number = permute(key, number, early + LAST_DAY - LAST_OF_TIMESTAMP, of_family(FAMILY_DAY) | 3)
        day = FIRST_OF_1000 + number if number < early else number - early + LAST_OF_TIMESTAMP + 1
    set_day(moment, day)


def mask_microseconds(key: p_const_MaskKey, moment: p_Moment):
    digits: cython.int = 6
    value: uint64_t = moment.microsecond
    zeros: uint64_t = 1
    if value == 0 or value > 999999:
        return
    while value % 10 == 0:
        value //= 10
        zeros *= 10
        digits -= 1
    moment.microsecond = cython.cast(uint32_t, mask_fraction(key, value, digits, FAMILY_SECOND) * zeros)


def mask_time(key: p_const_MaskKey, moment: p_Moment):
    if moment.minute > 59 or moment.second > 59:
        return
    seconds: uint64_t = cython.cast(uint64_t, moment.hour) * 3600 + moment.minute * 60 + moment.second
    if 0 < seconds < DAY:
        seconds = 1 + permute(key, seconds - 1, DAY - 1, of_family(FAMILY_SECOND))
    elif DAY <= seconds < LONGEST_TIME:
        seconds = DAY + permute(key, seconds - DAY, LONGEST_TIME - DAY, of_family(FAMILY_SECOND) | 1)
    mask_microseconds(key, moment)
    moment.hour = cython.cast(uint32_t, seconds // 3600)
    moment.minute = cython.cast(uint32_t, seconds // 60 % 60)
    moment.second = cython.cast(uint32_t, seconds % 60)


def pack_time(moment: cython.pointer(cython.const[Moment])) -> uint64_t:
    return (cython.cast(uint64_t, moment.hour) << 12) | (moment.minute << 6) | moment.second


def pack_datetime(moment: cython.pointer(cython.const[Moment])) -> uint64_t:
    days: uint64_t = ((cython.cast(uint64_t, moment.year) * 13 + moment.month) << 5) | moment.day
    return (days << 17) | pack_time(moment)


def write_big_endian(to: cython.pointer(uint8_t), size: cython.int, value: uint64_t):
    while size > 0:
        size -= 1
        to[size] = value & 255
        value >>= 8


def stored_fraction(moment: cython.pointer(cython.const[Moment]), decimals: cython.int) -> uint64_t:
    """Return the fraction as a column of these decimals has it, in (decimals + 1) // 2 bytes."""
    return moment.microsecond // (1 if decimals > 4 else 100 if decimals > 2 else 10000 if decimals > 0 else 1000000)


def mask_moment(
    key: p_const_MaskKey, kind: cython.int, data: cython.pointer(uint8_t), decimals: cython.int
) -> cython.bint:
    moment: Moment
    size: cython.int = (decimals + 1) // 2
    value: uint64_t
    if kind == column.KIND_DATETIME2:
        temporal_value.read_datetime2(cython.address(moment), data, decimals)
    elif kind == column.KIND_TIME2:
        temporal_value.read_time2(cython.address(moment), data, decimals)
    elif kind == column.KIND_DATE:
        temporal_value.read_date(cython.address(moment), data)
    elif kind == column.KIND_DATETIME:
        temporal_value.read_old_datetime(cython.address(moment), data)
    elif kind == column.KIND_TIME:
        temporal_value.read_old_time(cython.address(moment), data)
    else:
        return False
    if kind != column.KIND_TIME2 and kind != column.KIND_TIME:
        mask_date(key, cython.address(moment))
    if kind != column.KIND_DATE:
        mask_time(key, cython.address(moment))
    if kind == column.KIND_DATETIME2:
        write_big_endian(data, 5, pack_datetime(cython.address(moment)) + (cython.cast(uint64_t, 1) << 39))
        write_big_endian(data + 5, size, stored_fraction(cython.address(moment), decimals))
    elif kind == column.KIND_TIME2:
        value = (pack_time(cython.address(moment)) << (8 * size)) | stored_fraction(cython.address(moment), decimals)
        if moment.negative:
            value = 0 - value
        write_big_endian(data, 3 + size, (cython.cast(uint64_t, 0x800000) << (8 * size)) + value)
    elif kind == column.KIND_DATE:
        put_number(data, (moment.year << 9) | (moment.month << 5) | moment.day, 3)
    else:
        value = moment.hour * 10000 + moment.minute * 100 + moment.second
        if kind == column.KIND_TIME:
            put_number(data, 0 - value if moment.negative else value, 3)
        else:
            value += (cython.cast(uint64_t, moment.year) * 10000 + moment.month * 100 + moment.day) * 1000000
            put_number(data, value, 8)
    return True


def mask_timestamp(key: p_const_MaskKey, data: cython.pointer(uint8_t), decimals: cython.int, old: cython.bint):
    moment: Moment
    if old:
        seconds: uint64_t = read_u32(data)
        moment.microsecond = 0
    else:
        seconds = cython.cast(uint64_t, temporal_value.read_timestamp2(cython.address(moment), data, decimals))
    if seconds:
        day: int64_t = cython.cast(int64_t, seconds // DAY)
        now: uint64_t = seconds % DAY
        set_day(cython.address(moment), day)
        moment.hour = cython.cast(uint32_t, now // 3600)
        moment.minute = cython.cast(uint32_t, now // 60 % 60)
        moment.second = cython.cast(uint32_t, now % 60)
        if FIRST_OF_TIMESTAMP <= day <= LAST_OF_TIMESTAMP:
            mask_date(key, cython.address(moment))
            day = day_of(moment.year, moment.month, moment.day)
        while True:  # on the last day, not all times are ones
            mask_time(key, cython.address(moment))
            now = cython.cast(uint64_t, moment.hour) * 3600 + moment.minute * 60 + moment.second
            if seconds > LAST_TIMESTAMP or day * DAY + now <= LAST_TIMESTAMP:
                break
        seconds = day * DAY + now
    if old:
        put_number(data, seconds, 4)
        return
    write_big_endian(data, 4, seconds)
    write_big_endian(data + 4, (decimals + 1) // 2, stored_fraction(cython.address(moment), decimals))


def mask_json_time(key: p_const_MaskKey, data: cython.pointer(uint8_t), is_time: cython.bint):
    """Mask the eight bytes of a date, a time or both in a JSON document."""
    moment: Moment
    packed: int64_t = cython.cast(int64_t, read_u64(data))
    if is_time:
        temporal_value.unpack_time(cython.address(moment), packed, temporal_value.JSON_HOURS)
        mask_time(key, cython.address(moment))
        packed = cython.cast(int64_t, (pack_time(cython.address(moment)) << 24) | moment.microsecond)
        if moment.negative:
            packed = -packed
    else:
        temporal_value.unpack_datetime(cython.address(moment), packed)
        mask_date(key, cython.address(moment))
        mask_time(key, cython.address(moment))
        packed = cython.cast(int64_t, (pack_datetime(cython.address(moment)) << 24) | moment.microsecond)
    memcpy(data, cython.address(packed), 8)


def read_three(
    text: cython.pointer(cython.const[uint8_t]), size: cython.int, sign: uint8_t, values: cython.pointer(uint32_t)
) -> cython.bint:
    """Read a number of `size` digits and two of two digits, with a sign between them; False if the text is not that."""
    i: cython.int
    number: cython.int = 0
    values[0] = values[1] = values[2] = 0
    for i in range(size + 6):
        if i == size or i == size + 3:
            number += 1
            if text[i] != sign:
                return False
        elif not 48 <= text[i] <= 57:
            return False
        else:
            values[number] = values[number] * 10 + text[i] - 48
    return True


def write_three(text: cython.pointer(uint8_t), size: cython.int, a: uint32_t, b: uint32_t, c: uint32_t):
    write_digits(cython.cast(cython.p_char, text), a, size)
    write_digits(cython.cast(cython.p_char, text) + size + 1, b, 2)
    write_digits(cython.cast(cython.p_char, text) + size + 4, c, 2)


def mask_moment_text(key: p_const_MaskKey, text: cython.pointer(uint8_t), size: cython.size_t) -> cython.bint:
    moment: Moment
    at: cython.pointer(uint8_t) = text
    left: cython.size_t = size
    read: uint32_t[3]
    i: cython.size_t
    has_date: cython.bint = size >= 10 and read_three(text, 4, b"-", read)
    memset(cython.address(moment), 0, cython.sizeof(moment))
    if has_date:
        moment.year, moment.month, moment.day = read[0], read[1], read[2]
        if (
            not 1 <= moment.month <= 12
            or not 1 <= moment.day <= days_in(moment.year, moment.month)
            or moment.year == 0
            or (size > 10 and ((text[10] != b" " and text[10] != b"T") or size < 19))
        ):
            return False
        at += 10 if size == 10 else 11
    elif size and at[0] == b"-":
        at += 1
    left -= at - text
    if left or not has_date:
        if left < 8 or left == 9 or left > 15 or not read_three(at, 2, b":", read):
            return False
        moment.hour, moment.minute, moment.second = read[0], read[1], read[2]
        if moment.hour > 23 or moment.minute > 59 or moment.second > 59 or (left > 8 and at[8] != b"."):
            return False
        for i in range(9, 15 if left > 8 else 9):
            if i < left and not 48 <= at[i] <= 57:
                return False
            moment.microsecond = moment.microsecond * 10 + (at[i] - 48 if i < left else 0)
    if key == cython.NULL:
        return True
    if has_date:
        mask_date(key, cython.address(moment))
        write_three(text, 4, moment.year, moment.month, moment.day)
    if left:
        mask_time(key, cython.address(moment))
        write_three(at, 2, moment.hour, moment.minute, moment.second)
        for i in range(6):
            if left >= 15 - i:
                at[14 - i] = 48 + moment.microsecond % 10
            moment.microsecond //= 10
    return True
