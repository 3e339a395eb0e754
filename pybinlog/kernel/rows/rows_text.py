"""Row events as pseudo-SQL, a statement for each row, in comment lines that begin with ###.

An image that cannot be read on ends the event's text, with a remark in the reference's words.

The values of columns are written in the reference's form, each by its kind.
"""

import cython

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TABLE_MAP, Format, format_default
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.text import (
    put_bits,
    put_bytes,
    put_char,
    put_hex,
    put_quoted,
    put_text,
    put_unsigned,
    put_upper_hex,
    text_free,
    text_grow,
    text_init,
    text_relieve,
    text_take,
)
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME, KIND_TIME, SHORT_PIECE, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_value import (
    VALUE_BIT,
    VALUE_BYTES,
    VALUE_DATE,
    VALUE_DATETIME,
    VALUE_DECIMAL,
    VALUE_DOUBLE,
    VALUE_ENUM,
    VALUE_FLOAT,
    VALUE_FLOATS,
    VALUE_INTEGER,
    VALUE_JSON,
    VALUE_JSON_DIFF,
    VALUE_NULL,
    VALUE_OPAQUE,
    VALUE_SET,
    VALUE_TIME,
    VALUE_TIMESTAMP,
    VALUE_TRUNCATED,
    VALUE_YEAR,
    ValueKind,
)
from cython.cimports.pybinlog.kernel.rows.json_diff import put_json_diff
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_column
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal, put_double, put_float, put_short_float
from cython.cimports.pybinlog.kernel.rows.row_image import (
    IMAGE_NULLS,
    IMAGE_OPTIONS,
    IMAGE_PARTIAL_COLUMNS,
    ImageFault,
    ImageWalk,
    image_begin,
    image_end,
    image_next,
)
from cython.cimports.pybinlog.kernel.rows.rows import (
    ROWS_DONE,
    ROWS_MORE,
    ROWS_NO_MEMORY,
    ROWS_UNREADABLE,
    ROWS_UPDATE,
    ROWS_WRITE,
    rows_parse,
)
from cython.cimports.pybinlog.kernel.rows.table_map import (
    TYPE_BLOB,
    TYPE_ENUM,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)
from cython.cimports.pybinlog.kernel.rows.temporal_value import (
    put_date,
    put_datetime,
    put_old_datetime,
    put_old_time,
    put_time,
    put_timestamp,
)


def put_unreadable(text, column):
    """Append the text for a value whose type the reference cannot show."""
    if column.type == TYPE_ENUM:
        put_text(text, b"!! Unknown ENUM packlen=")
        put_unsigned(text, column.metadata & 255)
    elif column.type == TYPE_BLOB:
        put_text(text, b"!! Unknown BLOB packlen=0")
    else:
        put_text(text, b"!! Don't know how to handle column type=")
        put_unsigned(text, column.type)
        put_text(text, b" meta=")
        put_unsigned(text, column.metadata)
        put_text(text, b" (")
        put_hex(text, column.metadata, 6 if column.metadata > 65535 else 4)
        put_text(text, b")\n")


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_both_ways(text: cython.pointer(Text), signed: int64_t, unsigned: uint64_t) -> cython.void:
    """Append the number, and where it is negative what it is without a sign: "-1 (255)"."""
    at: cython.p_char
    if not text_grow(text, 56):
        return
    at = text.data + text.length
    if signed >= 0:
        at = write_unsigned(at, unsigned)
    else:
        at[0] = 45
        at = write_unsigned(at + 1, cython.cast(uint64_t, 0) - cython.cast(uint64_t, signed))
        at[0] = 32
        at[1] = 40
        at = write_unsigned(at + 2, unsigned)
        at[0] = 41
        at += 1
    text.length = at - text.data


