# MariaDB's own events: their text.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.scan.gtid_fields cimport MariaGtid
from pybinlog.kernel.text.printer cimport Printer

cdef void put_maria_gtid(Printer* p, const MariaGtid* gtid, const Event* e, const Format* format) noexcept nogil
# All others but the compressed ones. 0, CORRUPT, NO_MEMORY, or ENCRYPTED if nothing after the event can be read.
cdef int put_maria_event(Printer* p, const Event* e, const Format* format) noexcept nogil
