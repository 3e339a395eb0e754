# Facts about the types of columns, by their numbers. There is no column_facts.py.
from libc.stdint cimport uint8_t, uint32_t

# The bytes that a table map stores for a column: one, two with the low or the high one first, or those of an array's
# elements.
cdef enum:
    STORED_NOTHING = 0
    STORED_BYTE = 1
    STORED_WORD = 2
    STORED_PAIR = 3
    STORED_ELEMENT = 4

# stored_as, fixed_kind and fixed_size of a value, long_value after a length of four bytes, has_dimensions, has_sign,
# has_collation (of strings; those of ENUM and SET stand in a list of their own), type_title and type_sql; made by
# setup.py of pybinlog/column_types.py.
include "column_facts.pxi"
