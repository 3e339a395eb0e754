# Transaction boundary markers (WL#4162): the C side of kernel/scan/classify.py.
#
# How a reader uses it, for each event in the order of the stream:
#
#     at the start of a stream (docs/boundaries.md, "Streams"), and where is_fake_rotate() says so:  boundary_reset(b)
#     a Format_description: format_parse() it into *format first
#     type = boundary_of(b, format, event, size, NULL, 0, &inferred)
#     if the event is to be fed (all but the opening events before --start-position):
#         if not parser_feed(b, type, &old): warn "Unable to change boundary parser from old to type."
#
# A Query_compressed event (165) is judged by its text, and nothing here inflates it: the caller does
# (InflatedEvent.read_statement) and passes pointer and length as `text`. For every other event `text` is NULL. A Query_compressed whose text is not given (NULL) counts as
# "every other Query"; MariaDB compresses no statement below 10 bytes, so BEGIN, COMMIT and ROLLBACK never come so.
from libc.stdint cimport uint16_t, uint8_t
from pybinlog.kernel.base.event cimport TABLE_MAP, TRANSACTION_PAYLOAD, is_change, is_compressed_rows, is_rows, octets, p_const_Event, p_const_Format


cdef enum:
    # The boundary types: the marker's three bits.
    NOT_DEFINED = 0
    IGNORE_BOUNDARY = 1
    SELF_CONTAINED = 2
    START_TRANSACTION = 3
    INSIDE_TRANSACTION = 4
    END_TRANSACTION = 5
    RESERVED_6 = 6
    RESERVED_7 = 7

cdef enum:
    # The states of the current event group.
    GROUP_NONE = 0
    GROUP_OPEN = 1          # a GTID event came, or Intvar and the like stand outside an explicit transaction
    GROUP_EXPLICIT = 2      # BEGIN or XA START seen

cdef enum:
    # The states of the current statement, as far as the bits of the next events depend on them.
    STATEMENT_NONE = 0
    STATEMENT_FIRST = 1      # the one that the transaction's first event began
    STATEMENT_SEEDED = 2     # Intvar and the like: a Query is to end it
    STATEMENT_MAPPED = 3     # Rows_query, Table_map: rows are to come
    STATEMENT_ROWS = 4       # a row event came, and one with STMT_END_F is to end it
    STATEMENT_STATES = 5

cdef enum:
    # The states of the parser are NOT_DEFINED and SELF_CONTAINED to END_TRANSACTION, by the types' own numbers, and:
    PARSER_ERROR = 8        # only the library's BoundaryParser stays in it; parser_feed() resets at once

cdef enum:
    # The meaning of a Query's text.
    TEXT_OTHER = 0
    TEXT_BEGIN = 1          # BEGIN, XA START ...
    TEXT_COMMIT = 2
    TEXT_ROLLBACK = 3       # ROLLBACK, XA ROLLBACK ...

cpdef enum:
    TEXT_ENOUGH = 4096      # so many first bytes of a compressed statement tell what it is

cdef enum:
    MARKER_MASK = 0x3C00    # the bits of a header's flags that a marker may take; boundary types leave the highest alone
    BITS_FORM = 0x1000      # No_start, No_end

cpdef enum:
    STATE_PAIRS = 30        # group state (3) x always-GTID (2) x parser state (5)

cdef struct Boundary:
    uint8_t group           # GROUP_NONE, GROUP_OPEN, GROUP_EXPLICIT
    uint8_t always_gtid     # 1: every group of this stream's source opens with a GTID event
    uint8_t parser          # NOT_DEFINED, SELF_CONTAINED, START_TRANSACTION, INSIDE_TRANSACTION, END_TRANSACTION
    uint8_t statement       # STATEMENT_*; this and the next are statement_bits' and stay 0 if bits are off
    uint8_t bits_parser     # BITS_*
    uint8_t kind            # of the last event that its type does not say enough of,
    uint8_t type            # and the type worked out for it
    uint8_t parts_end       # a truth value: the row event whose parts come ends its statement
ctypedef Boundary* p_Boundary

# State and classification. `event` points at the header; `size` counts the header and leaves the checksum out.
cdef inline bint is_space(char c) noexcept nogil:
    return c == 32 or 9 <= c <= 13

cdef inline bint is_of_group(p_const_Event e) noexcept nogil:
    """An event of a transaction, which may be all of it. Rows and payloads are, whatever their marker says."""
    return (
        START_TRANSACTION <= e.boundary <= END_TRANSACTION
        or e.boundary == SELF_CONTAINED and is_change(e.type)
        or e.type == TABLE_MAP
        or e.type == TRANSACTION_PAYLOAD
        or is_rows(e.type)
        or is_compressed_rows(e.type)
    )


cdef size_t length_of_word(const char* text, size_t length, const char* word) noexcept nogil

# The same for a word that begins with a letter: most texts differ there, and need no call.
cdef inline size_t starts_with(const char* text, size_t length, const char* word) noexcept nogil:
    return length_of_word(text, length, word) if length > 0 and text[0] & 0xDF == word[0] else 0

