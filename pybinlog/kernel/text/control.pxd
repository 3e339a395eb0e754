# Events that open, close and divide logs and transactions: their text.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.scan.event_fields cimport XaIdentifier
from pybinlog.kernel.text.printer cimport Printer

# Append the texts; return -1 if the fields cannot be read.
cdef int put_format_description(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rotate(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_xid(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_xa_prepare(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_incident(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_load_block(Printer* p, const Event* e, const Format* format) noexcept nogil
# The lines around the events of a Transaction_payload.
cdef int put_payload(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef void put_payload_end(Printer* p) noexcept nogil
# X'global',X'branch',format as XA statements take it.
cdef void put_xa_identifier(Text* text, const XaIdentifier* xid) noexcept nogil
# A line that only names the event, and text after it.
cdef void put_named(Printer* p, const Event* e, const Format* format, const char* name, const char* rest) noexcept nogil
cdef void put_commit(Printer* p) noexcept nogil
cdef void put_end_of_log(Printer* p) noexcept nogil
