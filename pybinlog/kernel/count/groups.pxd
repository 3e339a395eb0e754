from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.key_table cimport KeyTable


# A key: this, then the names of the database and the table. Unused dimensions are 0.
cdef struct GroupKey:
    int64_t time                      # seconds since 1970 UTC, cut to the unit
    int64_t thread                    # -1 if it is not known
    uint32_t server
    int32_t statement                 # as Digests.find has it; 0 if there is none
    uint8_t type
    uint8_t has_database
    uint8_t has_table
    uint8_t database_length
    uint8_t table_length
    uint8_t unused[3]

cdef enum:
    KEY_NAMES = 510                   # bytes of both names, at most
    CHANGES = 3                       # inserts, updates, deletes

cdef struct FullKey:
    GroupKey head
    char names[510]

cdef struct Group:
    uint64_t transaction              # the last one that touched it, by number
    uint32_t first_time               # of its events' headers; 0 if none has one
    uint32_t last_time
    uint64_t transactions
    uint64_t events
    uint64_t bytes
    uint64_t rows[3]                  # that hold
    uint64_t rolled_back
    uint64_t prepared
    uint64_t statements               # that change rows, or may
    uint64_t statement                # the last one that was counted, by number
    uint64_t open[3]                  # of the current transaction, whose end decides about them

cdef class Groups(KeyTable):
    cdef Group* all                   # by the numbers of their keys
    cdef size_t room                  # for so many
    cdef size_t last                  # the group that was found last

    # The number of the key's group, a new one if need be; -1 without memory.
    cdef int64_t number_of(self, const FullKey* key) noexcept nogil
    cdef bint more_groups(self) noexcept nogil

cdef inline size_t key_length(const FullKey* key) noexcept nogil:
    return sizeof(GroupKey) + key.head.database_length + key.head.table_length
