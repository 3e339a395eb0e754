# The fields of row events: the C side of kernel/rows/rows.py.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from pybinlog.kernel.base.event cimport Event, Format, read_u16, read_u32, read_u48
from pybinlog.kernel.base.lenenc cimport has_bit, octets, read_lenenc, read_length
from pybinlog.kernel.rows.column cimport KIND_BYTES, KIND_JSON, KIND_UNREADABLE, KIND_UNREADABLE_BLOB, KIND_VECTOR
from pybinlog.kernel.rows.column_value cimport VALUE_NULL, ColumnValue, read_value
from pybinlog.kernel.rows.table_map cimport TYPE_JSON, Column, TableMap

cdef enum RowsKind:
    ROWS_WRITE = 0
    ROWS_UPDATE = 1
    ROWS_DELETE = 2

# What came of reading a row event, and of its text.
cdef enum:
    ROWS_NO_MEMORY = -2
    ROWS_CORRUPT = -1
    ROWS_MORE = 0                      # there are rows left
    ROWS_UNREADABLE = 1                # the text ends where a row cannot be read
    ROWS_DONE = 2

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


cdef inline bint statement_head(
    const Event* e, const Format* format, uint64_t* table_id, uint16_t* flags, size_t* after
) noexcept nogil:
    """What a Table_map or row event begins with, and the offset after it; False where the event is too short.

    The table's id has four bytes where the post-header has six, else six; the flags follow.
    """
    cdef size_t at = format.header_length
    if format.post_header_length[e.type] == 6:
        if e.body_end < at + 6:
            return False
        table_id[0] = read_u32(e.data + at)
        at += 4
    else:
        if e.body_end < at + 8:
            return False
        table_id[0] = read_u48(e.data + at)
        at += 6
    flags[0] = read_u16(e.data + at)
    after[0] = at + 2
    return True

cdef enum:
    PARTIAL_JSON = 1                   # in the value options of an after image

cdef enum ImageFault:
    IMAGE_READ = 0
    IMAGE_OPTIONS = 1                  # which of the parts of its head reaches beyond the end
    IMAGE_PARTIAL_COLUMNS = 2
    IMAGE_NULLS = 3

# A walk over a row image, the only one that reads its values. Each use of them (the text, a view's columns, a list for
# Python: a sink) is a loop that asks for one typed value after the other:
#
#     if image_begin(&walk, fields, map, at, end, after) == IMAGE_READ:
#         while image_next(&walk, &value):
#             ...                           # by value.kind; VALUE_TRUNCATED, VALUE_UNREADABLE: the image ends here
#         at = image_end(&walk)
#
# The C compiler makes one piece of the walk and the loop, so a sink costs no call for a column but its own. Let no
# pointer to the walk out of the loop: its fields then stay in registers.
cdef struct ImageWalk:
    const Column* map_columns
    size_t column_count                # those that both the table and the event have
    octets columns                     # a bit for each: whether it is in the image
    octets partial_columns             # a bit for each JSON column of the table, in the image or not; NULL without them
    octets nulls                       # a bit for each column of the image
    size_t next                        # the columns that were passed, and the bits of these bitmaps
    size_t next_partial
    size_t next_null
    octets start
    octets at                          # the place after the head, and then after the value read last
    octets end


cdef inline ImageFault image_begin(
    ImageWalk* walk, const RowsFields* fields, const TableMap* map, octets at, octets end, bint after
) noexcept nogil:
    """Read the image's head; `map` is prepared (table_map_prepare). `after`: it is the after image of an update."""
    cdef uint64_t options = 0
    cdef size_t size
    walk.map_columns = map.columns
    walk.column_count = map.fields.column_count
    if walk.column_count > fields.column_count:
        walk.column_count = fields.column_count
    walk.columns = fields.columns_after if after else fields.columns
    walk.partial_columns = NULL
    walk.next = 0
    walk.next_partial = 0
    walk.next_null = 0
    walk.start = at
    walk.at = at
    walk.end = end
    if fields.partial and after:
        if not read_lenenc(&walk.at, end, &options):
            return IMAGE_OPTIONS
        if options & PARTIAL_JSON:
            size = (map.json_columns + 7) // 8
            if size > <size_t>(end - walk.at):
                return IMAGE_PARTIAL_COLUMNS
            walk.partial_columns = walk.at
            walk.at += size
    walk.nulls = walk.at
    size = fields.null_bytes_after if after else fields.null_bytes
    if size > <size_t>(end - walk.at):
        return IMAGE_NULLS
    walk.at += size
    return IMAGE_READ


cdef inline const Column* image_column(ImageWalk* walk, bint* null, bint* partial) noexcept nogil:
    """The next column that is in the image, not yet past its value; NULL after the last.

    `null`: it has none; `partial`: its value is a partial update of JSON.
    """
    cdef const Column* column
    cdef size_t i
    while walk.next < walk.column_count:
        i = walk.next
        walk.next += 1
        column = walk.map_columns + i
        partial[0] = False
        if walk.partial_columns != NULL and column.type == TYPE_JSON:
            partial[0] = has_bit(walk.partial_columns, walk.next_partial)
            walk.next_partial += 1
        if has_bit(walk.columns, i):
            null[0] = has_bit(walk.nulls, walk.next_null)
            walk.next_null += 1
            return column
    return NULL


cdef inline bint image_next(ImageWalk* walk, ColumnValue* value) noexcept nogil:
    """Read the value of the next column that is in the image; False after the last."""
    cdef bint null
    cdef bint partial
    value.column = image_column(walk, &null, &partial)
    if value.column == NULL:
        return False
    value.number = walk.next
    if null:
        value.kind = VALUE_NULL
    else:
        walk.at = read_value(value, walk.at, walk.end, partial)
    return True


cdef inline octets image_end(const ImageWalk* walk) noexcept nogil:
    """The place after the image; NULL for an image without any byte, with which a walk over rows would not end."""
    return walk.at if walk.at != walk.start else NULL


cdef inline octets skip_value(const Column* column, octets at, octets end) noexcept nogil:
    """The place after one value that is not null, or NULL where it does not end before `end`."""
    cdef size_t size = column.size
    cdef uint64_t length
    # how long a value of an unreadable kind is nobody knows
    if size > <size_t>(end - at) or column.kind == KIND_UNREADABLE:
        return NULL
    if (
        column.kind == KIND_BYTES
        or column.kind == KIND_JSON
        or column.kind == KIND_VECTOR
        or column.kind == KIND_UNREADABLE_BLOB
    ):
        length = read_length(at, size)
        at += size
        return at + length if length <= <uint64_t>(end - at) else NULL
    return at + size


# The place after one row image, or NULL where it does not end before `end`. `map` is prepared (table_map_prepare).
cdef octets skip_image(const RowsFields* fields, const TableMap* map, octets at, octets end, bint after) noexcept nogil
# How many rows the event changes; -1 where an image does not end before the event.
cdef int64_t count_rows(const RowsFields* fields, const TableMap* map) noexcept nogil
