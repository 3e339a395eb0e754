# TextOutput: how text leaves the renderer.
from pybinlog.kernel.event_text cimport EventText

cdef class TextOutput(EventText):
    cdef object write
    cdef readonly object helper
    cdef object body_file               # what did not fit the printer's `body` and `footer`
    cdef object footer_file

    cdef void finish_rows(self)
    cdef void spill(self)
    cdef void flush_statement(self)
