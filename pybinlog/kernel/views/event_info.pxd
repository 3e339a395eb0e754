# The Info of SHOW BINLOG EVENTS: the C side of kernel/views/event_info.py.
from libc.stdint cimport uint8_t, uint32_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.query_fields cimport Query
from pybinlog.kernel.views.event_group cimport EventGroup

# Put the Info. False if a server's Info is not known for such an event, or a length in it is wrong. `query` are the
# fields of a Query, NULL for other events; `group` is the event's.
cdef bint put_info(Text* text, const Event* e, const Format* format, const Query* query, const EventGroup* group) noexcept nogil

# Used in this module only.
cdef void put_backticked(Text* text, const char* name, size_t length) noexcept nogil
cdef bint put_setting(Text* text, uint32_t flags2, int bit, const char* setting, bint first) noexcept nogil
cdef void put_query(Text* text, const Event* e, const Format* format, const Query* query) noexcept nogil
cdef bint put_rows(Text* text, const Event* e, const Format* format) noexcept nogil
cdef bint put_table_map(Text* text, const Event* e, const Format* format) noexcept nogil
cdef bint put_previous_gtids(Text* text, const Event* e, const Format* format) noexcept nogil
cdef bint put_user_var(Text* text, const Event* e, const Format* format) noexcept nogil
cdef bint put_maria_gtid(Text* text, const Event* e, const Format* format, const EventGroup* group) noexcept nogil
cdef bint is_before(const uint8_t* a, const uint8_t* b) noexcept nogil
cdef bint put_gtid_list(Text* text, const Event* e, const Format* format) noexcept nogil
cdef bint put_payload(Text* text, const uint8_t* body, size_t size) noexcept nogil
cdef bint put_small(Text* text, const Event* e, const Format* format) noexcept nogil
