# The fields of events as pybinlog.layout declares them. The build makes fields.pxi of the declarations; see
# layout/kernel_fields.py. `rand_head`, for example, fills a RandHead with the fields that a Rand begins with, and returns
# the place after them; NULL if they reach beyond `end`. `event_size_of`, for example, reads a field of the common header.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.little_endian cimport read_u16, read_u32, read_u48, read_u64

include "fields.pxi"

cdef inline octets body_of(p_const_Event e, p_const_Format format) noexcept nogil:
    """The first byte after the header; it may be beyond the event's end."""
    return e.data + format.header_length

cdef inline octets end_of(p_const_Event e) noexcept nogil:
    """The place after the body."""
    return e.data + e.body_end

# A Table_map and a row event begin with the number of the table map and with flags of two bytes. See layout's TableId.
cdef inline size_t table_id_size(uint8_t post_header) noexcept nogil:
    """The bytes of that number, by those of the event's post-header: 4 before MySQL 5.1.4."""
    return 4 if post_header == 6 else 6

cdef inline uint64_t table_id_of(octets at, size_t id_size) noexcept nogil:
    return read_u32(at) if id_size == 4 else read_u48(at)
