# Statement and transaction bits, WL#4162 as it was first meant: the C side of kernel/scan/statement_bits.py.
#
# An event's bits are one number, start << 2 | end, as a marker holds them in bits 10 to 13 of the flags.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.event cimport MARIA_PARTIAL_ROWS, octets, p_const_Format, STMT_END_F
from pybinlog.kernel.scan.classify cimport STATEMENT_STATES, Boundary, p_Boundary


cdef enum:
    # The start bits. 0: a source that marks nothing.
    NO_START = 1
    STARTS_STATEMENT = 2
    STARTS_TRANSACTION = 3

cdef enum:
    # The end bits.
    NO_END = 0
    COMMITS = 1
    ROLLS_BACK = 2
    ENDS_STATEMENT = 3

cdef enum:
    # The states of the parser of bits: the last start or end that it accepted.
    BITS_NOT_DEFINED = 0
    BITS_TRANSACTION_START = 1
    BITS_STATEMENT_START = 2
    BITS_STATEMENT_END = 3
    BITS_PREPARED = 4        # the Statement_end of an XA_prepare, after which the transaction's events are over
    BITS_COMMIT = 5
    BITS_ROLLBACK = 6
    BITS_STATES = 7

cpdef enum:
    BITS_INFERRED = 16       # in Event.bits: worked out, not marked
    BITS_REFUSED = 16        # in Event.refused_from, added to the state of the parser of bits

# The bits that the rules give the event, once its kind and its boundary type are worked out; b.statement moves on.
cdef uint8_t bits_by_kind(
    p_Boundary b, p_const_Format format, octets event, size_t size, uint8_t kind, uint8_t boundary_type
) noexcept nogil

# The parser. `boundary_type` is the one that follows from the bits. False: refused; *old_state is the "from" of the
# warning and the parser starts again.
cdef bint bits_feed(p_Boundary b, uint8_t boundary_type, uint8_t bits, uint8_t* old_state) noexcept nogil
cdef const char* start_name(uint8_t bits) noexcept nogil
cdef const char* end_name(uint8_t bits) noexcept nogil

# The states above as one number; 0 after a reset.
cdef inline int bits_number(const Boundary* b) noexcept nogil:
    return b.statement * BITS_STATES + b.bits_parser


cdef inline void bits_of_number(p_Boundary b, int number) noexcept nogil:
    b.statement = number // BITS_STATES % STATEMENT_STATES
    b.bits_parser = number % BITS_STATES

# Used in this module only.
cdef bint part_ends(p_Boundary b, p_const_Format format, octets event, size_t size) noexcept nogil
cdef bint ends_statement(p_const_Format format, octets event, size_t size) noexcept nogil
