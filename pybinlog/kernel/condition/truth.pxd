# The truths that are possible for a condition, and how AND, OR and NOT combine them. Inline functions only: there is no
# truth.py.

from pybinlog.kernel.condition.value_order cimport FALSE, NULL_TRUTH, TRUE


cdef inline int negated(int a) noexcept nogil:
    return (a & NULL_TRUTH) | (FALSE if a & TRUE else 0) | (TRUE if a & FALSE else 0)


cdef inline int both(int a, int b) noexcept nogil:
    """The possible truths of a AND b."""
    cdef int found = a & b & TRUE
    found |= (a | b) & FALSE
    if (a & NULL_TRUTH and b & (TRUE | NULL_TRUTH)) or (b & NULL_TRUTH and a & (TRUE | NULL_TRUTH)):
        found |= NULL_TRUTH
    return found


cdef inline int either(int a, int b) noexcept nogil:
    return negated(both(negated(a), negated(b)))


cdef inline int tested(int a, int wanted) noexcept nogil:
    """Whether a truth is the wanted one: never NULL."""
    return (TRUE if a & wanted else 0) | (FALSE if a & ~wanted else 0)
