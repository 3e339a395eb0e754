# StatementLiterals: a statement without its literals, and its literals masked as those of its like.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.text cimport OwnText, p_Text
from pybinlog.kernel.mask.text_mask cimport TextMask

# How a statement is read.
cdef enum:
    READS_ANSI = 1                     # a " begins a name
    READS_BACKSLASH = 2                # a backslash in a string is an escape
    READS_UNKNOWN = 4                  # a backslash may be either, so a text with one is not read
    READS_NOTHING = 8                  # the second byte of a character may be a quote

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
    uint32_t ordinal                   # of a literal: its place among those of the skeleton
    size_t start
    size_t end

# The settings of a statement.
cdef class ReadSession:
    cdef readonly object session
    cdef uint32_t number               # of this session
    cdef int reading
    cdef uint32_t collation
    cdef bint mariadb

cdef class StatementLiterals:
    cdef ReadSession current
    cdef dict sessions                 # Session -> ReadSession
    cdef uint32_t last_session
    cdef dict plans                    # shape -> four bytes for each of its literals, and the masks of its names; or None
    cdef OwnText skeleton
    cdef OwnText pieces                # the literals of the statement that was read last
    cdef OwnText plain                 # a string without its escapes, and in what place of it each byte stands
    cdef OwnText places
    cdef uint32_t in_skeleton

    cdef bytes read(self, octets text, size_t size)
    cdef int add_piece(self, octets text, Piece* piece) except -1
    cdef int mask(self, TextMask mask, uint8_t* text, size_t size) except -1
    cdef int mask_by(self, TextMask mask, uint8_t* text, size_t size, bytes actions, dict names) except -1
    cdef bint are_changed(self, octets before, octets now) noexcept nogil
    cdef int mask_string(
        self, TextMask mask, uint8_t* data, octets shadow, size_t size, bint escapes, uint32_t collation, bint mariadb, object value
    ) except -1

# Used in this module only.
cdef int mask_string_text(TextMask mask, uint8_t* text, size_t size, uint32_t collation, bint mariadb) except -1
cdef int mask_names(dict names, uint8_t* at, uint8_t* end) except -1
cdef void next_piece(octets text, size_t size, size_t at, int reading, Piece* piece) noexcept nogil
cdef void read_number(octets text, size_t size, size_t at, Piece* piece) noexcept nogil
cdef void read_string(octets text, size_t size, size_t at, int reading, Piece* piece) noexcept nogil
cdef bint follows_values(octets text, size_t at) noexcept nogil
cdef bint is_comma(octets text, size_t size) noexcept nogil
cdef void mask_literal_number(TextMask mask, uint8_t* data, size_t size) noexcept
