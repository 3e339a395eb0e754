# Buffer: memory for the bytes of a log or for finished text, and the pool that it goes back to.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.text cimport p_Text, text_init


cdef enum:
    POOLED = 32          # pieces of memory that a pool keeps

cdef class BufferPool:
    cdef uint8_t* memory[POOLED]
    cdef Py_ssize_t sizes[POOLED]
    cdef int count

    cdef void allocate_text(self, p_Text text) noexcept
    cdef void give(self, uint8_t* data, Py_ssize_t size) noexcept

cdef class Buffer:
    cdef uint8_t* data
    cdef Py_ssize_t size               # bytes to be seen, which may be fewer than there is memory for
    cdef Py_ssize_t capacity
    cdef bint read_only
    cdef BufferPool pool               # that the memory goes back to; None if it is not wanted again

cdef Buffer text_buffer(p_Text text, Py_ssize_t length)
