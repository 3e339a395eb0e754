# The keys of rows that are taken back: the C side of kernel/undo/key_set.py.
from libc.stdint cimport uint64_t

from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.rows cimport RowsFields
from pybinlog.kernel.rows.table_map cimport TableMap
from pybinlog.kernel.undo.key_links cimport KeyLinks
from pybinlog.kernel.undo.large_array cimport LargeArray

cdef enum:
    CHANGED_AGAIN = 1          # in a slot: a later change has the key

cdef class KeySet:
    cdef LargeArray slots      # hashes, whose lowest bit says CHANGED_AGAIN; 0: empty; as many as a power of two
    cdef KeyLinks links        # the values of unique keys, with the keys
    cdef readonly size_t count
    cdef readonly dict waiting # xid -> what XA transactions without a decision did with keys: cells, table, pairs
    cdef object error          # why a key could not be added

    # Add a key; False if there is no memory.
    cdef bint add(self, uint64_t key) noexcept nogil
    # Mark a key; True if it is there and was not marked.
    cdef bint mark(self, uint64_t key) noexcept nogil
    # Link a value of a unique key to a key; mark the keys of a value, and return how many were not marked.
    cdef bint link(self, uint64_t value, uint64_t key) noexcept nogil
    cdef size_t mark_value(self, uint64_t value) noexcept nogil
    cdef bint is_marked(self, uint64_t key) noexcept nogil
    cdef uint64_t* find(self, uint64_t key) noexcept nogil
    cdef bint grow(self) noexcept with gil

cdef uint64_t mixed(uint64_t hash, uint64_t word) noexcept nogil
cdef uint64_t hash_of(uint64_t hash, octets data, size_t size) noexcept nogil

# Which columns of a table's images are its key, as bits, and how many they are; `seed` is the table's.
cdef struct KeyColumns:
    octets columns
    size_t count
    uint64_t seed

# The place after an image, or NULL if it cannot be read; and the key of its row: 0 if the image lacks one of its columns.
cdef octets walk_key(
    uint64_t* key, const KeyColumns* image, const RowsFields* fields, const TableMap* map, octets at, octets end, bint after
) noexcept nogil
