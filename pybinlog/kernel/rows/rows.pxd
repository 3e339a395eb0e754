from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets, p_const_Event, p_const_Format
from pybinlog.kernel.base.little_endian cimport read_lenenc, read_u16, read_u32, read_u48
from pybinlog.kernel.base.text cimport p_Text, put_bytes, put_char, put_hex

cdef enum RowsKind:
    ROWS_WRITE = 0
    ROWS_UPDATE = 1
    ROWS_DELETE = 2

# The result of reading a row event, and of its text.
cdef enum:
    ROWS_NO_MEMORY = -2
    ROWS_CORRUPT = -1
    ROWS_MORE = 0                      # there are rows left
    ROWS_UNREADABLE = 1                # the text ends where a row cannot be read
    ROWS_DONE = 2

# One row event's fields; the pointers lead into the event.
cdef struct RowsFields:
    octets event
    uint64_t table_id
    uint16_t flags
    uint8_t post_header                # bytes, as its format says or its version tells
    RowsKind kind
    bint partial                       # Partial_update_rows
    int32_t partition                  # -1 if there is none
    int32_t source_partition
    octets ndb_info                    # its length byte, or NULL
    size_t column_count
    octets columns                     # the columns-present bitmap
    octets columns_after               # the same for the after image of an update, else equal
    size_t null_bytes                  # of each before image, and of each after image
    size_t null_bytes_after
    octets rows
    size_t rows_size
    size_t head_size                   # bytes of the event before its rows
ctypedef const RowsFields* p_const_RowsFields
ctypedef RowsFields* p_RowsFields

# Fill `fields` from a whole row event of any version (MariaDB's compressed ones too: then `rows` is the compressed
# data). 0, or -1 if a length leads out of the event.
cdef int rows_parse(p_RowsFields fields, p_const_Format format, octets event, size_t size) noexcept nogil
# The flags of a row event as MySQL shows them; nothing for none.
cdef void put_rows_flags(p_Text text, uint16_t flags) noexcept nogil


# The fields that a Table_map or row event begins with.
cdef struct StatementHead:
    uint64_t table_id
    uint16_t flags
    size_t after                     # offset in the event

cdef inline bint statement_head(StatementHead* head, p_const_Event e, p_const_Format format) noexcept nogil:
    """Read the head of a Table_map or row event; return False if the event is too short.

    The table's id has four bytes where the post-header has six, else six; the flags follow.
    """
    cdef size_t at = format.header_length
    if format.post_header_length[e.type] == 6:
        if e.body_end < at + 6:
            return False
        head.table_id = read_u32(e.data + at)
        at += 4
    else:
        if e.body_end < at + 8:
            return False
        head.table_id = read_u48(e.data + at)
        at += 6
    head.flags = read_u16(e.data + at)
    head.after = at + 2
    return True

cdef enum:
    TABLE_SLOTS = 4096                 # a power of two

# A set of table ids, as many as half of the slots.
cdef class TableIds:
    cdef uint64_t ids[TABLE_SLOTS]
    cdef uint32_t stamps[TABLE_SLOTS]  # a slot is in use if it has the current stamp
    cdef uint32_t stamp
    cdef int count

    cdef void clear(self) noexcept nogil
    # Return the slot that has the id, or the free one for it.
    cdef size_t slot_of(self, uint64_t table_id) noexcept nogil
    cdef bint has(self, uint64_t table_id) noexcept nogil
    # Return False if there is no room.
    cdef bint add(self, uint64_t table_id) noexcept nogil

# Find the names of a Table_map, each after a byte with its length; `at` is what follows its table id and flags. False
# if they reach beyond the event.
cdef bint table_names(p_const_Event e, size_t at, octets* database, octets* table) noexcept nogil

# Used in this module only.
cdef bint read_extra(p_RowsFields fields, octets at, octets end) noexcept nogil
cdef size_t null_bytes(octets bitmap, size_t bits) noexcept nogil
