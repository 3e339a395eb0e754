# The operation of a row event or a statement.
from libc.stdint cimport uint8_t, uint32_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.facts cimport ROWS_KIND
from pybinlog.kernel.scan.classify cimport is_space, starts_with
from pybinlog.kernel.scan.query_fields cimport p_const_Query, Query


cdef inline bint is_of_word(char c) noexcept nogil:
    return 48 <= c <= 57 or 65 <= c & ~32 <= 90 or c == 95 or c == 36 or c < 0


cdef inline bint is_word(const char* at, const char* end, const char* word) noexcept nogil:
    """The text begins with the word (upper case), in whatever case, and the word ends there."""
    cdef size_t size = starts_with(at, end - at, word)
    return size != 0 and (at + size == end or not is_of_word(at[size]))


# Operation: the bits, and a statement's by its first two words.
include "verbs.pxi"

cdef inline int rows_operation(uint8_t kind) noexcept nogil:
    """The operation of a row event: its bit has the number of the RowsKind."""
    return 1 << ROWS_KIND[kind]

# By its verb, behind comments, brackets, SET STATEMENT ... FOR and the queries of WITH. A signal may end this and the
# following ones for a statement of more than LOOK_AFTER bytes: call `raise_interrupt`.
cdef int text_operation(p_const_Query query) noexcept nogil
cdef bint is_ddl(p_const_Query query) noexcept nogil

# The place of the next word, behind white space, comments, opening brackets and the ends of comments. `query` tells
# which server reads it, and so which comments it runs.
cdef const char* next_word(const char* at, const char* end, p_const_Query query) noexcept nogil
cdef const char* skip_word(const char* at, const char* end) noexcept nogil
cdef const char* skip_token(const char* at, const char* end, p_const_Query query) noexcept nogil

# Used in this module only.
cdef bint runs(p_const_Query query, uint32_t version, bint for_mariadb) noexcept nogil
cdef const char* skip_comment(const char* at, const char* end, p_const_Query query) noexcept nogil
cdef const char* skip_until(const char* at, const char* end, p_const_Query query, const char* first, const char* second, const char* third) noexcept nogil
cdef const char* verb_of(const char* at, const char* end, p_const_Query query) noexcept nogil
cdef bint may_begin_comment(char c) noexcept nogil
