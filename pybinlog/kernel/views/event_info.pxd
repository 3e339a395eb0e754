from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_memory, put_signed, put_text
from pybinlog.kernel.scan.query_fields cimport p_const_Query
from pybinlog.kernel.views.event_group cimport EventGroup


# Put the Info. False if a server's Info is not known for such an event, or a length in it is wrong. `query` are the
# fields of a Query, NULL for other events; `group` is the event's.
cdef bint put_info(p_Text text, p_const_Event e, p_const_Format format, p_const_Query query, const EventGroup* group) noexcept nogil

# Used in this module only.
cdef void put_backticked(p_Text text, const char* name, size_t length) noexcept nogil
cdef bint put_setting(p_Text text, uint32_t flags2, int bit, const char* setting, bint first) noexcept nogil
cdef void put_query(p_Text text, p_const_Event e, p_const_Format format, p_const_Query query) noexcept nogil
cdef bint put_rows(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint put_table_map(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint put_previous_gtids(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint put_user_var(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint put_maria_gtid(p_Text text, p_const_Event e, p_const_Format format, const EventGroup* group) noexcept nogil
cdef bint is_before(octets a, octets b) noexcept nogil
cdef bint put_gtid_list(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
cdef bint put_payload(p_Text text, octets body, size_t size) noexcept nogil
cdef bint put_small(p_Text text, p_const_Event e, p_const_Format format) noexcept nogil
