# StatementLiterals: a statement without its literals, and its literals masked as those of its like.
from libc.stdint cimport int32_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.text cimport OwnText, p_Text
from pybinlog.kernel.mask.row_mask cimport RowMask

# How a statement is read.
cpdef enum:
    READS_ANSI = 1                     # a " begins a name
    READS_BACKSLASH = 2                # a backslash in a string is an escape
    READS_UNKNOWN = 4                  # a backslash may be either, so a text with one is not read

# How a literal is masked; a collation: as a text of it.
cpdef enum:
    LITERAL_KEPT = -1
    LITERAL_NUMBER = -2
    LITERAL_OTHER = -3                 # by rules that need all tokens

cdef enum:
    PIECE_END = 0
    PIECE_UNREAD = 1                   # a comment, an account, a number or a string of a rare form ...
    PIECE_NUMBER = 2
    PIECE_STRING = 3
    PIECE_ESCAPED = 4                  # a string with an escape or a doubled quote
    PIECE_OPEN = 5
    PIECE_CLOSE = 6

cdef struct Piece:
    int kind
    size_t start
    size_t end

cdef class StatementLiterals:
    cdef OwnText skeleton
    cdef OwnText ordinals              # of each literal its place among those of the skeleton
    cdef uint32_t in_skeleton
    cdef int reading

    cdef bint add_piece(self, const uint8_t* text, size_t size, const Piece* piece) except -1

# Used in this module only.
cdef void next_piece(const uint8_t* text, size_t size, size_t at, int reading, Piece* piece) noexcept nogil
cdef void read_number(const uint8_t* text, size_t size, size_t at, Piece* piece) noexcept nogil
cdef void read_string(const uint8_t* text, size_t size, size_t at, int reading, Piece* piece) noexcept nogil
cdef bint follows_values(const uint8_t* text, size_t at) noexcept nogil
cdef bint is_comma(const uint8_t* text, size_t size) noexcept nogil
cdef bint is_space(uint8_t sign) noexcept nogil
cdef bint is_name(uint8_t sign) noexcept nogil
cdef void mask_literal_number(RowMask mask, uint8_t* data, size_t size) noexcept
