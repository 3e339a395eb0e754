# The meaning of an event's type and its server. Inline functions only: there is no event_kind.py.
from libc.stdint cimport uint8_t, uint16_t
from pybinlog.kernel.base.event cimport (
    BEGIN_LOAD_QUERY,
    DELETE_ROWS,
    DELETE_ROWS_V1,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    HEARTBEAT_V2,
    IGNORABLE,
    IGNORABLE_FLAG,
    INTVAR,
    LAST_MYSQL,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_QUERY_COMPRESSED,
    MARIA_START_ENCRYPTION,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    PARTIAL_UPDATE_ROWS,
    QUERY,
    ROWS_QUERY,
    SLAVE,
    TRANSACTION_PAYLOAD,
    UNKNOWN,
    USER_VAR,
    VIEW_CHANGE,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    Event,
    Format,
)


cdef inline uint8_t type_of_code(const Format* format, uint8_t code, uint16_t flags) noexcept nogil:
    """Return the type that a header's type byte and flags stand for in a log of this server: what Event.type holds.

    UNKNOWN for a code to which the server gives no meaning, IGNORABLE for one that it ignores (WL#4033). MySQL looks at
    the code first, and at the ignorable flag only if it does not know the code. MariaDB ignores every event with that
    flag, and MySQL's GTIDs, group replication's events and heartbeats without it, too. Without a Format_description a
    code means what it means to the server that has it.
    """
    if format.mariadb:
        if flags & IGNORABLE_FLAG and code != FORMAT_DESCRIPTION:
            return IGNORABLE
        if code <= LAST_MYSQL:
            if GTID <= code <= VIEW_CHANGE or code == HEARTBEAT_V2:
                return IGNORABLE
            if code == ROWS_QUERY or code == PARTIAL_UPDATE_ROWS or code == TRANSACTION_PAYLOAD or code == GTID_TAGGED:
                return UNKNOWN
            return code
        return code if MARIA_ANNOTATE_ROWS <= code <= MARIA_DELETE_ROWS_COMPRESSED else UNKNOWN
    if UNKNOWN < code <= LAST_MYSQL:
        return code
    if format.server_version_text[0] == 0 and MARIA_ANNOTATE_ROWS <= code <= MARIA_DELETE_ROWS_COMPRESSED:
        return code
    return IGNORABLE if flags & IGNORABLE_FLAG else UNKNOWN


cdef inline bint knows_code(const Format* format, uint8_t code) noexcept nogil:
    """Whether the server of this log gives the code a meaning."""
    return code != UNKNOWN and type_of_code(format, code, 0) == code


cdef inline bint is_rows(uint8_t type) noexcept nogil:
    """A row event of any version, MariaDB's compressed ones aside."""
    return WRITE_ROWS_V0 <= type <= DELETE_ROWS_V1 or WRITE_ROWS <= type <= DELETE_ROWS or type == PARTIAL_UPDATE_ROWS


cdef inline bint is_compressed_rows(uint8_t type) noexcept nogil:
    """A compressed row event of MariaDB."""
    return MARIA_WRITE_ROWS_COMPRESSED_V1 <= type <= MARIA_DELETE_ROWS_COMPRESSED


cdef inline bint stands_inside_groups(uint8_t type) noexcept nogil:
    """An event that may have others of its group before it and after it."""
    return (
        type == QUERY
        or INTVAR <= type <= USER_VAR and type != SLAVE
        or BEGIN_LOAD_QUERY <= type <= DELETE_ROWS_V1
        or ROWS_QUERY <= type <= DELETE_ROWS
        or type == PARTIAL_UPDATE_ROWS
        or type == MARIA_ANNOTATE_ROWS
        or MARIA_QUERY_COMPRESSED <= type <= MARIA_DELETE_ROWS_COMPRESSED
    )


cdef inline bint encrypts(const Event* e) noexcept nogil:
    """MariaDB's Start_encryption: what follows cannot be read. A server that sends a log decrypts what follows, and
    passes the event on as one to be ignored, whose type is another."""
    return e.type == MARIA_START_ENCRYPTION


cdef inline bint omits_positions(const Format* format) noexcept nogil:
    """Whether end_log_pos may be 0 in the events of a group between its Gtid and its end.

    MariaDB 11.4 and later makes their checksums before it knows where they will stand (MDEV-31273). Where the
    Format_description was lost it may be such a log.
    """
    return format.mariadb and format.server_version >= 110400 or format.server_version_text[0] == 0
