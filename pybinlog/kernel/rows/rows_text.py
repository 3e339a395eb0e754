"""Row events as pseudo-SQL, a statement for each row, in comment lines that begin with ###.

An image that cannot be read on ends the event's text, with a remark in the reference's words.

The values of columns are written in the reference's form, each by its kind.
"""

import cython
from cython.cimports.pybinlog.kernel.base.digits import write_unsigned
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.text import put_unsigned, put_upper_hex, text_free, text_grow, text_init
from cython.cimports.pybinlog.kernel.base.text import text_relieve, text_take
from cython.cimports.pybinlog.kernel.rows import column_value, row_image, rows, table_map, temporal_value
from cython.cimports.pybinlog.kernel.rows.column import KIND_DATETIME, KIND_TIME, SHORT_PIECE, table_map_prepare
from cython.cimports.pybinlog.kernel.rows.json_diff import put_json_diff
from cython.cimports.pybinlog.kernel.rows.json_value import put_json_column
from cython.cimports.pybinlog.kernel.rows.number_value import put_decimal, put_double, put_float, put_short_float


def put_unreadable(text: p_Text, column: p_const_Column):
    """Append the text for a value whose type the reference cannot show."""
    if column.type == table_map.TYPE_ENUM:
        put_text(text, b"!! Unknown ENUM packlen=")
        put_unsigned(text, column.metadata & 255)
    elif column.type == table_map.TYPE_BLOB:
        put_text(text, b"!! Unknown BLOB packlen=0")
    elif column.type == table_map.TYPE_BIT or column.type == table_map.TYPE_SET:
        put_text(text, b"b''")
    else:
        put_text(text, b"!! Don't know how to handle column type=")
        put_unsigned(text, column.type)
        put_text(text, b" meta=")
        put_unsigned(text, column.metadata)
        put_text(text, b" (")
        put_hex(text, column.metadata, 6 if column.metadata > 65535 else 4)
        put_text(text, b")\n")


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_both_ways(text: p_Text, signed: int64_t, unsigned: uint64_t) -> cython.void:
    """Append the number, and where it is negative what it is without a sign: "-1 (255)"."""
    if not text_grow(text, 56):
        return
    at: cython.p_char = text.data + text.length
    if signed >= 0:
        at = write_unsigned(at, unsigned)
    else:
        at[0] = b"-"
        at = write_unsigned(at + 1, cython.cast(uint64_t, 0) - cython.cast(uint64_t, signed))
        at[0] = b" "
        at[1] = b"("
        at = write_unsigned(at + 2, unsigned)
        at[0] = b")"
        at += 1
    text.length = at - text.data


