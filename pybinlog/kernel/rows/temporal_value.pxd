# Dates and times in their binary forms: the C side of kernel/rows/temporal_value.py.
from libc.stdint cimport int64_t, uint8_t, uint32_t
from pybinlog.kernel.base.text cimport Text

# The forms with fractions of MySQL 5.6 and later; `decimals` is 0 to 6. Without quotes.
cdef void put_timestamp2(Text* text, const uint8_t* data, int decimals) noexcept nogil
cdef void put_datetime2(Text* text, const uint8_t* data, int decimals) noexcept nogil
cdef void put_time2(Text* text, const uint8_t* data, int decimals) noexcept nogil
# The packed 64-bit forms that JSON holds.
cdef void put_packed_datetime(Text* text, int64_t packed, int decimals) noexcept nogil
cdef void put_packed_date(Text* text, int64_t packed) noexcept nogil
cdef void put_packed_time(Text* text, int64_t packed, int decimals) noexcept nogil
# The forms of 5.5 and earlier.
cdef void put_old_datetime(Text* text, const uint8_t* data) noexcept nogil
cdef void put_old_time(Text* text, const uint8_t* data) noexcept nogil
cdef void put_date(Text* text, const uint8_t* data) noexcept nogil
