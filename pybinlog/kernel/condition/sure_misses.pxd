# Rows that one comparison of a condition is enough to drop: the C side of kernel/condition/sure_misses.py.
from libc.stdint cimport uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport Text
from pybinlog.kernel.condition.image_route cimport ImageRoute
from pybinlog.kernel.condition.value_order cimport Instruction, Slot

# Comparisons of one column with constants: an image of which none of them holds does not meet the condition.
cdef struct SureTest:
    const Instruction* first
    const Instruction* end             # the same as `first`: there is no such test
    const Slot* column
    Text* texts                        # two to work with

# Return the range of the test in a program's instructions.
cdef tuple test_range(list instructions)
# Return the place of the first row that may match; add to `rows` those before it. `after` is the route of the after
# images; NULL: they have none.
cdef octets skip_misses(
    const SureTest* test, const ImageRoute* before, const ImageRoute* after, octets at, octets end, uint64_t* rows
) noexcept nogil
