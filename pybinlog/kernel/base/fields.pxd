# The fields of events as pybinlog.layout declares them. The build makes fields.pxi of the declarations; see
# layout/kernel_fields.py. `rand_head`, for example, fills a RandHead with the fields that a Rand begins with, and returns
# the place after them; NULL if they reach beyond `end`. `event_size_of`, for example, reads a field of the common header.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.little_endian cimport read_u16, read_u32, read_u64

include "fields.pxi"

cdef inline octets body_of(p_const_Event e, p_const_Format format) noexcept nogil:
    """The first byte after the header; it may be beyond the event's end."""
    return e.data + format.header_length

cdef inline octets end_of(p_const_Event e) noexcept nogil:
    """The place after the body."""
    return e.data + e.body_end
