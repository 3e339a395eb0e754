# The keys of rows that are taken back: the C side of kernel/undo/key_set.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap

cdef enum:
    CHANGED_AGAIN = 1          # in a slot: a later change has the key

cdef class KeySet:
    cdef uint64_t* slots       # hashes, whose lowest bit says CHANGED_AGAIN; 0: empty
    cdef size_t slot_count     # a power of two
    cdef readonly size_t count

    # Add a key; False if there is no memory.
    cdef bint add(self, uint64_t key) noexcept nogil
    # Mark a key; True if it is there and was not marked.
    cdef bint mark(self, uint64_t key) noexcept nogil
    cdef bint is_marked(self, uint64_t key) noexcept nogil
    cdef uint64_t* find(self, uint64_t key) noexcept nogil
    cdef bint grow(self) noexcept nogil

# The key of a row: its table's `seed` and the values of some of its columns, which `columns` has as bits. 0 if its image
# lacks one of them, or cannot be read.
cdef uint64_t key_of_image(
    uint64_t seed, octets columns, const RowsFields* fields, const TableMap* map, octets at, octets end, bint after
) noexcept nogil
