# GTID events, and Previous_gtids: their text.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.scan.gtid_fields cimport Gtid
from pybinlog.kernel.text.printer cimport Printer

cdef void put_gtid(Printer* p, const Gtid* gtid, const Event* e, const Format* format) noexcept nogil
cdef int put_previous_gtids(Printer* p, const Event* e, const Format* format) noexcept nogil
