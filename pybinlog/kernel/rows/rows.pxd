# Row events as pseudo-SQL: the C side of kernel/rows/rows.py.
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from pybinlog.kernel.base.event cimport Event
from pybinlog.kernel.base.format cimport Format, read_u16, read_u32, read_u48
from pybinlog.kernel.base.packed cimport octets, read_packed
from pybinlog.kernel.rows.table_map cimport TableMap, TableMaps
from pybinlog.kernel.base.text cimport Text

cdef enum RowsKind:
    ROWS_WRITE = 0
    ROWS_UPDATE = 1
    ROWS_DELETE = 2

# What came of a row event's text.
cdef enum:
    ROWS_NO_MEMORY = -2
    ROWS_CORRUPT = -1
    ROWS_MORE = 0                      # there are rows left
    ROWS_UNREADABLE = 1                # the text ends where a row cannot be read
    ROWS_DONE = 2

cdef enum:
    STATEMENT_END = 0x0001             # in the flags of a row event

# One row event's fields; the pointers lead into the event.
cdef struct RowsFields:
    uint64_t table_id
    uint16_t flags
    RowsKind kind
    bint partial                       # Partial_update_rows
    int32_t partition                  # -1 where there is none
    int32_t source_partition
    const uint8_t* ndb_info            # its length byte, or NULL
    size_t column_count
    const uint8_t* columns             # the columns-present bitmap
    const uint8_t* columns_after       # the same for the after image of an update, else equal
    size_t null_bytes                  # of each before image, and of each after image
    size_t null_bytes_after
    const uint8_t* rows
    size_t rows_size

# Fill `fields` from a whole row event of any version (MariaDB's compressed ones too: then `rows` is the compressed data).
# 0, or -1 where a length leads out of the event.
cdef int rows_parse(RowsFields* fields, const Format* format, const uint8_t* event, size_t size) noexcept nogil

cdef enum:
    PARTIAL_JSON = 1                   # in the value options of an after image

# What stands at the head of a row image.
cdef struct ImageHead:
    size_t column_count                # those that both the table and the event have
    const uint8_t* columns             # a bit for each: whether it is in the image
    const uint8_t* partial_columns     # a bit for each JSON column of the table, in the image or not; NULL without them
    const uint8_t* nulls               # a bit for each column of the image
    const uint8_t* values              # the place after the head, or after what of it there is

cdef enum ImageFault:
    IMAGE_READ = 0
    IMAGE_OPTIONS = 1                  # which of the parts reaches beyond the end
    IMAGE_PARTIAL_COLUMNS = 2
    IMAGE_NULLS = 3

cdef inline ImageFault read_image_head(
    ImageHead* head, const RowsFields* fields, const TableMap* map, octets at, octets end, bint after
) noexcept nogil:
    cdef uint64_t options = 0
    cdef size_t size
    head.column_count = map.fields.column_count
    if head.column_count > fields.column_count:
        head.column_count = fields.column_count
    head.columns = fields.columns_after if after else fields.columns
    head.partial_columns = NULL
    head.values = at
    if fields.partial and after:
        if not read_packed(&head.values, end, &options):
            return IMAGE_OPTIONS
        if options & PARTIAL_JSON:
            size = (map.json_columns + 7) // 8
            if size > <size_t>(end - head.values):
                return IMAGE_PARTIAL_COLUMNS
            head.partial_columns = head.values
            head.values += size
    head.nulls = head.values
    size = fields.null_bytes_after if after else fields.null_bytes
    if size > <size_t>(end - head.values):
        return IMAGE_NULLS
    head.values += size
    return IMAGE_READ

# The text of fields.rows; the caller may have put `rows` and `rows_size` to inflated data. Returns 0, or 1 where a
# row or its table could not be read (the text says so and ends there), or -2 where there is no memory.
cdef int put_rows(Text* text, TableMaps* maps, RowsFields* fields, int verbosity) noexcept nogil

# The same in portions: rows_begin writes what comes before the first row, each rows_more at least one row and then
# on until `limit` bytes were written by this call; 0 where more is to come, else as above, 2 for the end.
cdef struct RowsCursor:
    RowsFields* fields
    const uint8_t* at
    int verbosity

cdef int rows_begin(Text* text, TableMaps* maps, RowsFields* fields, int verbosity, RowsCursor* cursor) noexcept nogil
cdef int rows_more(Text* text, TableMaps* maps, RowsCursor* cursor, size_t limit) noexcept nogil

# All of it: parse the event and write its text. `event` points at the 19-byte header, `size` is without the checksum.
# Returns 0, 1, -1 or -2 as above.
cdef int put_rows_text(
    Text* text, TableMaps* maps, const Format* format, const uint8_t* event, size_t size, int verbosity
) noexcept nogil


cdef inline bint statement_head(
    const Event* e, const Format* format, uint64_t* table_id, uint16_t* flags, size_t* behind
) noexcept nogil:
    """What a Table_map or row event begins with, and the offset after it; False where the event is too short.

    The table's id has four bytes where the post-header has six, else six; the flags follow.
    """
    cdef size_t at = format.header_length
    if format.post_header_length[e.type] == 6:
        if e.size < at + 6:
            return False
        table_id[0] = read_u32(e.data + at)
        at += 4
    else:
        if e.size < at + 8:
            return False
        table_id[0] = read_u48(e.data + at)
        at += 6
    flags[0] = read_u16(e.data + at)
    behind[0] = at + 2
    return True
