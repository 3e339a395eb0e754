# GTID events, and Previous_gtids: their text.
from libc.stdint cimport uint8_t, uint64_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.base.text cimport Digits, Text
from pybinlog.kernel.scan.gtid_fields cimport Gtid
from pybinlog.kernel.text.printer cimport Printer, Recent

cdef void put_gtid(Printer* p, const Gtid* gtid, const Event* e, const Format* format) noexcept nogil
cdef int put_previous_gtids(Printer* p, const Event* e, const Format* format) noexcept nogil

# Used in this module only.
cdef void put_source(Text* text, Recent* recent, const uint8_t* uuid) noexcept nogil
cdef void put_commit_timestamp(Text* text, Digits* stamp, uint64_t microseconds) noexcept nogil
