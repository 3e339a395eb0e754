# What an event's type and its server say of it. Inline functions only: there is no event_kind.py.
from libc.stdint cimport uint8_t
from pybinlog.kernel.base.event cimport (
    BEGIN_LOAD_QUERY,
    DELETE_ROWS,
    DELETE_ROWS_V1,
    IGNORABLE_FLAG,
    INTVAR,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_QUERY_COMPRESSED,
    MARIA_START_ENCRYPTION,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    PARTIAL_UPDATE_ROWS,
    QUERY,
    ROWS_QUERY,
    SLAVE,
    USER_VAR,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    Event,
    Format,
)


cdef inline bint is_rows(uint8_t type) noexcept nogil:
    """A row event of any version, MariaDB's compressed ones aside."""
    return WRITE_ROWS_V0 <= type <= DELETE_ROWS_V1 or WRITE_ROWS <= type <= DELETE_ROWS or type == PARTIAL_UPDATE_ROWS


cdef inline bint is_compressed_rows(uint8_t type) noexcept nogil:
    """A compressed row event of MariaDB; what the type means in MySQL's logs nobody knows."""
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
    passes the event on as one to be ignored."""
    return e.type == MARIA_START_ENCRYPTION and not e.flags & IGNORABLE_FLAG


cdef inline bint omits_positions(const Format* format) noexcept nogil:
    """Whether end_log_pos may be 0 in the events of a group between its Gtid and its end.

    MariaDB 11.4 and later makes their checksums before it knows where they will stand (MDEV-31273). Where the
    Format_description was lost it may be such a log.
    """
    return format.mariadb and format.server_version >= 110400 or format.server_version_text[0] == 0
