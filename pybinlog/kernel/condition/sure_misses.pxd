from libc.stdint cimport int64_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport p_Text
from pybinlog.kernel.condition.value_order cimport Slot, p_const_Instruction
from pybinlog.kernel.rows.column_value cimport p_const_ColumnValue
from pybinlog.kernel.rows.image_route cimport p_const_ImageRoute, route_begin, skip_stop, Stop


# Comparisons of one column with constants: an image of which none of them holds does not meet the condition.
cdef struct SureTest:
    p_const_Instruction first
    p_const_Instruction end            # the same as `first`: there is no such test
    const Slot* column
    bint equalities                    # they ask only which integers are equal
    p_Text texts                       # two to work with
    size_t* steps                      # of its program
    # of the current event: the routes of its first images, and of its after images; NULL: the test cannot be used, or
    # its rows have no second image
    p_const_ImageRoute route
    p_const_ImageRoute route_after

# Find the test in the instructions of a program, of which `kept` are what Python gave.
cdef object find_test(SureTest* test, p_const_Instruction instructions, list kept)
# Return the place of the first row that may match, or of one after LOOK_AFTER bytes; add to `rows` those before it.
cdef octets skip_misses(const SureTest* test, octets at, octets end, uint64_t* rows) noexcept nogil

# Used in this module only.
cdef bint differs(const SureTest* test, p_const_ImageRoute route, octets at) noexcept nogil
cdef bint misses(const SureTest* test, p_const_ColumnValue value) noexcept nogil
cdef octets skip_miss(const SureTest* test, p_const_ImageRoute route, octets at, octets end, bint needed) noexcept nogil
