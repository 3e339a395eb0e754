# Query events: their text.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format, SUPPRESS_USE, THREAD_SPECIFIC
from pybinlog.kernel.base.text cimport p_Text, put_base64, put_bytes, put_char, put_commented, put_padded
from pybinlog.kernel.scan.query_fields cimport p_const_Query, query_is_transaction_keyword
from pybinlog.kernel.text.printer cimport Progress, Session, SessionNames, p_Printer


cdef void put_query_header(p_Printer p, p_const_Query query, p_const_Event e, p_const_Format format, const char* name) noexcept nogil
cdef void put_query(p_Printer p, p_const_Query query, p_const_Event e, p_const_Format format, const char* name) noexcept nogil
cdef void put_sql_mode(p_Text text, uint64_t sql_mode) noexcept nogil
cdef void put_charsets(p_Text text, uint32_t client, uint32_t connection, uint32_t server) noexcept nogil
cdef bint change_charsets(p_Printer p, uint32_t client, uint32_t connection, uint32_t server) noexcept nogil
cdef void session_apply(
    Session* session, SessionNames* names, Progress* progress, p_const_Query query, uint16_t flags
) noexcept nogil

# Used in this module only.
cdef void put_delimiter(p_Text text) noexcept nogil
cdef uint32_t put_flag(p_Text text, uint32_t changed, uint32_t flags2, uint32_t bit, const char* name) noexcept nogil
cdef void put_maria_flag(p_Text text, uint32_t changed, uint32_t flags2, uint32_t bit, const char* name) noexcept nogil
cdef void put_maria_flags2(p_Text text, uint32_t changed, uint32_t flags2, p_const_Format format) noexcept nogil
cdef void put_flags2(p_Text text, uint32_t changed, uint32_t flags2) noexcept nogil
cdef void put_number(p_Text text, const char* name, int64_t value, const char* end) noexcept nogil
cdef void put_collations(p_Text text, p_const_Query query) noexcept nogil
cdef void put_session_variables(p_Printer p, p_const_Query query, p_const_Format format) noexcept nogil
cdef void put_alter_phase(p_Printer p, p_const_Query query, p_const_Event e) noexcept nogil
