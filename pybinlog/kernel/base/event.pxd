# One event of a batch: its header's fields, and where its bytes lie.
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t

# Bytes of a log.
ctypedef const uint8_t* octets

cdef struct Event:
    const uint8_t* data      # the first byte of its header
    uint64_t position        # offset of that byte in the uncompressed stream
    uint32_t event_size      # bytes of the event, as its header says: header, body and checksum
    uint32_t body_end        # offset of the body's end from `data`: event_size less the checksum
    uint32_t timestamp
    uint32_t server_id
    uint32_t end_log_pos
    uint32_t checksum        # 0 if the stream has none
    uint16_t flags
    uint8_t type             # what its code, the type byte at data[4], means in this log: see facts.type_of_code
    uint8_t boundary         # the marker, or the inferred type if there is none
    uint8_t inferred         # a truth value: worked out, not marked
    uint8_t has_checksum     # a truth value
    uint8_t refused_from     # the parser's state if it refused this event; otherwise 255
    uint8_t bits             # statement bits, and BITS_INFERRED if they are inferred; 0 if they are off.
                             # Besides, the mark of the filter
    uint32_t lent            # which metadata a Table_map, or those in a payload, are lent (LentNames); 0: none
    uint32_t part_headers    # bytes that it has besides in the log: the headers of the Partial_rows that it was joined of
ctypedef Event* p_Event
ctypedef const Event* p_const_Event

# The numbers that C and Python code share; `pybinlog.kernel.base.event` has them as plain Python integers. Elsewhere in
# Python they are those of `pybinlog.event_types`; tests/kernel/base/test_event.py holds the two together.
cpdef enum:
    COMMON_HEADER_LENGTH = 19    # bytes of a v4 header, which every header begins with
    MAGIC_LENGTH = 4             # bytes before a log's first event
    MAGIC_NUMBER = 0x6E6962FE    # those bytes, as a little-endian integer
    ENCRYPTED_NUMBER = 0x6E6962FD
    CREATED_AT = 71              # in a Format_description: when its server was started, or 0 if it only rotated
    NOT_REFUSED = 255            # as `refused_from`

# The filter's (kernel/filter) verdict about an event, in `bits`. An event without a mark is kept.
cpdef enum:
    LEFT_OUT = 0x20              # nothing of it is seen
    PLACED = 0x40                # only its position is
    UNCERTAIN = 0x40             # of views: dropped; a statement that may change rows that match
    RESPELLED = 0xA0             # of views: the same, by names that differ in case alone from those that match
    OTHER_NAMES = 0xC0           # of views: dropped by its table or operation; foreign keys may change rows that match
    CUT_OUT = 0x80               # the same; the rest of its transaction is kept, and may have to be closed
    CLOSES_STATEMENT = 0xC0        # nothing; other rows of the statement that it ends are kept
    MARKS = 0xE0                 # all of them, and those of the events that a payload is unfolded to

# Marks in a batch that is unfolded (PayloadReader.unfolded), of events that the filter keeps.
cpdef enum:
    INSIDE_PAYLOAD = 0x60
    PAYLOAD_BEGIN = 0xA0         # the payload itself, before the events inside
    PAYLOAD_END = 0xE0           # it comes again after them

# The type byte and the flags of a header, named as in EventType and EventFlag, and the flags of a row event, named as in
# RowsFlag, with _F: those that the kernel names. setup.py writes it.
include "event_types.pxi"

cdef inline uint64_t stored_size(p_const_Event e) noexcept nogil:
    """The bytes that the event has in the log."""
    return <uint64_t> e.event_size + e.part_headers

cdef inline uint8_t code_in_log(p_const_Event e) noexcept nogil:
    """The type byte that the event has in the log, or its parts have."""
    return MARIA_PARTIAL_ROWS if e.part_headers else e.data[4]

cdef inline uint64_t stored_end(p_const_Event e) noexcept nogil:
    """The position of the next event."""
    return e.position + stored_size(e)

cdef inline uint8_t inflated_type(uint8_t type) noexcept nogil:
    """The type of the row event that a compressed one of MariaDB stands for; any other type as it is."""
    if MARIA_WRITE_ROWS_COMPRESSED_V1 <= type <= MARIA_DELETE_ROWS_COMPRESSED_V1:
        return type - MARIA_WRITE_ROWS_COMPRESSED_V1 + WRITE_ROWS_V1
    if MARIA_WRITE_ROWS_COMPRESSED <= type <= MARIA_DELETE_ROWS_COMPRESSED:
        return type - MARIA_WRITE_ROWS_COMPRESSED + WRITE_ROWS
    return type

cdef struct Format:
    uint16_t binlog_version
    uint16_t flags                     # the event's own header flags (in use 0x1, relay log 0x40)
    uint8_t header_length              # of every later event; 19 in v4
    uint8_t checksum_length            # 0 or 4: bytes of CRC32 at the end of every later event
    uint8_t checksum_algorithm         # 0 off, 1 CRC32, 255 not told (before 5.6.1)
    bint mariadb
    uint32_t server_version            # major * 10000 + minor * 100 + patch, e.g. 50706
    uint8_t post_header_length[256]    # by event type; 255 if the server does not know the type
    char server_version_text[51]       # null-terminated
ctypedef const Format* p_const_Format

cdef void format_default(Format* format) noexcept nogil
cdef int format_parse(Format* format, const uint8_t* event, size_t size) noexcept nogil

cdef inline bint is_rows(uint8_t type) noexcept nogil:
    """A row event of any version, MariaDB's compressed ones aside."""
    return WRITE_ROWS_V0 <= type <= DELETE_ROWS_V1 or WRITE_ROWS <= type <= DELETE_ROWS or type == PARTIAL_UPDATE_ROWS

cdef inline bint is_compressed_rows(uint8_t type) noexcept nogil:
    """A compressed row event of MariaDB."""
    return MARIA_WRITE_ROWS_COMPRESSED_V1 <= type <= MARIA_DELETE_ROWS_COMPRESSED

cdef inline bint is_statement(uint8_t type) noexcept nogil:
    """A statement's text: a Query, a compressed one, or LOAD DATA since MySQL 5.0.3."""
    return type == QUERY or type == EXECUTE_LOAD_QUERY or type == MARIA_QUERY_COMPRESSED

cdef inline bint is_change(uint8_t type) noexcept nogil:
    """A statement, or LOAD DATA of any version: by itself it is a transaction."""
    return is_statement(type) or type == LOAD or type == NEW_LOAD or type == EXECUTE_LOAD

cdef inline bint is_gtid(uint8_t type) noexcept nogil:
    """An event of either server that gives a transaction its GTID, or none."""
    return type == GTID or type == ANONYMOUS_GTID or type == GTID_TAGGED or type == MARIA_GTID

cdef inline bint encrypts(p_const_Event e) noexcept nogil:
    """MariaDB's Start_encryption: what follows cannot be read. A server that sends a log decrypts what follows, and
    passes the event on as one to be ignored, whose type is another."""
    return e.type == MARIA_START_ENCRYPTION

cdef inline bint omits_positions(p_const_Format format) noexcept nogil:
    """Whether end_log_pos may be 0 in the events of a group between its Gtid and its end.

    MariaDB 11.4 and later makes their checksums before it knows where they will stand (MDEV-31273). Where the
    Format_description was lost it may be such a log.
    """
    return format.mariadb and format.server_version >= 110400 or format.server_version_text[0] == 0

# Used in this module only.
cdef uint32_t version_number(const char* text) noexcept nogil
