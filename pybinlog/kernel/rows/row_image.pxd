from libc.stdint cimport int16_t, int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from pybinlog.kernel.base.event cimport octets
from pybinlog.kernel.base.little_endian cimport read_lenenc, read_length, read_u16, read_u24, read_u32, read_u64
from pybinlog.kernel.base.memory cimport is_interrupted, memcmp, memcpy, memset, until_look
from pybinlog.kernel.rows cimport column_value, temporal_value
from pybinlog.kernel.rows.column cimport KIND_BIT, KIND_DATE, KIND_DATETIME, KIND_DATETIME2, KIND_DECIMAL, KIND_DOUBLE
from pybinlog.kernel.rows.column cimport KIND_ENUM, KIND_FLOAT, KIND_INT16, KIND_INT24, KIND_INT32, KIND_INT64
from pybinlog.kernel.rows.column cimport KIND_INT8, KIND_PREFIXED, KIND_SET, KIND_TIME, KIND_TIME2, KIND_TIMESTAMP
from pybinlog.kernel.rows.column cimport KIND_TIMESTAMP2, KIND_UNREADABLE, KIND_YEAR
from pybinlog.kernel.rows.column_value cimport ColumnValue, ValueKind
from pybinlog.kernel.rows.rows cimport p_const_RowsFields
from pybinlog.kernel.rows.table_map cimport TYPE_JSON, p_const_Column, p_const_TableMap

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
    p_const_Column map_columns
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


cdef inline octets read_value(ColumnValue* value, octets at, octets end, bint partial) noexcept nogil:
    """Fill the value of value.column from the bytes at `at` (it is not null); the place after it.

    `partial`: it is a partial update of JSON. A value that is truncated or unreadable leaves the place as it was.
    """
    cdef p_const_Column column = value.column
    cdef size_t size = column.size
    cdef uint8_t kind = column.kind
    cdef uint64_t length
    cdef uint32_t number
    cdef float single
    cdef octets next
    if size > <size_t>(end - at):
        value.kind = column_value.VALUE_TRUNCATED
        value.size = end - at
        return at
    next = at + size
    if kind == KIND_INT32:
        number = read_u32(at)
        value.kind = column_value.VALUE_INTEGER
        value.signed = <int32_t>number
        value.unsigned = number
    elif kind == KIND_PREFIXED:
        length = read_length(at, size)
        if length > <uint64_t>(end - next):
            value.kind = column_value.VALUE_TRUNCATED
            value.size = end - at
            return at
        value.kind = column_value.VALUE_JSON_DIFF if partial else <ValueKind>column.value
        value.data = next
        value.size = length
        next += length
    elif kind == KIND_INT64:
        value.kind = column_value.VALUE_INTEGER
        value.unsigned = read_u64(at)
        value.signed = <int64_t>value.unsigned
    elif kind == KIND_INT8:
        value.kind = column_value.VALUE_INTEGER
        value.signed = <int8_t>at[0]
        value.unsigned = at[0]
    elif kind == KIND_INT16:
        value.kind = column_value.VALUE_INTEGER
        value.signed = <int16_t>read_u16(at)
        value.unsigned = read_u16(at)
    elif kind == KIND_INT24:
        number = read_u24(at)
        value.kind = column_value.VALUE_INTEGER
        value.signed = <int32_t>(number << 8) >> 8
        value.unsigned = number
    elif kind == KIND_DECIMAL:
        value.kind = column_value.VALUE_DECIMAL
        value.data = at
        value.size = size
    elif kind == KIND_DATETIME2:
        value.kind = column_value.VALUE_DATETIME
        temporal_value.read_datetime2(&value.moment, at, column.metadata)
    elif kind == KIND_TIMESTAMP2:
        value.kind = column_value.VALUE_TIMESTAMP
        value.signed = temporal_value.read_timestamp2(&value.moment, at, column.metadata)
    elif kind == KIND_TIME2:
        value.kind = column_value.VALUE_TIME
        temporal_value.read_time2(&value.moment, at, column.metadata)
    elif kind == KIND_DATE:
        value.kind = column_value.VALUE_DATE
        temporal_value.read_date(&value.moment, at)
    elif kind == KIND_YEAR:
        value.kind = column_value.VALUE_YEAR
        value.unsigned = 1900 + at[0] if at[0] else 0
    elif kind == KIND_ENUM:
        value.kind = column_value.VALUE_ENUM
        value.unsigned = at[0] if size == 1 else read_u16(at)
    elif kind == KIND_SET:
        value.kind = column_value.VALUE_SET
        value.data = at
        value.size = size
    elif kind == KIND_BIT:
        value.kind = column_value.VALUE_BIT
        value.data = at
        value.size = size
        value.unsigned = (column.metadata >> 8) * 8 + (column.metadata & 255)
    elif kind == KIND_FLOAT:
        memcpy(&single, at, 4)
        value.kind = column_value.VALUE_FLOAT
        value.real = single
    elif kind == KIND_DOUBLE:
        value.kind = column_value.VALUE_DOUBLE
        memcpy(&value.real, at, 8)
    elif kind == KIND_TIMESTAMP:
        value.kind = column_value.VALUE_TIMESTAMP
        value.signed = <int32_t>read_u32(at)
        value.moment.microsecond = 0
    elif kind == KIND_DATETIME:
        value.kind = column_value.VALUE_DATETIME
        temporal_value.read_old_datetime(&value.moment, at)
    elif kind == KIND_TIME:
        value.kind = column_value.VALUE_TIME
        temporal_value.read_old_time(&value.moment, at)
    else:
        value.kind = column_value.VALUE_UNREADABLE
        return at
    return next


