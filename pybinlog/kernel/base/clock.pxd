# Local time from seconds since the epoch, without a system call an event.
from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bytes, put_char, text_grow, text_take


cdef struct Clock:
    int64_t known_from       # [known_from, known_until): where `offset` and `zone` hold
    int64_t known_until
    int64_t offset           # seconds east of UTC
    char zone[32]            # the zone's abbreviation, null-terminated
    int64_t last             # the second whose text is in `stamp`
    char stamp[16]           # "YYMMDD HH:MM:SS"
    int64_t last_long        # the second whose text is in `long_stamp`
    char long_stamp[32]      # "YYYY-MM-DD HH:MM:SS."
    size_t long_length
    char long_zone[32]       # and the zone's abbreviation then
    size_t long_zone_length

cdef void clock_init(Clock* clock) noexcept nogil
cdef void put_timestamp(p_Text text, Clock* clock, uint32_t seconds) noexcept nogil
cdef void put_microseconds(p_Text text, Clock* clock, uint64_t microseconds) noexcept nogil
# Days since 1970-01-01 -> year (that before 1 is 0), month, day.
cdef int64_t civil(int64_t days, int* month, int* day) noexcept nogil
# And back: days since 1970-01-01 in the proleptic Gregorian calendar, of a date that is in it.
cdef int64_t days_from_civil(int64_t year, int month, int day) noexcept nogil

# Used in this module only.
cdef int64_t offset_at(int64_t seconds, char* zone) noexcept nogil
cdef int64_t local(Clock* clock, int64_t seconds) noexcept nogil
cdef void two_digits(char* at, long value, char pad) noexcept nogil
cdef void write_long(Clock* clock, int64_t seconds) noexcept nogil