# The number of white-space characters with which the text begins.
cdef size_t leading_spaces(const char* text, size_t length) noexcept nogil
cdef void boundary_reset(p_Boundary b) noexcept nogil
cdef uint8_t classify_text(const char* text, size_t length) noexcept nogil
cdef uint8_t classify_event(
    p_Boundary b, p_const_Format format, octets event, size_t size, const char* text, size_t text_length
) noexcept nogil
# The marker if the event has one (inferred = False), else the type worked out (True). The classifier's state moves on
# by the event's kind in both cases. It does not feed the parser.
cdef uint8_t boundary_of(
    p_Boundary b, p_const_Format format, octets event, size_t size, const char* text, size_t text_length,
    bint* inferred
) noexcept nogil
# The tables, for loops that look most events up by themselves: see boundary_by_kind.
cdef struct BoundaryTables:
    octets cells                     # [kind * 6 + group * 2 + always_gtid] = type | group << 3 | always_gtid << 5
    octets parser                    # [parser state * 8 + type] = new state, PARSER_ERROR where refused

cdef void boundary_tables(BoundaryTables* tables) noexcept nogil


cdef inline uint8_t boundary_by_kind(p_Boundary b, octets cells, uint8_t kind) noexcept nogil:
    """What classify_event does once the kind is known."""
    cdef uint8_t cell = cells[kind * 6 + b.group * 2 + b.always_gtid]
    b.group = cell >> 3 & 3
    b.always_gtid = cell >> 5
    return cell & 7


# True if the events of a log are marked with statement bits, not with boundary types: its Format_description tells,
# because its own bits are those of No_start and No_end. As a boundary type they would be Inside Transaction.
cdef inline bint marks_bits(p_const_Format format) noexcept nogil:
    return format.flags & MARKER_MASK == BITS_FORM


# The boundary type that follows from statement bits (start << 2 | end) and the header; NOT_DEFINED: start bits 00.
cdef uint8_t type_of_bits(p_const_Format format, uint8_t bits, octets event, uint16_t flags) noexcept nogil


# The boundary type that the event's marker says, whatever its form; NOT_DEFINED if it has none. `flags` are its own.
cdef inline uint8_t marker_of(p_const_Format format, octets event, uint16_t flags) noexcept nogil:
    if flags & MARKER_MASK == 0:
        return NOT_DEFINED
    if marks_bits(format):
        return type_of_bits(format, flags >> 10 & 15, event, flags)
    return flags >> 10 & 7

# The kind of an event of at least 19 bytes; `text` as above.
cdef uint8_t kind_of_event(
    p_const_Format format, octets event, size_t size, const char* text, size_t text_length
) noexcept nogil


# The state for the events inside a Transaction_payload: set `inner` up once per payload, then boundary_of(inner, ...)
# for each event inside; these are not fed to the parser. `outer` is not changed.
cdef void boundary_enter_payload(p_Boundary inner, const Boundary* outer) noexcept nogil

# The parser. False: refused; *old_state is the "from" of the warning and the parser is reset to NOT_DEFINED.
cdef bint parser_feed(p_Boundary b, uint8_t boundary_type, uint8_t* old_state) noexcept nogil
cdef bint parser_accepts(uint8_t state, uint8_t boundary_type) noexcept nogil
cdef const char* boundary_name(uint8_t boundary_type) noexcept nogil     # "Not Defined": of types and parser states

# The places of the parts of a Query, Query_compressed or Execute_load_query; the lengths are right.
cdef struct QueryParts:
    octets fields                    # the post-header
    size_t post_header
    octets status
    size_t status_length
    const char* database
    size_t database_length
    const char* text
    size_t length

# -1 if a length reaches beyond the event.
cdef int query_parts(QueryParts* parts, p_const_Format format, octets event, size_t size) noexcept nogil
# Find the data of a Query_compressed; return False if the lengths are wrong.
cdef bint query_compressed(
    p_const_Format format, octets event, size_t size, octets* data, size_t* length
) noexcept nogil

# A Rotate that the source made up for a replica that connected again: the stream changes, reset before it is fed.
cdef bint is_fake_rotate(octets event, size_t size) noexcept nogil
# The base name of the file that a Rotate names, not null-terminated; NULL if the event is too short or no Rotate.
cdef const char* rotate_name(p_const_Format format, octets event, size_t size, size_t* length) noexcept nogil

cdef uint8_t state_number(const Boundary* b) noexcept nogil
cdef void state_of_number(p_Boundary b, uint8_t number) noexcept nogil
# An event of at least 19 bytes as a function: for each number of the state before it that of the state after it.
cdef void states_after(
    uint8_t* exits, p_const_Format format, octets event, size_t size, const char* text, size_t text_length,
    bint fed
) noexcept nogil

# Used in this module only.
cdef bint are_spaces(const char* text) noexcept nogil
