# MariaDB's own events: their text.
from libc.stdint cimport int64_t, uint32_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.gtid_fields cimport MariaGtid
from pybinlog.kernel.text.printer cimport Printer

cdef void put_maria_gtid(Printer* p, const MariaGtid* gtid, const Event* e, const Format* format) noexcept nogil
# All others but the compressed ones. 0, CORRUPT, NO_MEMORY, or ENCRYPTED if nothing after the event can be read.
cdef int put_maria_event(Printer* p, const Event* e, const Format* format) noexcept nogil

# Used in this module only.
cdef void put_field(Text* text, const char* name, int64_t value) noexcept nogil
cdef void put_variable(Text* text, const char* name, int64_t before, int64_t value) noexcept nogil
cdef void put_gtid(Text* text, uint32_t domain, uint32_t server, int64_t number) noexcept nogil
cdef int by_domain(const void* left, const void* right) noexcept nogil
cdef int put_gtid_list(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_checkpoint(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_annotate_rows(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_start_encryption(Printer* p, const Event* e, const Format* format) noexcept nogil
