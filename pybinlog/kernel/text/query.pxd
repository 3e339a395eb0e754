# Query events: their text.
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.query_fields cimport Query
from pybinlog.kernel.text.printer cimport Name, Printer, Progress, Session, SessionNames

cdef void put_query_header(Printer* p, const Query* query, const Event* e, const Format* format, const char* name) noexcept nogil
cdef void put_query(Printer* p, const Query* query, const Event* e, const Format* format, const char* name) noexcept nogil
cdef void put_sql_mode(Text* text, uint64_t sql_mode) noexcept nogil
cdef void put_charsets(Text* text, uint32_t client, uint32_t connection, uint32_t server) noexcept nogil
cdef bint change_charsets(Printer* p, uint32_t client, uint32_t connection, uint32_t server) noexcept nogil
cdef void session_apply(
    Session* session, SessionNames* names, Progress* progress, const Query* query, uint16_t flags
) noexcept nogil

# Used in this module only.
cdef void put_delimiter(Text* text) noexcept nogil
cdef uint32_t put_flag(Text* text, uint32_t changed, uint32_t flags2, uint32_t bit, const char* name) noexcept nogil
cdef void put_maria_flag(Text* text, uint32_t changed, uint32_t flags2, uint32_t bit, const char* name) noexcept nogil
cdef void put_maria_flags2(Text* text, uint32_t changed, uint32_t flags2, const Format* format) noexcept nogil
cdef void put_flags2(Text* text, uint32_t changed, uint32_t flags2) noexcept nogil
cdef void put_number(Text* text, const char* name, int64_t value, const char* end) noexcept nogil
cdef void put_collations(Text* text, const Query* query) noexcept nogil
cdef void put_session_variables(Printer* p, const Query* query, const Format* format) noexcept nogil
cdef void put_alter_phase(Printer* p, const Query* query, const Event* e) noexcept nogil
