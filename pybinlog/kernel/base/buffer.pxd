# Buffer: the memory that the bytes of a log are read into, and the pool that it goes back to.
from libc.stdint cimport uint8_t

cdef class BufferPool:
    cdef uint8_t* memory[16]
    cdef Py_ssize_t sizes[16]
    cdef int count

    cdef void give(self, uint8_t* data, Py_ssize_t size) noexcept

cdef class Buffer:
    cdef uint8_t* data
    cdef Py_ssize_t size
    cdef BufferPool pool               # that the memory goes back to; None where it is not wanted again
