# Intvar, Rand and User_var events: values that the next statement uses.
from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.text.printer cimport Printer

# Append the texts; return -1 if the fields cannot be read.
cdef int put_intvar(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_rand(Printer* p, const Event* e, const Format* format) noexcept nogil
cdef int put_user_var(Printer* p, const Event* e, const Format* format) noexcept nogil
