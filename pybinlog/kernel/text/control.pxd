# Events that open, close and divide logs and transactions: their text.
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport p_Text, put_base64, put_bytes, put_char, put_signed, put_text
from pybinlog.kernel.scan.event_fields cimport XaIdentifier
from pybinlog.kernel.text.printer cimport p_Printer

# Append the texts; return -1 if the fields cannot be read.
cdef int put_format_description(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_rotate(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_xid(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_xa_prepare(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_incident(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_load_block(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
# The lines around the events of a Transaction_payload.
cdef int put_payload(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil
cdef void put_payload_end(p_Printer p) noexcept nogil
# X'global',X'branch',format as XA statements take it.
cdef void put_xa_identifier(p_Text text, const XaIdentifier* xid) noexcept nogil
# A line that only names the event, and text after it.
cdef void put_named(p_Printer p, p_const_Event e, p_const_Format format, const char* name, const char* rest) noexcept nogil
cdef void put_commit(p_Printer p) noexcept nogil
cdef void put_end_of_log(p_Printer p) noexcept nogil
