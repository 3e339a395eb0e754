# MariaDB's own events: their text.
from libc.stdint cimport int64_t, uint32_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, plain_run, put_bytes, put_char, put_in_order, RELIEVED_AT
from pybinlog.kernel.scan.gtid_fields cimport MariaGtid
from pybinlog.kernel.text.printer cimport p_Printer


cdef void put_maria_gtid(p_Printer p, const MariaGtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
# All others but the compressed ones. 0, CORRUPT, NO_MEMORY, or ENCRYPTED if nothing after the event can be read.
cdef int put_maria_event(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef void put_field(p_Text text, const char* name, int64_t value) noexcept nogil
cdef void put_variable(p_Text text, const char* name, int64_t before, int64_t value) noexcept nogil
cdef void put_gtid(p_Text text, uint32_t domain, uint32_t server, int64_t number) noexcept nogil
cdef int by_domain(const void* left, const void* right) noexcept nogil
cdef int put_gtid_list(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_checkpoint(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_annotate_rows(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_start_encryption(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
