from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport p_const_TableMap
from pybinlog.kernel.undo.sql_image cimport Literal, SqlImage


# The bits of a column of a group.
cpdef enum:
    OF_KEY = 1                 # of the primary key
    OF_SERVER = 2              # the server computes its values
    SINGLE_IF_CHANGED = 4      # a row with another value in it stays single
    SINGLE_IF_BARE = 8         # so does one with a value that is not between quotes, and not NULL
    SINGLE_IF_ZERO = 16        # so does one with the number 0 in it

# How a literal is written among the values of many rows.
cpdef enum:
    VALUE_AS_IS = 0
    VALUE_AS_BYTES = 1         # with a character set of its own, it is bytes of that
    VALUE_AS_NUMBER = 2        # bits are a number
    VALUE_IN_TEXT = 3          # it stands in a text with the values beside it that do, without quotes
    VALUE_IN_HEX = 4           # so does a string, in hexadecimal

# In a text of a group: the number of its rows; among the columns of its values: the position of a row's event.
cpdef enum:
    ROW_COUNT = -1
    POSITION = -1

# The outcome for a row.
cdef enum:
    ROW_GROUPED = 0
    ROW_UNCHANGED = 1          # it needs no statement
    ROW_SINGLE = 2             # it is the last of the group's literals, but not in the group
    ROW_TWICE = 3              # a row of the group has its key, or other columns change: end the group, and add it again
    ROW_BROKEN = 4

# A column of the values of many rows.
cdef struct Place:
    int column
    int image
    int how

cdef class RowGroup:
    cdef readonly object plan  # None: no group is open
    cdef readonly size_t count # rows
    cdef readonly size_t unchanged
    cdef list changes          # (the change of a row event, its first row), in order
    cdef OwnText text          # the literals of the rows
    cdef Literal* literals     # for each row those of its before image, and then those of its after image
    cdef uint64_t* positions   # of the rows' events
    cdef size_t capacity       # rows
    cdef size_t columns
    cdef readonly size_t fewest
    cdef size_t most_rows
    cdef const uint8_t* bits   # by column
    cdef object bits_owner
    cdef bytearray changed     # by column: 1 if its value changes in a row
    cdef uint8_t* is_changed
    cdef bytearray changed_now # the same for the row behind the last one
    cdef uint8_t* row_changed
    cdef int shall             # the image with the values that shall be there, if rows are updated
    cdef bint same_columns     # the same columns change in all rows
    cdef uint64_t* slots       # hashes of keys
    cdef size_t slot_count
    cdef size_t keys
    cdef octets at             # the place after the images that were read last

    cdef int begin(self, object plan, list forms) except -1
    # Read the images of a row, and decide what becomes of it. `update`: it has two.
    cdef int add(
        self, SqlImage image, p_const_RowsFields fields, p_const_TableMap map, list forms, octets at, octets end,
        object change, uint64_t position
    ) except -1
    # Begin anew, with the same plan or with none.
    cdef int clear(self) except -1
    cdef int end(self) except -1
    cdef int grow(self) except -1
    cdef int grow_slots(self) except -1
    cdef size_t slot_of(self, uint64_t hash) noexcept nogil
    cdef int outcome(self, Literal* before, Literal* after, bint update) noexcept nogil
    cdef int note_change(self, object change) except -1
    cdef bint stays_single(self, Literal* literal, size_t column) noexcept nogil
    cdef bint note_key(self, Literal* before, Literal* after) noexcept nogil
    cpdef list events(self)
    # True if the group takes no more rows.
    cdef bint is_full(self) noexcept nogil
    # The change of a row, and its images as objects.
    cdef tuple row(self, size_t number)
    # The SQL of the group.
    cdef bytes sql(self)
    cdef int put_rows(self, p_Text text, tuple rows) except -1

# True if a column has another value afterwards, in a redo or an undo.
cdef bint differs(const char* data, Literal* old, Literal* new, bint redo) noexcept nogil
# Put a literal as one of the values of many rows; between quotes that are there if it stands in a text.
cdef void put_value(p_Text text, const char* data, Literal* literal, int how) noexcept nogil