def put_floats(text, data, size):
    i: cython.size_t
    put_char(text, 91)
    for i in range(size // 4):
        if i:
            put_char(text, 44)
        if i & 4095 == 0:
            text_relieve(text)
        put_short_float(text, data + 4 * i)
    put_char(text, 93)


def put_value(text, scratch, value, texts):
    kind: ValueKind = value.kind
    if kind == VALUE_INTEGER:
        put_both_ways(text, value.signed, value.unsigned)
    elif kind == VALUE_BYTES:
        put_quoted(text, value.data, value.size)
    elif kind == VALUE_DECIMAL:
        if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
            put_char(text, 48)
    elif kind == VALUE_DATETIME:
        if value.column.kind == KIND_DATETIME:
            put_old_datetime(text, cython.address(value.moment))
        else:
            put_char(text, 39)
            put_datetime(text, cython.address(value.moment), value.column.metadata)
            put_char(text, 39)
    elif kind == VALUE_TIMESTAMP:
        put_timestamp(text, value.signed, value.moment.microsecond, value.column.metadata)
    elif kind == VALUE_TIME:
        put_char(text, 39)
        if value.column.kind == KIND_TIME:
            put_old_time(text, cython.address(value.moment))
        else:
            put_time(text, cython.address(value.moment), value.column.metadata)
        put_char(text, 39)
    elif kind == VALUE_DATE:
        put_char(text, 39)
        put_date(text, cython.address(value.moment))
        put_char(text, 39)
    elif kind == VALUE_YEAR:
        put_unsigned(text, value.unsigned if value.unsigned else 1900)
    elif kind == VALUE_ENUM:
        put_unsigned(text, value.unsigned)
    elif kind == VALUE_SET or kind == VALUE_BIT:
        put_bits(text, value.data, 8 * value.size if kind == VALUE_SET else value.unsigned)
        return value.size != 0  # the reference takes a value without bytes for an error
    elif kind == VALUE_FLOAT:
        put_float(text, value.real)
    elif kind == VALUE_DOUBLE:
        put_double(text, value.real)
    elif kind == VALUE_JSON:
        return put_json_column(text, scratch, value.data, value.size)
    elif kind == VALUE_JSON_DIFF:
        # the column's prefix is "###   @1="
        put_json_diff(
            text, scratch, value.data, value.size, texts + value.column.prefix + 6, value.column.prefix_length - 7
        )
    elif kind == VALUE_FLOATS:
        put_floats(text, value.data, value.size)
    elif kind == VALUE_TRUNCATED:
        put_text(text, b"***Corrupted replication event was detected: field data is truncated; there are only ")
        put_unsigned(text, value.size)
        put_text(text, b" bytes left of the event. Not printing the value***\n")
        return False
    elif kind == VALUE_OPAQUE and value.column.shown:
        put_quoted(text, value.data, value.size)
    else:
        put_unreadable(text, value.column)
        return False
    return True


def put_extra(text, fields):
    """Append the lines of the extra row info; False if the text ends with an error."""
    length: cython.int
    if fields.ndb_info != cython.NULL:
        length = fields.ndb_info[0]
        if length < 2:
            put_text(
                text, b"***Error: The number of extra_row_ndb_info is smaller than the minimum acceptable value.\n"
            )
            return False
        put_text(text, b"### Extra row ndb info: data_format: ")
        put_unsigned(text, fields.ndb_info[1])
        put_text(text, b", len: ")
        put_unsigned(text, length - 2)
        put_text(text, b", data: ")
        put_text(text, b"0x" if length > 2 else b'""')
        put_upper_hex(text, fields.ndb_info + 2, length - 2)
        put_char(text, 10)
    if fields.partition >= 0:
        put_text(text, b"### Extra row info for partitioning: ")
        if fields.kind == ROWS_UPDATE:
            put_text(text, b"source_partition: ")
            put_unsigned(text, fields.source_partition)
            put_text(text, b" target_partition: ")
        else:
            put_text(text, b"partition: ")
        put_unsigned(text, fields.partition)
        put_char(text, 10)
    return True


def rows_begin(text, maps, fields, verbosity, cursor):
    map: cython.pointer(TableMap)
    cursor.fields = fields
    cursor.at = fields.rows
    cursor.verbosity = verbosity
    if not put_extra(text, fields):
        return ROWS_UNREADABLE
    map = table_maps_get(maps, fields.table_id)
    if map == cython.NULL:
        put_text(text, b"### Row event for unknown table #")
        put_unsigned(text, fields.table_id)
        return ROWS_UNREADABLE
    if fields.kind == ROWS_WRITE and fields.rows_size == 0:
        put_text(text, b"### INSERT INTO `")
        put_name(text, map.fields.database, map.fields.database_length, maps.exact)
        put_bytes(text, b"`.`", 3)
        put_name(text, map.fields.table, map.fields.table_length, maps.exact)
        put_text(text, b"` VALUES ()\n")
        return ROWS_DONE
    if not table_map_prepare(maps, map, verbosity):
        return ROWS_NO_MEMORY
    return ROWS_MORE


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_piece(text: cython.pointer(Text), piece: cython.p_const_char, length: cython.size_t) -> cython.void:
    """Append a piece of a map's texts. Most are short, and a copy of a fixed size is one instruction."""
    if length <= SHORT_PIECE and text_grow(text, SHORT_PIECE):
        memcpy(text.data + text.length, piece, SHORT_PIECE)
        text.length += length
    else:
        put_bytes(text, piece, length)


def put_image(text, maps, map, fields, at, end, after):
    """Append one row image, its SET or WHERE line included; return the place after it, or NULL if it cannot be read."""
    walk: ImageWalk
    value: ColumnValue
    fault: ImageFault
    column: cython.pointer(cython.const[Column]) = map.columns
    texts: cython.p_const_char = map.texts.data
    fault = image_begin(cython.address(walk), fields, map, at, end, after)
    if fault == IMAGE_OPTIONS:
        put_text(text, b"*** Error reading binlog_row_value_options from Partial_update_rows_log_event\n")
        return cython.NULL
    if fault == IMAGE_PARTIAL_COLUMNS:
        return cython.NULL
    if after or fields.kind == ROWS_WRITE:
        put_bytes(text, b"### SET\n", 8)
    else:
        put_bytes(text, b"### WHERE\n", 10)
    if fault == IMAGE_NULLS and map.fields.column_count:
        put_bytes(text, texts + column.prefix, column.prefix_length)
        put_text(
            text, b"***Corrupted replication event was detected: field size is set to 0, but there are only 0 bytes "
        )
        put_text(text, b"left of the event. Not printing the value***\n")
        return cython.NULL
    while image_next(cython.address(walk), cython.address(value)):
        column = value.column
        if value.kind == VALUE_NULL and column.null_length:
            put_piece(text, texts + column.null_line, column.null_length)
            continue
        put_piece(text, texts + column.prefix, column.prefix_length)
        if not put_value(text, cython.address(maps.scratch), cython.address(value), texts):
            return cython.NULL
        put_piece(text, texts + column.suffix, column.suffix_length)
    return image_end(cython.address(walk))


def rows_more(text, maps, cursor, limit):
    fields: cython.pointer(RowsFields) = cursor.fields
    map: cython.pointer(TableMap) = table_maps_get(maps, fields.table_id)
    start: cython.size_t = text.drained + text.length
    at: octets = cursor.at
    end: octets = fields.rows + fields.rows_size
    if map == cython.NULL or not table_map_prepare(maps, map, cursor.verbosity):
        return ROWS_NO_MEMORY
    while at != end:
        if fields.kind == ROWS_WRITE:
            put_bytes(text, b"### INSERT INTO ", 16)
        elif fields.kind == ROWS_UPDATE:
            put_bytes(text, b"### UPDATE ", 11)
        else:
            put_bytes(text, b"### DELETE FROM ", 16)
        put_bytes(text, map.texts.data, map.name_length)
        put_char(text, 10)
        at = put_image(text, maps, map, fields, at, end, False)
        if at != cython.NULL and fields.kind == ROWS_UPDATE:
            at = put_image(text, maps, map, fields, at, end, True)
        if at == cython.NULL:
            return ROWS_UNREADABLE
        if text.failed or maps.scratch.failed:
            return ROWS_NO_MEMORY
        if text.drained + text.length - start >= limit and at != end:
            cursor.at = at
            return ROWS_MORE
    return ROWS_DONE


def put_rows_in_portions(text, maps, fields, verbosity, limit):
    cursor: RowsCursor
    result: cython.int = rows_begin(text, maps, fields, verbosity, cython.address(cursor))
    while result == ROWS_MORE:
        result = rows_more(text, maps, cython.address(cursor), limit)
    return 0 if result == ROWS_DONE else result


def rows_text(
    events: list[bytes], verbosity: cython.int = 1, repeat: cython.int = 1, limit: cython.size_t = 0
) -> list[bytes | int]:
    """Return the text of each event in turn; for a Table_map event, and for a row event that is corrupt, a number.

    The events are whole, with header and without checksum, in the formats that MySQL 5.1.6 and later write. A Table_map
    event gives 0, or -1 where it is corrupt. `repeat` writes the text that many times and returns it once, to measure;
    with a `limit` above 0 it is written in portions of about that many bytes.
    """
    maps: TableMaps
    text: Text
    format: Format
    fields: RowsFields
    texts: list = []
    event: bytes
    result: cython.int = 0
    i: cython.int
    format_default(cython.address(format))
    table_maps_init(cython.address(maps))
    text_init(cython.address(text))
    try:
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                texts.append(table_maps_put(cython.address(maps), cython.address(format), event, len(event)))
                continue
            for i in range(repeat):
                text.length = 0
                result = rows_parse(cython.address(fields), cython.address(format), event, len(event))
                if result == 0:
                    result = put_rows_in_portions(
                        cython.address(text),
                        cython.address(maps),
                        cython.address(fields),
                        verbosity,
                        limit if limit else cython.cast(cython.size_t, -1),
                    )
            texts.append(text_take(cython.address(text)) if result >= 0 else result)
    finally:
        text_free(cython.address(text))
        table_maps_free(cython.address(maps))
    return texts
