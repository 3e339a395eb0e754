# TextOutput: how text leaves the renderer.
from pybinlog.kernel.base.buffer cimport Buffer, BufferPool, text_buffer
from pybinlog.kernel.base.text cimport p_Text, put_bytes, Text, text_take
from pybinlog.kernel.text.event_text cimport EventText
from pybinlog.kernel.text.printer cimport BASE64_DECODE_ROWS, finish_head, p_Printer

cdef class TextOutput:
    cdef EventText text
    cdef p_Printer printer              # the text's
    cdef object write
    cdef BufferPool pool                # of `out` and the pieces of it
    cdef object slow_path
    cdef object rows_file               # rows of the statement that are printed already; None without any
    cdef object error                   # what hand_on_head met, to be raised where Python code may raise

    cdef void resume(self, write)
    cdef void close(self)
    cdef void hand_on(self)
    cdef void check_error(self)
    cdef void flush_statement(self, renderer)
    cdef void print_again(self, renderer, Py_ssize_t first, Py_ssize_t last, bint rows, bint apart)
    cdef void print_rows_so_far(self, renderer)
    cdef void write_rows_file(self)


# A Text's `drain`.
cdef void postpone(void* owner, p_Text text) noexcept nogil
cdef void hand_on_text(void* owner, p_Text text) noexcept nogil
cdef void hand_on_head(void* owner) noexcept nogil
