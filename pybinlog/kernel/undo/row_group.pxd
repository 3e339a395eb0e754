from libc.stdint cimport uint64_t, uint8_t
from pybinlog.kernel.base.text cimport OwnText, p_Text, put_bytes, put_unsigned, put_upper_hex, text_free, text_take
from pybinlog.kernel.undo.sql_image cimport Literal, literal_list


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

# A column of the values of many rows.
cdef struct Place:
    int column
    int image
    int how

cdef class RowGroup:
    cdef readonly object plan
    cdef readonly bytes changed # by column: 1 if its value changes in all rows
    cdef readonly size_t count  # rows
    cdef list changes           # (the change of a row event, its first row), in order
    cdef OwnText text           # the literals of the rows
    cdef Literal* literals      # for each row those of its before image, and then those of its after image
    cdef uint64_t* positions    # of the rows' events
    cdef uint64_t* orders       # the places of the rows among all
    cdef size_t capacity        # rows
    cdef size_t columns
    cdef size_t most_rows
    cdef int shall              # the image with the values that shall be there, if rows are updated

    cdef int clear(self) except -1
    # Make room for a row behind the last one; its literals are not there.
    cdef int make_room(self) except -1
    # The literals of a row's before image; those of its after image are behind them.
    cdef Literal* row_literals(self, size_t number) noexcept nogil
    # Copy the row behind the last one of another group behind the last one of this.
    cdef int copy_row(self, RowGroup other) except -1
    # Keep the row behind the last one. It is that of an event, and has a place among all rows.
    cdef int keep(self, object change, uint64_t position, uint64_t order) except -1
    # The bytes of memory that its rows need; it may have twice as many.
    cdef size_t size(self) noexcept nogil
    # The changes of the events with rows in the group, in order.
    cdef list events(self)
    # True if the group takes no more rows.
    cdef bint is_full(self) noexcept nogil
    # The change of a row.
    cdef object change_of(self, size_t number)
    # A row of a change: the change, and its images as objects.
    cdef tuple row(self, size_t number, object change)
    # The SQL of the group.
    cdef bytes sql(self)
    cdef int put_rows(self, p_Text text, tuple rows) except -1

# Put a literal as one of the values of many rows; between quotes that are there if it stands in a text.
cdef void put_value(p_Text text, const char* data, Literal* literal, int how) noexcept nogil
