# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Dates and times in their binary forms, as rows hold them (WL#946 describes those with fractions) and as JSON does.

Nothing is checked against the calendar: what no server stores is written as the reference writes it, a field above
99 as 00.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.temporal_value is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int32_t, int64_t, uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.digits import write_digits, write_two_digits, write_unsigned
from cython.cimports.pybinlog.kernel.base.format import read_u24, read_u64
from cython.cimports.pybinlog.kernel.base.packed import octets, read_big_endian
from cython.cimports.pybinlog.kernel.base.text import Text, text_grow

DATETIME_ZERO = cython.declare(int64_t, 0x8000000000)
TIME_ZERO = cython.declare(int64_t, 0x800000000000)
ROOM = cython.declare(cython.size_t, 64)  # more than the longest of these texts
SCALES = cython.declare(uint32_t[7], [1000000, 100000, 10000, 1000, 100, 10, 1])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def write_field(at: cython.p_char, value: uint64_t) -> cython.p_char:
    """Two digits; 00 for what needs more."""
    return write_two_digits(at, cython.cast(uint32_t, value) if value < 100 else 0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def write_fraction(at: cython.p_char, microseconds: uint32_t, decimals: cython.int) -> cython.p_char:
    if decimals == 0:
        return at
    at[0] = 46
    return write_digits(at + 1, microseconds // SCALES[decimals], decimals)


def put_timestamp2(text, data, decimals):
    """Seconds since the epoch, and microseconds."""
    microseconds: uint32_t = 0
    at: cython.p_char
    if not text_grow(text, ROOM):
        return
    if decimals > 4:
        microseconds = cython.cast(uint32_t, read_big_endian(data + 4, 3))
    elif decimals > 2:
        microseconds = cython.cast(uint32_t, read_big_endian(data + 4, 2)) * 100
    elif decimals > 0:
        microseconds = cython.cast(uint32_t, data[4]) * 10000
    at = write_unsigned(text.data + text.length, read_big_endian(data, 4))
    at = write_fraction(at, microseconds, decimals)
    text.length = at - text.data


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def write_date(at: cython.p_char, year: uint64_t, month: uint64_t, day: uint64_t) -> cython.p_char:
    at = write_field(at, year // 100)
    at = write_two_digits(at, cython.cast(uint32_t, year % 100))
    at[0] = 45
    at = write_field(at + 1, month)
    at[0] = 45
    return write_field(at + 1, day)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def write_clock(at: cython.p_char, minute: uint64_t, second: uint64_t) -> cython.p_char:
    at[0] = 58
    at = write_field(at + 1, minute)
    at[0] = 58
    return write_field(at + 1, second)


def put_packed_datetime(text, packed, decimals):
    value: uint64_t = cython.cast(uint64_t, packed)
    at: cython.p_char
    if not text_grow(text, ROOM):
        return
    if packed < 0:
        value = 0 - value
    microseconds: uint32_t = cython.cast(uint32_t, value & 0xFFFFFF)
    value >>= 24
    date: uint64_t = value >> 17
    months: uint64_t = date >> 5
    at = write_date(text.data + text.length, months // 13, months % 13, date & 31)
    at[0] = 32
    at = write_field(at + 1, (value >> 12) & 31)
    at = write_clock(at, (value >> 6) & 63, value & 63)
    at = write_fraction(at, microseconds, decimals)
    text.length = at - text.data


def put_packed_date(text, packed):
    value: uint64_t = cython.cast(uint64_t, packed)
    if not text_grow(text, ROOM):
        return
    if packed < 0:
        value = 0 - value
    value >>= 41
    months: uint64_t = value >> 5
    at: cython.p_char = write_date(text.data + text.length, months // 13, months % 13, value & 31)
    text.length = at - text.data


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_time(text: cython.pointer(Text), packed: int64_t, decimals: cython.int, hours: uint32_t) -> cython.void:
    """`hours` masks the hours that are shown."""
    value: uint64_t = cython.cast(uint64_t, packed)
    at: cython.p_char
    hour: uint32_t
    if not text_grow(text, ROOM):
        return
    at = text.data + text.length
    if packed < 0:
        value = 0 - value
        at[0] = 45
        at += 1
    microseconds: uint32_t = cython.cast(uint32_t, value & 0xFFFFFF)
    value >>= 24
    hour = cython.cast(uint32_t, value >> 12) & hours
    at = write_two_digits(at, hour) if hour < 100 else write_unsigned(at, hour)
    at = write_clock(at, (value >> 6) & 63, value & 63)
    at = write_fraction(at, microseconds, decimals)
    text.length = at - text.data


def put_packed_time(text, packed, decimals):
    put_time(text, packed, decimals, 1023)


def put_datetime2(text, data, decimals):
    fraction: int32_t = 0
    if decimals > 4:
        fraction = cython.cast(int32_t, read_big_endian(data + 5, 3) << 8) >> 8
    elif decimals > 2:
        fraction = (cython.cast(int32_t, read_big_endian(data + 5, 2) << 16) >> 16) * 100
    elif decimals > 0:
        fraction = (cython.cast(int32_t, cython.cast(uint32_t, data[5]) << 24) >> 24) * 10000
    seconds: int64_t = cython.cast(int64_t, read_big_endian(data, 5)) - DATETIME_ZERO
    put_packed_datetime(text, seconds * 0x1000000 + fraction, decimals)


def put_time2(text, data, decimals):
    seconds: int64_t
    fraction: int64_t = 0
    if decimals > 4:
        put_time(text, cython.cast(int64_t, read_big_endian(data, 6)) - TIME_ZERO, decimals, 4095)
        return
    seconds = cython.cast(int64_t, read_big_endian(data, 3)) - 0x800000
    # Fractions of a negative time count from the second below it.
    if decimals > 2:
        fraction = cython.cast(int64_t, read_big_endian(data + 3, 2))
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
    put_time(text, seconds * 0x1000000 + fraction, decimals, 4095)


def put_old_datetime(text, data):
    """Eight bytes: the number YYYYMMDDhhmmss."""
    value: uint64_t = read_u64(data)
    date: uint64_t = value // 1000000
    time: uint64_t = value % 1000000
    year: uint64_t = date // 10000
    at: cython.p_char
    if not text_grow(text, ROOM):
        return
    at = text.data + text.length
    at = write_digits(at, year, 4) if year < 10000 else write_unsigned(at, year)
    at[0] = 45
    at = write_two_digits(at + 1, cython.cast(uint32_t, date % 10000 // 100))
    at[0] = 45
    at = write_two_digits(at + 1, cython.cast(uint32_t, date % 100))
    at[0] = 32
    at = write_two_digits(at + 1, cython.cast(uint32_t, time // 10000))
    at = write_clock(at, time % 10000 // 100, time % 100)
    text.length = at - text.data


def put_old_time(text, data):
    """Three bytes: the number hhmmss."""
    value: uint32_t = read_u24(data)
    hour: uint32_t = value // 10000
    at: cython.p_char
    if not text_grow(text, ROOM):
        return
    at = text.data + text.length
    at = write_two_digits(at, hour) if hour < 100 else write_unsigned(at, hour)
    at = write_clock(at, value % 10000 // 100, value % 100)
    text.length = at - text.data


def put_date(text, data):
    """Three bytes: year, month and day in 15, 4 and 5 bits; colons between, as the reference has them."""
    value: uint32_t = read_u24(data)
    year: uint32_t = value >> 9
    at: cython.p_char
    if not text_grow(text, ROOM):
        return
    at = text.data + text.length
    at[0] = cython.cast(cython.char, 48 + year // 1000)
    at = write_digits(at + 1, year % 1000, 3)
    at[0] = 58
    at = write_two_digits(at + 1, (value >> 5) & 15)
    at[0] = 58
    at = write_two_digits(at + 1, value & 31)
    text.length = at - text.data
