# GTID events, and Previous_gtids: their text.
from libc.stdint cimport int64_t, uint64_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.text cimport Digits, p_Text, put_uuid
from pybinlog.kernel.scan.gtid_fields cimport Gtid, previous_gtids_begin, previous_gtids_next, PreviousGtids, put_intervals
from pybinlog.kernel.text.printer cimport end_header, p_Printer, put_header, put_title, Recent


cdef void put_gtid(p_Printer p, const Gtid* gtid, p_const_Event e, p_const_Format format) noexcept nogil
cdef int put_previous_gtids(p_Printer p, p_const_Event e, p_const_Format format) noexcept nogil

# Used in this module only.
cdef void put_source(p_Text text, Recent* recent, octets uuid) noexcept nogil
cdef void put_commit_timestamp(p_Text text, Digits* stamp, uint64_t microseconds) noexcept nogil
