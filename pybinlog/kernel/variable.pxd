# Intvar, Rand and User_var events: values that the next statement uses.
from pybinlog.kernel.event cimport Event
from pybinlog.kernel.format cimport Format
from pybinlog.kernel.printer cimport Printer

# -1 where a length reaches beyond the event.
cdef int put_intvar(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rand(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_user_var(Printer* p, const Event* e, const Format* format) noexcept nogil
