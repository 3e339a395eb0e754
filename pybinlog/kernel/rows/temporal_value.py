"""Dates and times as text; the .pxd reads their binary forms (WL#946 describes those with fractions).

Nothing is checked against the calendar: what no server stores is written as the reference writes it, a field above
99 as 00.
"""

import cython
from cython.cimports.pybinlog.kernel.base.clock import civil
from cython.cimports.pybinlog.kernel.base.digits import write_digits, write_two_digits, write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memset

ROOM = cython.declare(cython.size_t, 64)  # more than the longest of these texts
DAY = cython.declare(int64_t, 86400)
SCALES = cython.declare(uint32_t[7], [1000000, 100000, 10000, 1000, 100, 10, 1])


def write_field(at: cython.p_char, value: uint32_t) -> cython.p_char:
    """Write two digits; 00 for what needs more."""
    return write_two_digits(at, value if value < 100 else 0)


def write_fraction(at: cython.p_char, microseconds: uint32_t, decimals: cython.int) -> cython.p_char:
    if decimals == 0:
        return at
    at[0] = b"."
    return write_digits(at + 1, microseconds // SCALES[decimals], decimals)


def write_date(at: cython.p_char, moment: p_const_Moment) -> cython.p_char:
    at = write_field(at, moment.year // 100)
    at = write_two_digits(at, moment.year % 100)
    at[0] = b"-"
    at = write_field(at + 1, moment.month)
    at[0] = b"-"
    return write_field(at + 1, moment.day)


def write_clock(at: cython.p_char, moment: p_const_Moment) -> cython.p_char:
    at[0] = b":"
    at = write_field(at + 1, moment.minute)
    at[0] = b":"
    return write_field(at + 1, moment.second)


def moment_of_seconds(moment: cython.pointer(Moment), seconds: int64_t) -> int64_t:
    month: cython.int = 0
    day: cython.int = 0
    days: int64_t = seconds // DAY
    rest: int64_t = seconds % DAY
    if rest < 0:
        rest += DAY
        days -= 1
    year: int64_t = civil(days, cython.address(month), cython.address(day))
    moment[0] = Moment(False, cython.cast(uint32_t, year), month, day, rest // 3600, rest // 60 % 60, rest % 60, 0)
    return year


def put_utc(text: p_Text, seconds: int64_t, microseconds: uint32_t, decimals: cython.int) -> cython.bint:
    moment: Moment
    is_instant: cython.bint = seconds != 0 or microseconds != 0
    memset(cython.address(moment), 0, cython.sizeof(Moment))
    if is_instant:
        moment_of_seconds(cython.address(moment), seconds)
        moment.microsecond = microseconds
    put_datetime(text, cython.address(moment), decimals)
    return is_instant


def put_timestamp(text: p_Text, seconds: int64_t, microseconds: uint32_t, decimals: cython.int):
    """Append seconds since the epoch, with a fraction."""
    if not text_grow(text, ROOM):
        return
    at: cython.p_char = text.data + text.length
    if seconds < 0:
        at[0] = b"-"
        at += 1
        seconds = -seconds
    at = write_unsigned(at, seconds)
    at = write_fraction(at, microseconds, decimals)
    text.length = at - text.data


def put_datetime(text: p_Text, moment: p_const_Moment, decimals: cython.int):
    if not text_grow(text, ROOM):
        return
    at: cython.p_char = write_date(text.data + text.length, moment)
    at[0] = b" "
    at = write_field(at + 1, moment.hour)
    at = write_clock(at, moment)
    at = write_fraction(at, moment.microsecond, decimals)
    text.length = at - text.data


def put_json_date(text: p_Text, moment: p_const_Moment):
    if text_grow(text, ROOM):
        text.length = write_date(text.data + text.length, moment) - text.data


def put_time(text: p_Text, moment: p_const_Moment, decimals: cython.int):
    if not text_grow(text, ROOM):
        return
    at: cython.p_char = text.data + text.length
    if moment.negative:
        at[0] = b"-"
        at += 1
    at = write_two_digits(at, moment.hour) if moment.hour < 100 else write_unsigned(at, moment.hour)
    at = write_clock(at, moment)
    at = write_fraction(at, moment.microsecond, decimals)
    text.length = at - text.data


def put_old_datetime(text: p_Text, moment: p_const_Moment):
    if not text_grow(text, ROOM):
        return
    at: cython.p_char = text.data + text.length
    at = write_digits(at, moment.year, 4) if moment.year < 10000 else write_unsigned(at, moment.year)
    at[0] = b"-"
    at = write_two_digits(at + 1, moment.month)
    at[0] = b"-"
    at = write_two_digits(at + 1, moment.day)
    at[0] = b" "
    at = write_two_digits(at + 1, moment.hour)
    at = write_clock(at, moment)
    text.length = at - text.data


def put_old_time(text: p_Text, moment: p_const_Moment):
    """Append the reference takes the number hhmmss for one without a sign."""
    shown: Moment
    value: uint32_t = moment.hour * 10000 + moment.minute * 100 + moment.second
    if moment.negative:
        value = 0x1000000 - value
    shown.negative = False
    shown.hour = value // 10000
    shown.minute = value % 10000 // 100
    shown.second = value % 100
    shown.microsecond = 0
    put_time(text, cython.address(shown), 0)


def put_date(text: p_Text, moment: p_const_Moment):
    if not text_grow(text, ROOM):
        return
    at: cython.p_char = text.data + text.length
    at[0] = cython.cast(cython.char, 48 + moment.year // 1000)
    at = write_digits(at + 1, moment.year % 1000, 3)
    at[0] = b":"
    at = write_two_digits(at + 1, moment.month)
    at[0] = b":"
    at = write_two_digits(at + 1, moment.day)
    text.length = at - text.data