def put_floats(text: p_Text, data: octets, size: cython.size_t):
    i: cython.size_t
    put_char(text, b"[")
    for i in range(size // 4):
        if i:
            put_char(text, b",")
        if i & 4095 == 0:
            text_relieve(text)
        put_short_float(text, data + 4 * i)
    put_char(text, b"]")


def put_value(text: p_Text, scratch: p_Text, value: p_const_ColumnValue, texts: cython.p_const_char) -> cython.bint:
    kind: column_value.ValueKind = value.kind
    if kind == column_value.VALUE_INTEGER:
        put_both_ways(text, value.signed, value.unsigned)
    elif kind == column_value.VALUE_BYTES:
        put_quoted(text, value.data, value.size)
    elif kind == column_value.VALUE_DECIMAL:
        if not put_decimal(text, value.data, value.column.metadata >> 8, value.column.decimals):
            put_char(text, b"0")
    elif kind == column_value.VALUE_DATETIME:
        if value.column.kind == KIND_DATETIME:
            temporal_value.put_old_datetime(text, cython.address(value.moment))
        else:
            put_char(text, b"'")
            temporal_value.put_datetime(text, cython.address(value.moment), value.column.metadata)
            put_char(text, b"'")
    elif kind == column_value.VALUE_TIMESTAMP:
        temporal_value.put_timestamp(text, value.signed, value.moment.microsecond, value.column.metadata)
    elif kind == column_value.VALUE_TIME:
        put_char(text, b"'")
        if value.column.kind == KIND_TIME:
            temporal_value.put_old_time(text, cython.address(value.moment))
        else:
            temporal_value.put_time(text, cython.address(value.moment), value.column.metadata)
        put_char(text, b"'")
    elif kind == column_value.VALUE_DATE:
        put_char(text, b"'")
        temporal_value.put_date(text, cython.address(value.moment))
        put_char(text, b"'")
    elif kind == column_value.VALUE_YEAR:
        put_unsigned(text, value.unsigned if value.unsigned else 1900)
    elif kind == column_value.VALUE_ENUM:
        put_unsigned(text, value.unsigned)
    elif kind == column_value.VALUE_SET or kind == column_value.VALUE_BIT:
        put_bits(text, value.data, 8 * value.size if kind == column_value.VALUE_SET else value.unsigned)
    elif kind == column_value.VALUE_FLOAT:
        put_float(text, value.real)
    elif kind == column_value.VALUE_DOUBLE:
        put_double(text, value.real)
    elif kind == column_value.VALUE_JSON:
        return put_json_column(text, scratch, value.data, value.size)
    elif kind == column_value.VALUE_JSON_DIFF:
        # the column's prefix is "###   @1="
        put_json_diff(
            text, scratch, value.data, value.size, texts + value.column.prefix + 6, value.column.prefix_length - 7
        )
    elif kind == column_value.VALUE_FLOATS:
        put_floats(text, value.data, value.size)
    elif kind == column_value.VALUE_TRUNCATED:
        put_text(text, b"***Corrupted replication event was detected: field data is truncated; there are only ")
        put_unsigned(text, value.size)
        put_text(text, b" bytes left of the event. Not printing the value***\n")
        return False
    elif kind == column_value.VALUE_OPAQUE and value.column.shown:
        put_quoted(text, value.data, value.size)
    else:
        put_unreadable(text, value.column)
        return False
    return True


def put_extra(text: p_Text, fields: p_RowsFields) -> cython.bint:
    """Append the lines of the extra row info; False if the text ends with an error."""
    if fields.ndb_info != cython.NULL:
        length: cython.int = fields.ndb_info[0]
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
        put_char(text, b"\n")
    if fields.partition >= 0:
        put_text(text, b"### Extra row info for partitioning: ")
        if fields.kind == rows.ROWS_UPDATE:
            put_text(text, b"source_partition: ")
            put_unsigned(text, fields.source_partition)
            put_text(text, b" target_partition: ")
        else:
            put_text(text, b"partition: ")
        put_unsigned(text, fields.partition)
        put_char(text, b"\n")
    return True


def rows_begin(
    text: p_Text, maps: p_TableMaps, fields: p_RowsFields, verbosity: cython.int, cursor: cython.pointer(RowsCursor)
) -> cython.int:
    cursor.fields = fields
    cursor.at = fields.rows
    cursor.verbosity = verbosity
    if not put_extra(text, fields):
        return rows.ROWS_UNREADABLE
    map: p_TableMap = table_map.table_maps_get(maps, fields.table_id)
    if map == cython.NULL:
        put_text(text, b"### Row event for unknown table #")
        put_unsigned(text, fields.table_id)
        return rows.ROWS_UNREADABLE
    if fields.kind == rows.ROWS_WRITE and fields.rows_size == 0:
        put_text(text, b"### INSERT INTO `")
        put_name(text, map.fields.database, map.fields.database_length, maps.exact)
        put_bytes(text, b"`.`", 3)
        put_name(text, map.fields.table, map.fields.table_length, maps.exact)
        put_text(text, b"` VALUES ()\n")
        return rows.ROWS_DONE
    if not table_map_prepare(maps, map, verbosity):
        return rows.ROWS_NO_MEMORY
    return rows.ROWS_MORE


def put_piece(text: p_Text, piece: cython.p_const_char, length: cython.size_t) -> cython.void:
    """Append a piece of a map's texts. Most are short, and a copy of a fixed size is one instruction."""
    if length <= SHORT_PIECE and text_grow(text, SHORT_PIECE):
        memcpy(text.data + text.length, piece, SHORT_PIECE)
        text.length += length
    else:
        put_bytes(text, piece, length)


def put_image(
    text: p_Text, maps: p_TableMaps, map: p_TableMap, fields: p_RowsFields, at: octets, end: octets, after: cython.bint
) -> octets:
    """Append one row image, its SET or WHERE line included; return the place after it, or NULL if it cannot be read."""
    walk: row_image.ImageWalk
    value: column_value.ColumnValue
    column: p_const_Column = map.columns
    texts: cython.p_const_char = map.texts.data
    fault: row_image.ImageFault = row_image.image_begin(cython.address(walk), fields, map, at, end, after)
    if fault == row_image.IMAGE_OPTIONS:
        put_text(text, b"*** Error reading binlog_row_value_options from Partial_update_rows_log_event\n")
        return cython.NULL
    if fault == row_image.IMAGE_PARTIAL_COLUMNS:
        return cython.NULL
    if after or fields.kind == rows.ROWS_WRITE:
        put_bytes(text, b"### SET\n", 8)
    else:
        put_bytes(text, b"### WHERE\n", 10)
    if fault == row_image.IMAGE_NULLS and map.fields.column_count:
        put_bytes(text, texts + column.prefix, column.prefix_length)
        put_text(
            text, b"***Corrupted replication event was detected: field size is set to 0, but there are only 0 bytes "
        )
        put_text(text, b"left of the event. Not printing the value***\n")
        return cython.NULL
    while row_image.image_next(cython.address(walk), cython.address(value)):
        column = value.column
        if value.kind == column_value.VALUE_NULL and column.null_length:
            put_piece(text, texts + column.null_line, column.null_length)
            continue
        put_piece(text, texts + column.prefix, column.prefix_length)
        if not put_value(text, cython.address(maps.scratch), cython.address(value), texts):
            return cython.NULL
        put_piece(text, texts + column.suffix, column.suffix_length)
    return row_image.image_end(cython.address(walk))


def rows_more(text: p_Text, maps: p_TableMaps, cursor: cython.pointer(RowsCursor), limit: cython.size_t) -> cython.int:
    fields: p_RowsFields = cursor.fields
    map: p_TableMap = table_map.table_maps_get(maps, fields.table_id)
    start: cython.size_t = text.drained + text.length
    at: octets = cursor.at
    end: octets = fields.rows + fields.rows_size
    if map == cython.NULL or not table_map_prepare(maps, map, cursor.verbosity):
        return rows.ROWS_NO_MEMORY
    while at != end:
        if fields.kind == rows.ROWS_WRITE:
            put_bytes(text, b"### INSERT INTO ", 16)
        elif fields.kind == rows.ROWS_UPDATE:
            put_bytes(text, b"### UPDATE ", 11)
        else:
            put_bytes(text, b"### DELETE FROM ", 16)
        put_bytes(text, map.texts.data, map.name_length)
        put_char(text, b"\n")
        at = put_image(text, maps, map, fields, at, end, False)
        if at != cython.NULL and fields.kind == rows.ROWS_UPDATE:
            at = put_image(text, maps, map, fields, at, end, True)
        if at == cython.NULL:
            return rows.ROWS_UNREADABLE
        if text.failed or maps.scratch.failed:
            return rows.ROWS_NO_MEMORY
        if text.drained + text.length - start >= limit and at != end:
            cursor.at = at
            return rows.ROWS_MORE
    return rows.ROWS_DONE


def put_rows_in_portions(
    text: p_Text, maps: p_TableMaps, fields: p_RowsFields, verbosity: cython.int, limit: cython.size_t
) -> cython.int:
    cursor: RowsCursor
    result: cython.int = rows_begin(text, maps, fields, verbosity, cython.address(cursor))
    while result == rows.ROWS_MORE:
        result = rows_more(text, maps, cython.address(cursor), limit)
    return 0 if result == rows.ROWS_DONE else result


def rows_text(
    events: list[bytes], verbosity: cython.int = 1, repeat: cython.int = 1, limit: cython.size_t = 0
) -> list[bytes | int]:
    """Return the text of each event in turn; for a Table_map event, and for a row event that is corrupt, a number.

    The events are whole, with header and without checksum, in the formats that MySQL 5.1.6 and later write. A Table_map
    event gives 0, or -1 where it is corrupt. `repeat` writes the text that many times and returns it once, to measure;
    with a `limit` above 0 it is written in portions of about that many bytes.
    """
    maps: table_map.TableMaps
    text: Text
    format: Format
    fields: rows.RowsFields
    texts: list = []
    event: bytes
    result: cython.int = 0
    i: cython.int
    format_default(cython.address(format))
    table_map.table_maps_init(cython.address(maps))
    text_init(cython.address(text))
    try:
        for event in events:
            if len(event) >= COMMON_HEADER_LENGTH and event[4] == TABLE_MAP:
                texts.append(table_map.table_maps_put(cython.address(maps), cython.address(format), event, len(event)))
                continue
            for i in range(repeat):
                text.length = 0
                result = rows.rows_parse(cython.address(fields), cython.address(format), event, len(event))
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
        table_map.table_maps_free(cython.address(maps))
    return texts
