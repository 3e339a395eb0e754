from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets, p_Event, p_const_Event, p_const_Format
from pybinlog.kernel.scan.inflated_event cimport InflatedEvent
from pybinlog.kernel.views.arrow_column cimport ArrowColumns
from pybinlog.kernel.views.view_events cimport VIEW_COMPRESSED, VIEW_DONE, VIEW_ENCRYPTED, VIEW_FULL, ViewEvents


cdef class View:
    cdef readonly ViewEvents events   # what events mean, for all views
    cdef ArrowColumns columns
    cdef public object spill          # of large values: what is read of an event is given back through it
    cdef object inflated              # the content of the current compressed event, if it is not ordinary
    cdef InflatedEvent ordinary       # what an ordinary one stands for
    cdef readonly Py_ssize_t data_at  # in the body of the last compressed event: where those data begin; -1: unreadable
    cdef const char* text             # the content of the current compressed event; NULL: there is none
    cdef size_t length
    cdef octets at                    # the next of the current event's rows; NULL: none is under way
    cdef readonly int status
    cdef readonly object refused      # after VIEW_REFUSED
    cdef readonly size_t count        # rows so far
    cdef public bint permissive       # an event that cannot be read gives the row without its fields
    cdef public size_t most_rows
    cdef public size_t most_bytes

    cdef bint inflate(self, p_const_Event e, p_const_Format format) noexcept nogil
    cdef size_t bytes_held(self) noexcept nogil
    cdef int trouble(self) noexcept nogil
    cdef int event(self, p_Event e, p_const_Format format, const char* text, size_t length) except -1 nogil
    cdef int end_of_group(self) except -1 nogil
    cdef int put_damage(self, uint64_t start, uint64_t end, const char* text, size_t length) except -1 nogil