cdef inline octets skip_value(p_const_Column column, octets at, octets end) noexcept nogil:
    """The place after one value that is not null, or NULL where it does not end before `end`."""
    cdef size_t size = column.size
    cdef uint64_t length
    # the length of a value of an unreadable kind is unknown
    if size > <size_t>(end - at) or column.kind == KIND_UNREADABLE:
        return NULL
    at += size
    if column.kind == KIND_PREFIXED:
        length = read_length(at - size, size)
        return at + length if length <= <uint64_t>(end - at) else NULL
    return at


cdef inline bint has_bit(octets bitmap, size_t i) noexcept nogil:
    """Bit i % 8 of byte i // 8."""
    return (bitmap[i >> 3] >> (i & 7)) & 1


cdef inline ImageFault image_begin(
    ImageWalk* walk, p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after
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


cdef inline p_const_Column image_column(ImageWalk* walk, bint* null, bint* partial) noexcept nogil:
    """The next column that is in the image, not yet past its value; NULL after the last.

    `null`: it has none; `partial`: its value is a partial update of JSON.
    """
    cdef p_const_Column column
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
        value.kind = column_value.VALUE_NULL
    else:
        walk.at = read_value(value, walk.at, walk.end, partial)
    return True


cdef inline octets image_end(const ImageWalk* walk) noexcept nogil:
    """The place after the image; NULL for an image without any byte, with which a walk over rows would not end."""
    return walk.at if walk.at != walk.start else NULL


# The place after one row image, or NULL if it does not end before `end`. `map` is prepared (table_map_prepare).
cdef octets skip_image(p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after) noexcept nogil

cdef enum:
    WATCHED_COLUMNS = 64      # the first ones of a table

# The place of a value.
cdef struct ValuePlace:
    bint present
    octets start              # NULL: the value is null
    size_t size

# Add to `changed` those of `columns` (a bit for each of the first 64) whose values some row of an UPDATE changes; rows
# from one on that cannot be read do not count. False if a signal's handler has raised an error.
cdef bint add_changed_columns(
    p_const_RowsFields fields, p_const_TableMap map, uint64_t columns, uint64_t* changed
) noexcept nogil
# Used in this module only.
cdef octets note_places(
    p_const_RowsFields fields, p_const_TableMap map, octets at, octets end, bint after, uint64_t columns, ValuePlace* places
) noexcept nogil
