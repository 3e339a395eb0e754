# What a Format_description says of the events after it: the C side of kernel/base/format.py.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef struct Format:
    uint16_t binlog_version
    uint16_t flags                     # the event's own header flags (in use 0x1, relay log 0x40)
    uint8_t header_length              # of every later event; 19 in v4
    uint8_t checksum_length            # 0 or 4: bytes of CRC32 at the end of every later event
    uint8_t checksum_algorithm         # 0 off, 1 CRC32, 255 not told (before 5.6.1)
    bint mariadb
    uint32_t server_version            # major * 10000 + minor * 100 + patch, e.g. 50706
    uint8_t post_header_length[256]    # by event type; 255 where the event type was not known to the server
    char server_version_text[51]       # null-terminated

cdef void format_default(Format* format) noexcept nogil
cdef int format_parse(Format* format, const uint8_t* event, size_t size) noexcept nogil


cdef inline bint omits_positions(const Format* format) noexcept nogil:
    """Whether end_log_pos may be 0 in the events of a group between its Gtid and its end.

    MariaDB 11.4 and later makes their checksums before it knows where they will stand (MDEV-31273). Where the
    Format_description was lost it may be such a log.
    """
    return format.mariadb and format.server_version >= 110400 or format.server_version_text[0] == 0


# Little-endian fields, read byte by byte so that no alignment is assumed; the C compiler makes one load of it.
cdef inline uint16_t read_u16(const uint8_t* p) noexcept nogil:
    return <uint16_t>(p[0] | (p[1] << 8))


cdef inline uint32_t read_u24(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | (<uint32_t>p[1] << 8) | (<uint32_t>p[2] << 16)


cdef inline uint32_t read_u32(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | (<uint32_t>p[1] << 8) | (<uint32_t>p[2] << 16) | (<uint32_t>p[3] << 24)


cdef inline uint64_t read_u48(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u32(p) | (<uint64_t>read_u16(p + 4) << 32)


cdef inline uint64_t read_u64(const uint8_t* p) noexcept nogil:
    return <uint64_t>read_u32(p) | (<uint64_t>read_u32(p + 4) << 32)
