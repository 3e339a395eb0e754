from libc.stdint cimport int32_t, int64_t, uint64_t
from pybinlog.kernel.base.charset cimport charset_find, charset_put, charset_valid, p_const_Charset
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport LARGE_VALUE, p_Text, put_bytes, put_char, Text, text_free, text_relieve
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.temporal_value cimport p_const_Moment
from pybinlog.kernel.views.arrow_column cimport p_ArrowColumn


# A column of the view.
cdef struct Target:
    int form
    int scale
    p_ArrowColumn column
    bint planned              # the current definition of the table has it
    const char* name          # in UTF-8
    size_t name_length
    octets update             # the row has only a partial update of it; NULL: it has not
    size_t update_size

# The conversion of a column of the table to its present definition.
cdef struct Step:
    int target                # -1: nothing
    bint key
    bint negative             # an integer may be: it is not UNSIGNED
    p_const_Charset charset   # NULL: of other types
    size_t first              # its members are among those of all columns from here on
    size_t members
    size_t padded_to          # a BINARY's bytes, of which the log has none of the zeros at the end

cdef struct Member:
    int32_t place             # in the dictionary
    const char* name          # NULL: none is needed
    size_t length

cdef class TableValues:
    cdef object planner
    cdef bint refuses_zero_dates
    cdef bint refuses_text
    cdef Target* targets
    cdef size_t target_count
    cdef Step* steps
    cdef size_t step_count
    cdef Member* members
    cdef bint has_key
    cdef Text digits
    cdef Text scratch                 # for JSON on its way into quotes
    cdef list names                   # what the targets' names point into, and the members'
    cdef object refused               # the error for a value that has none in Arrow

    cdef int plan(self, object description, str file, uint64_t position, bint mariadb) except -1
    cdef int put(self, const Step* step, Target* target, p_const_ColumnValue value) noexcept nogil
    cdef int put_update(self, Target* target, p_const_ColumnValue value) noexcept nogil
    cdef int put_string(self, const Step* step, Target* target, p_const_ColumnValue value) noexcept nogil
    cdef int put_number(self, Target* target, uint64_t magnitude, bint negative) noexcept nogil
    cdef int refuse(self, const Step* step, bint date) noexcept nogil

# Used in this module only.
cdef bint fits(const Text* digits, int whole) noexcept nogil
cdef bint is_date(p_const_Moment moment) noexcept nogil
cdef bint is_time(p_const_Moment moment) noexcept nogil
