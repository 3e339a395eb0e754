"""Clock: seconds since the epoch as local time, compiled because every header line begins with one."""

import cython
from cython.cimports.libc.time import localtime_r, strftime, time_t, tm
from cython.cimports.pybinlog.kernel.base.digits import write_digits, write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset, strlen

# A zone changes its offset on a full quarter of an hour, at most once in one: equal offsets at both ends of
# a quarter hold for all of it.
QUARTER = cython.declare(cython.long, 900)

# (tm_gmtoff is not in Cython's own declaration of struct tm, so the offset is worked out from the fields.)


def clock_init(clock: cython.pointer(Clock)):
    memset(clock, 0, cython.sizeof(Clock))
    clock.last = -1
    clock.last_long = -1


def days_from_civil(year: int64_t, month: cython.int, day: cython.int) -> int64_t:
    """Return the days since 1970-01-01 in the proleptic Gregorian calendar."""
    if month <= 2:
        year -= 1
    era: int64_t = (year if year >= 0 else year - 399) // 400
    year_of_era: int64_t = year - era * 400
    shifted: int64_t = month - 3 if month > 2 else month + 9
    day_of_year: int64_t = (153 * shifted + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def offset_at(seconds: int64_t, zone: cython.p_char) -> int64_t:
    """Return the zone's offset at that second, and its abbreviation where `zone` (32 bytes) is given."""
    when: time_t = seconds
    fields: tm
    if localtime_r(cython.address(when), cython.address(fields)) == cython.NULL:
        if zone != cython.NULL:
            zone[0] = 0
        return 0
    if zone != cython.NULL and strftime(zone, 32, "%Z", cython.address(fields)) == 0:
        zone[0] = 0
    days: int64_t = days_from_civil(fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday)
    return days * 86400 + fields.tm_hour * 3600 + fields.tm_min * 60 + fields.tm_sec - seconds


def local(clock: cython.pointer(Clock), seconds: int64_t) -> int64_t:
    """Return seconds since the epoch as if local time were UTC."""
    if not (clock.known_from <= seconds < clock.known_until):
        first: int64_t = seconds - seconds % QUARTER
        clock.offset = offset_at(seconds, clock.zone)
        if offset_at(first, cython.NULL) == clock.offset == offset_at(first + QUARTER - 1, cython.NULL):
            clock.known_from = first
            clock.known_until = first + QUARTER
        else:
            clock.known_from = seconds
            clock.known_until = seconds + 1
    return seconds + clock.offset


def civil(days: int64_t, month: cython.pointer(cython.int), day: cython.pointer(cython.int)) -> int64_t:
    """Split days since 1970-01-01 into year, month and day."""
    days += 719468
    era: int64_t = (days if days >= 0 else days - 146096) // 146097
    day_of_era: int64_t = days - era * 146097
    year: int64_t = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year: int64_t = day_of_era - (365 * year + year // 4 - year // 100)
    shifted: int64_t = (5 * day_of_year + 2) // 153
    day[0] = cython.cast(cython.int, day_of_year - (153 * shifted + 2) // 5 + 1)
    month[0] = cython.cast(cython.int, shifted + 3 if shifted < 10 else shifted - 9)
    return year + era * 400 + (1 if month[0] <= 2 else 0)


def two_digits(at: cython.p_char, value: cython.long, pad: cython.char):
    at[0] = pad if value < 10 else cython.cast(cython.char, 48 + value // 10)
    at[1] = cython.cast(cython.char, 48 + value % 10)


def put_timestamp(text: p_Text, clock: cython.pointer(Clock), seconds: uint32_t):
    """Append YYMMDD HH:MM:SS in local time; an hour below ten has a space before it."""
    month: cython.int
    day: cython.int
    if clock.last != seconds:
        now: int64_t = local(clock, seconds)
        days: int64_t = now // 86400 if now >= 0 else (now - 86399) // 86400
        rest: cython.long = now - days * 86400
        year: int64_t = civil(days, cython.address(month), cython.address(day))
        two_digits(clock.stamp, year % 100, 48)
        two_digits(clock.stamp + 2, month, 48)
        two_digits(clock.stamp + 4, day, 48)
        clock.stamp[6] = b" "
        two_digits(clock.stamp + 7, rest // 3600, 32)
        clock.stamp[9] = b":"
        two_digits(clock.stamp + 10, rest // 60 % 60, 48)
        clock.stamp[12] = b":"
        two_digits(clock.stamp + 13, rest % 60, 48)
        clock.last = seconds
    put_bytes(text, clock.stamp, 15)


def write_long(clock: cython.pointer(Clock), seconds: int64_t):
    """Let `long_stamp` be the text of that second."""
    month: cython.int
    day: cython.int
    now: int64_t = local(clock, seconds)
    days: int64_t = now // 86400 if now >= 0 else (now - 86399) // 86400
    rest: cython.long = now - days * 86400
    year: int64_t = civil(days, cython.address(month), cython.address(day))
    at: cython.p_char = clock.long_stamp
    if year < 0:
        at[0] = b"-"
        at = write_unsigned(at + 1, cython.cast(uint64_t, -year))
    elif 1000 <= year <= 9999:
        at = write_digits(at, year, 4)
    else:  # (as strftime's %F has it)
        at = write_unsigned(at, year)
    at[0] = b"-"
    two_digits(at + 1, month, 48)
    at[3] = b"-"
    two_digits(at + 4, day, 48)
    at[6] = b" "
    two_digits(at + 7, rest // 3600, 48)
    at[9] = b":"
    two_digits(at + 10, rest // 60 % 60, 48)
    at[12] = b":"
    two_digits(at + 13, rest % 60, 48)
    at[15] = b"."
    clock.long_length = at + 16 - clock.long_stamp
    memcpy(clock.long_zone, clock.zone, cython.sizeof(clock.zone))
    clock.long_zone_length = strlen(clock.zone)
    clock.last_long = seconds


def put_microseconds(text: p_Text, clock: cython.pointer(Clock), microseconds: uint64_t):
    """Append microseconds since the epoch as YYYY-MM-DD HH:MM:SS.UUUUUU ZONE in local time."""
    seconds: int64_t = microseconds // 1000000
    fraction: uint32_t = microseconds - cython.cast(uint64_t, seconds) * 1000000
    if clock.last_long != seconds:
        write_long(clock, seconds)
    put_bytes(text, clock.long_stamp, clock.long_length)
    if text_grow(text, 6):
        write_digits(text.data + text.length, fraction, 6)
        text.length += 6
    put_char(text, b" ")
    put_bytes(text, clock.long_zone, clock.long_zone_length)


def local_times(seconds: list) -> list:
    """Return (header line's text, GTID line's text) of each second since the epoch, by one clock; for tests."""
    clock: Clock
    text: OwnText = OwnText()
    clock_init(cython.address(clock))
    result: list = []
    for second in seconds:
        put_timestamp(cython.address(text.text), cython.address(clock), second)
        short = text_take(cython.address(text.text))
        put_microseconds(cython.address(text.text), cython.address(clock), second * 1000000 + 123)
        result.append((short, text_take(cython.address(text.text))))
    return result
