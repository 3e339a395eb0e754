# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row events as pseudo-SQL, a statement for each row, in comment lines that begin with ###.

A row image is a bitmap of nulls, a bit for each column that the event's columns-present bitmap holds, and then the
values. An image that cannot be read on ends the event's text, with a remark in the reference's words.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.rows is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.pybinlog.kernel.base.event import (
    COMMON_HEADER_LENGTH,
    DELETE_ROWS,
    DELETE_ROWS_V0,
    DELETE_ROWS_V1,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_DELETE_ROWS_COMPRESSED_V1,
    MARIA_UPDATE_ROWS_COMPRESSED,
    MARIA_UPDATE_ROWS_COMPRESSED_V1,
    MARIA_WRITE_ROWS_COMPRESSED,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    PARTIAL_UPDATE_ROWS,
    TABLE_MAP,
    UPDATE_ROWS,
    UPDATE_ROWS_V0,
    UPDATE_ROWS_V1,
    WRITE_ROWS,
    WRITE_ROWS_V0,
    WRITE_ROWS_V1,
)
from cython.cimports.pybinlog.kernel.base.format import Format, format_default, read_u16, read_u32, read_u48
from cython.cimports.pybinlog.kernel.base.name import put_name
from cython.cimports.pybinlog.kernel.base.packed import count_bits, has_bit, octets, read_packed
from cython.cimports.pybinlog.kernel.base.text import (
    Text,
    put_bytes,
    put_char,
    put_text,
    put_unsigned,
    text_free,
    text_init,
    text_take,
)
from cython.cimports.pybinlog.kernel.rows.column import table_map_prepare
from cython.cimports.pybinlog.kernel.rows.column_value import put_column_value, put_null_value
from cython.cimports.pybinlog.kernel.rows.table_map import (
    TYPE_JSON,
    Column,
    TableMap,
    TableMaps,
    table_maps_free,
    table_maps_get,
    table_maps_init,
    table_maps_put,
)

