# Events that open, close and divide logs and transactions: their fields, and their text.
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from pybinlog.kernel.event cimport Event
from pybinlog.kernel.format cimport Format
from pybinlog.kernel.printer cimport Printer

cdef struct Rotate:
    const char* name
    size_t length
    int64_t position

cdef struct XaPrepare:
    bint one_phase
    uint32_t format_identifier
    const uint8_t* identifier        # the global part, and the branch qualifier after it
    uint32_t global_length
    uint32_t branch_length

# The fields; -1 where a length reaches beyond the event.
cdef int rotate_parse(Rotate* rotate, const Event* e, const Format* format) noexcept nogil
cdef int xid_parse(uint64_t* xid, const Event* e, const Format* format) noexcept nogil
cdef int xa_prepare_parse(XaPrepare* xa, const Event* e, const Format* format) noexcept nogil
cdef int incident_parse(uint16_t* number, const Event* e, const Format* format) noexcept nogil
# Of a Begin_load_query, Append_block or Delete_file.
cdef int file_id_parse(uint32_t* file_id, const Event* e, const Format* format) noexcept nogil

# The texts; -1 where the fields cannot be read.
cdef int put_format_description(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rotate(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_xid(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_xa_prepare(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_incident(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_load_block(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_delete_file(Printer* p, const Event* e, const Format* format) noexcept nogil
# A line that only names the event, and text after it.
cdef int put_named(Printer* p, const Event* e, const Format* format, const char* name, const char* rest) noexcept nogil
cdef void put_end_of_log(Printer* p) noexcept nogil
