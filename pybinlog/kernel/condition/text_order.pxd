from libc.stdint cimport uint16_t, uint32_t, uint64_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.memory cimport is_interrupted, LOOK_AFTER, raise_interrupt


cdef enum TextForm:
    TEXT_UNKNOWN = 0                   # equal bytes are equal, and nothing else is known
    TEXT_BYTES = 1                     # the bytes decide
    TEXT_WEIGHTS = 2                   # the characters' weights do

cdef struct TextRule:
    TextForm form
    bint pads                          # the shorter text counts as filled up with spaces
    bint utf8                          # characters are UTF-8; else each byte is one
    uint32_t codes                     # how many entries there are
    const uint32_t* entries            # for a code: the count of its weights in the high byte, and the place of the first
    const uint16_t* weights

cdef inline bint steps_end(size_t* steps) noexcept nogil:
    """Count a step. Return True if a signal has come: the steps are more than LOOK_AFTER then."""
    steps[0] += 1
    if steps[0] <= LOOK_AFTER:
        return False
    if is_interrupted():
        return True
    steps[0] = 0
    return False


cdef enum:
    ANY_CHARACTER = 0xFFFFFFFE         # of a pattern of LIKE; every other number is a character
    ANY_TEXT = 0xFFFFFFFF

# Find the rule of a collation by its number; the first call reads the weights. Raises OSError, ValueError or
# MemoryError.
cdef int find_text_rule(TextRule* rule, uint32_t collation, bint mariadb) except -1
# Put -1, 0 or 1 into `order`; return False if the order is not known. `steps` are those since a look for signals: once they
# are more than LOOK_AFTER, one has come.
cdef bint compare_text(
    const TextRule* rule, octets a, size_t a_size, octets b, size_t b_size, int* order, size_t* steps
) noexcept nogil
# Mix into a hash what the collation compares of a text: equal texts get the same hash. Return False, and leave the hash
# as it was, if that is not known. `steps`: as compare_text.
cdef bint hash_text(const TextRule* rule, octets text, size_t size, uint64_t* hash, size_t* steps) noexcept nogil
# Return the bytes of the first characters of a text, or all of them; without a rule, each byte is a character.
cdef size_t prefix_size(const TextRule* rule, octets text, size_t size, size_t characters) noexcept nogil
# Put into `matches` if the text is like the pattern; return False if that is not known. `steps`: as compare_text.
cdef bint match_pattern(
    const TextRule* rule, octets text, size_t size, const uint32_t* pattern, size_t count, bint* matches, size_t* steps
) noexcept nogil
# Add to a set, as bits, the bytes with which a text may begin that is like the pattern, or of which that is not known.
cdef void find_first_bytes(const TextRule* rule, const uint32_t* pattern, size_t count, uint64_t* bytes) noexcept nogil
