# PostponedEvents: the row events of a large statement, until they are printed at its end.
from libc.stdint cimport uint32_t, uint64_t
from pybinlog.kernel.base.event cimport COMMON_HEADER_LENGTH, Event, Format, octets, p_const_Event, p_Event
from pybinlog.kernel.base.text cimport p_Text, put_memory, Text, text_free

# Consecutive events: their places in the log, or in what is kept.
cdef struct Part:
    uint64_t begin
    uint64_t end
    bint kept

cdef class PostponedEvents:
    cdef public bint rereads          # the log can be read again: its events are not kept
    cdef Text parts                   # each a Part
    cdef Text kept                    # each an Event and its bytes; `drained` bytes before them are in `kept_file`
    cdef size_t printed               # bytes of `parts` whose rows are printed, in a file
    cdef object kept_file
    cdef object slow_path             # of the Renderer
    cdef object error                 # what keeping a large event met
    cdef Format format                # of the statement's events

    cdef void clear(self)
    # `own`: the event's bytes are those of the log. False if there is no memory.
    cdef bint add(self, p_const_Event e, bint own) noexcept nogil
    cdef void keep_large(self, p_const_Event e)
    cdef void spill(self)
    cdef void gather(self)
