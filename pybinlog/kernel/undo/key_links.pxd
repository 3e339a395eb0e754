# The values of unique keys that rows take: the C side of kernel/undo/key_links.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.undo.large_array cimport LargeArray

cdef class KeyLinks:
    cdef LargeArray slots      # pairs: a value's hash (0: empty), and the number of its first link (0: none)
    cdef LargeArray links      # pairs: a row's key, and the number of the next link; the first pair is not used
    cdef size_t values
    cdef readonly size_t count

    # Link a value to the row that has it.
    cdef int add(self, uint64_t value, uint64_t row) except -1
    # Remove the first link of a value: its row's key, or 0 without one.
    cdef uint64_t pop(self, uint64_t value) noexcept nogil
    cdef uint64_t* find(self, uint64_t value) noexcept nogil
    cdef int grow(self) except -1
