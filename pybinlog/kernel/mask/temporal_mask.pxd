# Dates and times, masked by dates and times.
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.mask.permutation cimport p_const_MaskKey
from pybinlog.kernel.rows.temporal_value cimport Moment

ctypedef Moment* p_Moment

# Each keeps an impossible month, day, minute or second, zeros above all.
cdef void mask_date(p_const_MaskKey key, p_Moment moment) noexcept nogil
cdef void mask_time(p_const_MaskKey key, p_Moment moment) noexcept nogil
cdef uint64_t pack_datetime(const Moment* moment) noexcept nogil
cdef uint64_t pack_time(const Moment* moment) noexcept nogil
# Mask what a row holds for a column of these decimals; False if its kind is not that of a date, a time or both.
cdef bint mask_moment(p_const_MaskKey key, int kind, uint8_t* data, int decimals) noexcept nogil
cdef void mask_timestamp(p_const_MaskKey key, uint8_t* data, int decimals, bint old) noexcept nogil
cdef void mask_json_time(p_const_MaskKey key, uint8_t* data, bint is_time) noexcept nogil
# Mask a date, a time or both between quotes, such as 2026-01-31 23:59:59.25; False if the text is none. Without
# a key, it stays.
cdef bint mask_moment_text(p_const_MaskKey key, uint8_t* text, size_t size) noexcept nogil

# Used in this module only.
cdef int64_t day_of(uint32_t year, uint32_t month, uint32_t day) noexcept nogil
cdef void set_day(p_Moment moment, int64_t day) noexcept nogil
cdef uint32_t days_in(uint32_t year, uint32_t month) noexcept nogil
cdef void mask_microseconds(p_const_MaskKey key, p_Moment moment) noexcept nogil
cdef bint read_three(const uint8_t* text, int size, uint8_t sign, uint32_t* values) noexcept nogil
cdef void write_three(uint8_t* text, int size, uint32_t a, uint32_t b, uint32_t c) noexcept nogil
cdef void write_big_endian(uint8_t* to, int size, uint64_t value) noexcept nogil
cdef uint64_t stored_fraction(const Moment* moment, int decimals) noexcept nogil
