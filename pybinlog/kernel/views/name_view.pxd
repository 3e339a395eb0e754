# The names of columns for a dump: the C side of kernel/views/name_view.py.
from libc.stdint cimport uint32_t

from pybinlog.kernel.base.event cimport Event, Format
from pybinlog.kernel.views.view cimport View

cdef class NameView(View):
    cdef object lend                   # is given a table id and metadata, and returns a number
    cdef uint32_t number               # the last one
    cdef Event* payload                # whose events are followed

    cdef int note(self, Event* e, const Format* format) except -1 nogil
