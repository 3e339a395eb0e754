from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets

cpdef enum:
    RUNS_OF_STRINGS = 0
    RUNS_OF_DAYS = 1          # of times in microseconds since 1970

cdef enum:
    MOST_RUN_COLUMNS = 8

cdef inline int64_t day_of(int64_t time) noexcept nogil:
    """The day of a number of microseconds since 1970."""
    cdef int64_t length = 86400000000
    return (time if time >= 0 else time - length + 1) // length

# A column in Arrow's layout.
cdef struct RunColumn:
    int kind
    octets valid              # NULL: all are there
    const int32_t* offsets    # of strings
    octets data
    const int64_t* times

# Used in this module only.
cdef bint same_value(RunColumn* column, size_t row) noexcept nogil
cdef bint is_there(RunColumn* column, size_t row) noexcept nogil
