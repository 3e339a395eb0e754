# TextOutput: how text leaves the renderer.
from pybinlog.kernel.base.buffer cimport BufferPool
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.text.event_text cimport EventText
from pybinlog.kernel.text.printer cimport Printer

cdef class TextOutput:
    cdef EventText text
    cdef Printer* printer               # the text's
    cdef object write
    cdef BufferPool pool                # of `out` and the pieces of it
    cdef object slow_path
    cdef object body_file               # what did not fit the printer's `body` and `footer`
    cdef object footer_file
    cdef object spill_error             # what drain_to_file met, to be raised where Python code may raise

    cdef void resume(self, write)
    cdef void close(self)
    cdef void hand_on(self)
    cdef void finish_rows(self)
    cdef void spill(self)
    cdef void check_spill(self)
    cdef void flush_statement(self)


cdef void drain_to_file(void* owner, Text* text) noexcept nogil
cdef void hand_on_head(void* owner) noexcept nogil
