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

cdef enum:
    CHANGED_AGAIN = 1          # in a slot: a later change has the key

# The changes of a row, as bits: a column has the bit of its place by COLUMN_BITS. Two changes of a row conflict if they
# have a bit in common. A change of the whole row has all bits; a change of columns has WHOLE_ROW, too, if it is later.
cdef enum:
    COLUMN_BITS = 63
cdef uint64_t WHOLE_ROW
cdef uint64_t ALL_COLUMNS

cdef class KeySet:
    cdef LargeArray slots      # pairs: a hash, whose lowest bit says CHANGED_AGAIN (0: empty), and what changed in the row
    cdef KeyLinks links        # the values of unique keys, with the keys
    cdef readonly size_t count
    cdef readonly dict waiting # xid -> what XA transactions without a decision did with keys: cells, table, triples

    # Add a key, and what changed in its row.
    cdef int add(self, uint64_t key, uint64_t changes) except -1 nogil
    # Mark a key if it is there, and if one of these changes is its row's, too. Return True if it was not marked.
    cdef bint mark(self, uint64_t key, uint64_t changes) noexcept nogil
    # Link a value of a unique key to a key; mark the keys of a value, and return how many were not marked.
    cdef int link(self, uint64_t value, uint64_t key) except -1 with gil
    cdef size_t mark_value(self, uint64_t value) noexcept nogil
    cdef bint is_marked(self, uint64_t key) noexcept nogil
    cdef bint has(self, uint64_t key) noexcept nogil
    cdef uint64_t* find(self, uint64_t key) noexcept nogil
    cdef int grow(self) except -1 with gil
