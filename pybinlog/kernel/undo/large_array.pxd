# Numbers in memory or in a file: the C side of kernel/undo/large_array.py.
from libc.stdint cimport uint64_t

cdef class LargeArray:
    cdef uint64_t* at
    cdef readonly size_t count
    cdef bint mapped           # it is in a file
    cdef size_t uses           # since its pages were given back

# Note that a number in a random place is used: the pages of a file that were used go back to the system in time.
cdef inline void use(LargeArray array) noexcept nogil:
    if array.mapped:
        array.uses += 1
        if array.uses >= 512:
            give_back(array)

cdef void give_back(LargeArray array) noexcept nogil
