from libc.stdint cimport int32_t, uint64_t
from pybinlog.kernel.base.text cimport LARGE_VALUE, Text, text_free


cdef class Digests:
    cdef object digest_text
    cdef bint forgets
    cdef Text shape
    cdef Text last                    # the shape before, whose digest has the number `last_number`
    cdef int32_t last_number
    cdef uint64_t last_mode
    cdef uint64_t mode                # in force, as far as a digest depends on it
    cdef dict by_shape                # (shape, mode) -> number
    cdef size_t shapes_size
    cdef dict by_text                 # digest -> number
    cdef readonly list texts          # digests as UTF-8; that of number 1 is the first
    cdef bytes found                  # the digest found last; None: there is none
    cdef const char* data             # its bytes, until the next is found
    cdef size_t length
    cdef size_t texts_size
    cdef readonly bint is_full

    # The number of a statement's digest, from 1; 0 if it has none, or OTHERS.
    cdef int32_t find(self, const char* statement, size_t length, uint64_t sql_mode) except? -2 nogil
    cdef int32_t find_shape(self) except? -2 with gil
    cdef int32_t number_of(self, bytes shape) except? -2