EXTRA_NDB = cython.declare(cython.int, 0)
EXTRA_PARTITION = cython.declare(cython.int, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_kind(fields: cython.pointer(RowsFields), type: uint8_t) -> cython.int:
    """Set the kind; the return is the version: 0, 1 or 2, or -1 for what is no row event."""
    fields.partial = type == PARTIAL_UPDATE_ROWS
    fields.kind = ROWS_UPDATE
    if type in (WRITE_ROWS, WRITE_ROWS_V1, WRITE_ROWS_V0, MARIA_WRITE_ROWS_COMPRESSED, MARIA_WRITE_ROWS_COMPRESSED_V1):
        fields.kind = ROWS_WRITE
    elif type in (
        DELETE_ROWS,
        DELETE_ROWS_V1,
        DELETE_ROWS_V0,
        MARIA_DELETE_ROWS_COMPRESSED,
        MARIA_DELETE_ROWS_COMPRESSED_V1,
    ):
        fields.kind = ROWS_DELETE
    if WRITE_ROWS <= type <= DELETE_ROWS or type == PARTIAL_UPDATE_ROWS:
        return 2
    if MARIA_WRITE_ROWS_COMPRESSED <= type <= MARIA_DELETE_ROWS_COMPRESSED:
        return 2
    if WRITE_ROWS_V1 <= type <= DELETE_ROWS_V1:
        return 1
    if MARIA_WRITE_ROWS_COMPRESSED_V1 <= type <= MARIA_DELETE_ROWS_COMPRESSED_V1:
        return 1
    return 0 if WRITE_ROWS_V0 <= type <= DELETE_ROWS_V0 else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_extra(fields: cython.pointer(RowsFields), at: octets, end: octets) -> cython.bint:
    """The extra row info of a version 2 event: the first NDB part, and the partitions; an unknown part ends it."""
    part: cython.int
    while at != end:
        part = at[0]
        at += 1
        if part == EXTRA_NDB:
            if at == end or at[0] > cython.cast(cython.size_t, end - at):
                return False
            if fields.ndb_info == cython.NULL:
                fields.ndb_info = at
            at += at[0]
        elif part == EXTRA_PARTITION:
            if end - at < (4 if fields.kind == ROWS_UPDATE else 2):
                return False
            fields.partition = read_u16(at)
            at += 2
            if fields.kind == ROWS_UPDATE:
                fields.source_partition = read_u16(at)
                at += 2
        else:
            return True
    return True


def rows_parse(fields, format, event, size):
    at: octets = event + COMMON_HEADER_LENGTH
    end: octets = event + size
    version: cython.int
    id_size: cython.size_t
    post_header: uint8_t
    extra: cython.size_t
    count: uint64_t
    bitmap: cython.size_t
    memset(fields, 0, cython.sizeof(RowsFields))
    fields.partition = -1
    fields.source_partition = -1
    if size < COMMON_HEADER_LENGTH + 8:
        return ROWS_CORRUPT
    version = read_kind(fields, event[4])
    if version < 0:
        return ROWS_CORRUPT
    post_header = format.post_header_length[event[4]]
    if post_header == 255:
        post_header = 10 if version == 2 else 8
    id_size = 4 if post_header == 6 else 6
    fields.table_id = read_u32(at) if id_size == 4 else read_u48(at)
    fields.flags = read_u16(at + id_size)
    at += id_size + 2
    if post_header == 10:
        if end - at < 2:
            return ROWS_CORRUPT
        extra = read_u16(at)
        if extra < 2 or extra > cython.cast(cython.size_t, end - at) or not read_extra(fields, at + 2, at + extra):
            return ROWS_CORRUPT
        at += extra
    if not read_packed(cython.address(at), end, cython.address(count)):
        return ROWS_CORRUPT
    bitmap = count // 8 + (1 if count & 7 else 0)
    if count == 0 or bitmap > cython.cast(cython.size_t, end - at):
        return ROWS_CORRUPT
    fields.column_count = count
    fields.columns = at
    fields.columns_after = at
    at += bitmap
    if fields.kind == ROWS_UPDATE and version > 0:
        if bitmap > cython.cast(cython.size_t, end - at):
            return ROWS_CORRUPT
        fields.columns_after = at
        at += bitmap
    fields.null_bytes = (count_bits(fields.columns, count) + 7) // 8
    fields.null_bytes_after = (count_bits(fields.columns_after, count) + 7) // 8
    fields.rows = at
    fields.rows_size = end - at
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_extra(text: cython.pointer(Text), fields: cython.pointer(RowsFields)) -> cython.bint:
    """The lines of the extra row info; False where the text ends with an error."""
    i: cython.int
    length: cython.int
    digits: cython.p_const_char = b"0123456789ABCDEF"
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
        for i in range(2, length):
            put_char(text, digits[fields.ndb_info[i] >> 4])
            put_char(text, digits[fields.ndb_info[i] & 15])
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
@cython.nogil
@cython.exceptval(check=False)
def put_image(
    text: cython.pointer(Text),
    maps: cython.pointer(TableMaps),
    map: cython.pointer(TableMap),
    fields: cython.pointer(RowsFields),
    at: octets,
    end: octets,
    after: cython.bint,
) -> octets:
    """One row image, its SET or WHERE line included; the place after it, or NULL where it cannot be read."""
    head: ImageHead
    fault: ImageFault
    column: cython.pointer(Column) = map.columns
    texts: cython.p_const_char = map.texts.data
    partial: cython.bint
    partial_bit: cython.size_t = 0
    null_bit: cython.size_t = 0
    i: cython.size_t
    start: octets = at
    fault = read_image_head(cython.address(head), fields, map, at, end, after)
    if fault == IMAGE_OPTIONS:
        put_text(text, b"*** Error reading binlog_row_value_options from Partial_update_rows_log_event\n")
        return cython.NULL
    if fault == IMAGE_PARTIAL_COLUMNS:
        return cython.NULL
    at = head.values
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
    for i in range(head.column_count):
        partial = False
        if head.partial_columns != cython.NULL and column.type == TYPE_JSON:
            partial = has_bit(head.partial_columns, partial_bit)
            partial_bit += 1
        if has_bit(head.columns, i):
            if has_bit(head.nulls, null_bit):
                if column.null_length:
                    put_bytes(text, texts + column.null_line, column.null_length)
                else:
                    put_bytes(text, texts + column.prefix, column.prefix_length)
                    put_null_value(text, column)
                    return cython.NULL
            else:
                put_bytes(text, texts + column.prefix, column.prefix_length)
                at = put_column_value(text, column, at, end, cython.address(maps.scratch), i + 1, partial)
                if at == cython.NULL:
                    return cython.NULL
                put_bytes(text, texts + column.suffix, column.suffix_length)
            null_bit += 1
        column += 1
    return at if at != start else cython.NULL


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


def put_rows(text, maps, fields, verbosity):
    return put_rows_in_portions(text, maps, fields, verbosity, cython.cast(cython.size_t, -1))


def put_rows_text(text, maps, format, event, size, verbosity):
    fields: RowsFields
    if rows_parse(cython.address(fields), format, event, size) != 0:
        return ROWS_CORRUPT
    return put_rows(text, maps, cython.address(fields), verbosity)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_rows_in_portions(
    text: cython.pointer(Text),
    maps: cython.pointer(TableMaps),
    fields: cython.pointer(RowsFields),
    verbosity: cython.int,
    limit: cython.size_t,
) -> cython.int:
    cursor: RowsCursor
    result: cython.int = rows_begin(text, maps, fields, verbosity, cython.address(cursor))
    while result == ROWS_MORE:
        result = rows_more(text, maps, cython.address(cursor), limit)
    return 0 if result == ROWS_DONE else result


def rows_text(
    events: list[bytes], verbosity: cython.int = 1, repeat: cython.int = 1, limit: cython.size_t = 0
) -> list[bytes | int]:
    """The text of each event in turn; for a Table_map event, and for a row event that is corrupt, a number.

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
