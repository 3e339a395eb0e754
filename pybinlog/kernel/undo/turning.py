# distutils: extra_compile_args = -O2
"""Turning: how the row events of one table, kind, flags and columns are turned; worked out for the first of them.

An after image may have fewer columns than the before image (FULL_NODUP): then the values of both are put together.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.fields import table_id_size
from cython.cimports.pybinlog.kernel.base.memory import free, malloc, memcmp, memcpy, memset
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from
from cython.cimports.pybinlog.kernel.rows import row_image

KEPT_FLAGS = cython.declare(cython.int, event.RELAXED_UNIQUE_CHECKS_F | event.COMPLETE_ROWS_F)


def turnings_clear(turnings: cython.pointer(Turnings)):
    i: cython.size_t
    for i in range(turnings.count):
        free(turnings.of[i].data)
    turnings.count = 0
    memset(cython.address(turnings.slots[0]), 0, cython.sizeof(turnings.slots))


def first_slot(map: p_const_TableMap, kind: cython.int) -> cython.size_t:
    return (map.first_number * 7 + kind * 131) & (TURNING_SLOTS - 1)


def turnings_find(
    turnings: cython.pointer(Turnings), fields: p_const_RowsFields, map: p_const_TableMap, definitions: uint64_t
) -> cython.pointer(Turning):
    slot: cython.size_t = first_slot(map, fields.kind)
    size: cython.size_t = (fields.column_count + 7) // 8
    while turnings.slots[slot]:
        found = cython.address(turnings.of[turnings.slots[slot] - 1])
        if (
            found.map_number == map.first_number
            and found.definitions == definitions
            and found.kind == fields.kind
            and found.partial == fields.partial
            and found.flags == fields.flags
            and found.bitmap_size == size
            and memcmp(found.columns, fields.columns, size) == 0
            and memcmp(found.columns_after, fields.columns_after, size) == 0
        ):
            return found
        slot = (slot + 1) & (TURNING_SLOTS - 1)
    return cython.NULL


@cython.cfunc
def without_documents(columns: bytes, map: p_TableMap) -> bytes:
    """Return the bits of columns without those of JSON, whose values are not known after a partial update."""
    bits = int.from_bytes(columns, "little")
    i: cython.size_t
    for i in range(map.fields.column_count):
        if map.columns[i].type == TYPE_JSON:
            bits &= ~(1 << i)
    return bits.to_bytes(len(columns), "little")


def turnings_add(
    turnings: cython.pointer(Turnings),
    fields: p_const_RowsFields,
    map: p_TableMap,
    format: p_const_Format,
    definitions: uint64_t,
) -> cython.pointer(Turning):
    size: cython.size_t = (fields.column_count + 7) // 8
    version_1: cython.bint = format.mariadb or format.post_header_length[WRITE_ROWS] != 10
    flags: cython.int = event.STMT_END_F | event.NO_FOREIGN_KEY_CHECKS_F | (fields.flags & KEPT_FLAGS)
    id_size: cython.int = table_id_size(format.post_header_length[TABLE_MAP])
    table_map: bytes = bytes_from(map.body, map.body_size)
    columns: bytes = bytes_from(fields.columns, size)
    after: bytes = bytes_from(fields.columns_after, size)
    wanted: bytes = without_documents(columns, map) if fields.partial else columns
    count: cython.size_t = fields.column_count
    head: bytes = table_map[:id_size] + flags.to_bytes(2, "little")
    if not version_1:
        head += b"\2\0"  # no extra information
    head += bytes([count]) if count < 251 else b"\xfc" + count.to_bytes(2, "little")
    head += wanted + (columns if fields.kind == ROWS_UPDATE else b"")
    whole: bytes = columns + after + wanted + head + table_map
    source: cython.p_const_char = whole
    found = cython.address(turnings.of[turnings.count])
    memset(found, 0, cython.sizeof(Turning))
    found.data = cython.cast(cython.pointer(uint8_t), malloc(len(whole)))
    if found.data == cython.NULL:
        raise MemoryError
    memcpy(found.data, source, len(whole))
    found.map_number = map.first_number
    found.definitions = definitions
    found.partial = fields.partial
    found.flags = fields.flags
    found.bitmap_size = size
    found.columns = found.data
    found.columns_after = found.columns + size
    found.wanted = found.columns_after + size
    found.head = found.wanted + size
    found.head_size = len(head)
    found.table_map = found.head + len(head)
    found.table_map_size = len(table_map)
    present = int.from_bytes(wanted, "little") & (1 << count) - 1  # the bits behind the last column may be set
    found.null_bytes = (present.bit_count() + 7) // 8
    found.kind = fields.kind
    found.same_columns = columns == after and not fields.partial
    if fields.kind == ROWS_WRITE:
        found.type = event.DELETE_ROWS_V1 if version_1 else event.DELETE_ROWS
    elif fields.kind == ROWS_DELETE:
        found.type = event.WRITE_ROWS_V1 if version_1 else WRITE_ROWS
    else:
        found.type = event.UPDATE_ROWS_V1 if version_1 else event.UPDATE_ROWS
    slot: cython.size_t = first_slot(map, fields.kind)
    while turnings.slots[slot]:
        slot = (slot + 1) & (TURNING_SLOTS - 1)
    turnings.count += 1
    turnings.slots[slot] = turnings.count
    return found


def put_merged_image(
    text: p_Text,
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    before: octets,
    after: octets,
    end: octets,
    wanted: octets,
    null_bytes: cython.size_t,
) -> cython.bint:
    below: row_image.ImageWalk
    above: row_image.ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    nulls: cython.size_t = text.length
    place: cython.size_t = 0
    if (
        row_image.image_begin(cython.address(below), fields, map, before, end, False) != row_image.IMAGE_READ
        or row_image.image_begin(cython.address(above), fields, map, after, end, True) != row_image.IMAGE_READ
        or not text_grow(text, null_bytes)
    ):
        return False
    memset(text.data + nulls, 0, null_bytes)
    text.length += null_bytes
    while True:
        column = row_image.image_column(cython.address(below), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return True
        start: octets = below.at
        if not null:
            below.at = row_image.skip_value(column, below.at, end)
            if below.at == cython.NULL:
                return False
        if row_image.has_bit(above.columns, below.next - 1):
            column = row_image.image_column(cython.address(above), cython.address(null), cython.address(partial))
            start = above.at
            if not null:
                above.at = row_image.skip_value(column, above.at, end)
                if above.at == cython.NULL:
                    return False
        if not row_image.has_bit(wanted, below.next - 1):
            continue
        if null:
            text.data[nulls + place // 8] |= cython.cast(cython.char, 1 << (place % 8))
        else:
            size: cython.size_t = (above.at if row_image.has_bit(above.columns, below.next - 1) else below.at) - start
            if not text_grow(text, size):
                return False
            memcpy(text.data + text.length, start, size)
            text.length += size
        place += 1
