from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport p_const_Event, p_const_Format, p_Event
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bytes
from pybinlog.kernel.views.arrow_column cimport CHECKSUM_OK_OF_EVENTS, DIGEST_OF_EVENTS, INFO_OF_EVENTS, p_ArrowColumn
from pybinlog.kernel.views.view cimport View
from pybinlog.kernel.views.view_events cimport Name

cdef class EventView(View):
    cdef p_ArrowColumn of             # the columns, by their numbers, ..._OF_EVENTS
    cdef Name type_names[256]
    cdef list kept_names
    cdef bint as_server               # positions and boundaries as they are shown to people
    cdef uint32_t payload_end_log_pos
    cdef OwnText scratch

    cdef void add_info(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef void add_boundary(self, p_const_Event e) noexcept nogil
    cdef int add_query(self, p_const_Event e, size_t body) except -1 nogil
    cdef int add_statement(self, const char* statement, size_t length) except -1 nogil

# Used in this module only.
cdef bint checksum_is_right(p_const_Event e) noexcept nogil
