# Runs of rows whose values are equal: the C side of kernel/views/column_runs.py.
from libc.stdint cimport int32_t, int64_t, uint8_t

cpdef enum:
    RUNS_OF_STRINGS = 0
    RUNS_OF_DAYS = 1          # of times in microseconds since 1970

cdef enum:
    MOST_RUN_COLUMNS = 8

# A column in Arrow's layout.
cdef struct RunColumn:
    int kind
    const uint8_t* valid      # NULL: all are there
    const int32_t* offsets    # of strings
    const uint8_t* data
    const int64_t* times
