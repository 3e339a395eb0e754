# The operation of a row event or a statement.
from libc.stdint cimport uint8_t

# As bits, so that a set of them is a number.
cpdef enum:
    INSERTS = 1
    UPDATES = 2
    DELETES = 4
    OTHER_OPERATION = 8
    DEFINES = 16

cdef int rows_operation(uint8_t kind) noexcept nogil
# By its first word; what is a comment to every server is skipped.
cdef int text_operation(const char* text, size_t length) noexcept nogil
cdef bint is_ddl(const char* text, size_t length) noexcept nogil
