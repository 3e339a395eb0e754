from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.rows.rows cimport p_const_RowsFields, ROWS_DELETE, ROWS_UPDATE, ROWS_WRITE
from pybinlog.kernel.rows.table_map cimport p_const_TableMap
from pybinlog.kernel.undo.row_group cimport RowGroup
from pybinlog.kernel.undo.sql_image cimport Literal, SqlImage


# The bits of a column of a group.
cpdef enum:
    OF_KEY = 1                 # of the primary key
    OF_SERVER = 2              # the server computes its values
    SINGLE_IF_CHANGED = 4      # a row with another value in it stays single
    SINGLE_IF_BARE = 8         # so does one with a value that is not between quotes, and not NULL
    SINGLE_IF_ZERO = 16        # so does one with the number 0 in it

# The outcome for a row.
cdef enum:
    ROW_GROUPED = 0
    ROW_UNCHANGED = 1          # it needs no statement
    ROW_SINGLE = 2             # it is behind the last row of the last group, but not in it
    ROW_TWICE = 3              # a row of a group has its key, or there is no room: give all groups out, and add it again
    ROW_BROKEN = 4

cdef class OpenGroups:
    cdef readonly object plan  # None: no group is open
    cdef list forms
    cdef dict groups           # by the columns that change
    cdef readonly RowGroup last # the one that got the last row
    cdef readonly size_t unchanged # rows that need no statement
    cdef list unchanged_events # the changes of the first and the last of these
    cdef readonly size_t fewest
    cdef size_t columns
    cdef const uint8_t* bits   # by column
    cdef object bits_owner
    cdef bytearray changed     # by column: 1 if its value changes in the row that was read last
    cdef uint8_t* is_changed
    cdef int shall             # the image with the values that shall be there, if rows are updated
    cdef uint64_t* slots       # hashes of the keys of all groups
    cdef size_t slot_count
    cdef size_t keys
    cdef uint64_t order        # rows that were read
    cdef size_t size           # bytes of all groups but the last
    cdef octets at             # the place after the images that were read last

    cdef int begin(self, object plan, list forms) except -1
    # Read the images of a row, and decide what becomes of it.
    cdef int add(
        self, SqlImage image, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, object change,
        uint64_t position
    ) except -1
    # Forget all rows, with the same plan or with none.
    cdef int clear(self) except -1
    cdef int end(self) except -1
    # Forget the rows of the last group.
    cdef int clear_last(self) except -1
    # True if the groups have as many rows, or bytes, as may wait.
    cdef bint is_full(self) noexcept nogil
    # The groups with rows, and the rows that stay single because there are too few of their kind: (group, number).
    cdef list of_many(self)
    cdef list singles(self)
    # Make the group of the columns that change the last one, with the row behind the last one. False: too many are open.
    cdef bint choose(self) except -1
    cdef int clear_keys(self) except -1
    cdef int grow_slots(self) except -1
    cdef size_t slot_of(self, uint64_t hash) noexcept nogil
    cdef int outcome(self, const char* data, Literal* before, Literal* after, bint update) noexcept nogil
    cdef bint stays_single(self, const char* data, Literal* literal, size_t column) noexcept nogil
    cdef uint64_t key_of(self, const char* data, Literal* before, Literal* after) noexcept nogil

# True if a column has another value afterwards, in a redo or an undo.
cdef bint differs(const char* data, Literal* old, Literal* new, bint redo) noexcept nogil
