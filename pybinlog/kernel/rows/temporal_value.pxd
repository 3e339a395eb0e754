# Dates and times, and their texts: the C side of kernel/rows/temporal_value.py.
from libc.stdint cimport int64_t, uint32_t
from pybinlog.kernel.base.text cimport Text

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


# Their texts, without quotes.
cdef void put_timestamp(Text* text, int64_t seconds, uint32_t microseconds, int decimals) noexcept nogil
cdef void put_datetime(Text* text, const Moment* moment, int decimals) noexcept nogil
cdef void put_time(Text* text, const Moment* moment, int decimals) noexcept nogil
cdef void put_old_datetime(Text* text, const Moment* moment) noexcept nogil
cdef void put_old_time(Text* text, const Moment* moment) noexcept nogil
# A date with dashes, as JSON has it, and with colons, as the reference prints a row's.
cdef void put_json_date(Text* text, const Moment* moment) noexcept nogil
cdef void put_date(Text* text, const Moment* moment) noexcept nogil
