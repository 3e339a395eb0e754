"""Table maps: which table and which columns a table id stands for, until another event says otherwise.

A server sends a Table_map event before the rows of each statement, mostly the same one again; a repeated one costs a
comparison. The maps are bounded in number and memory, the ones put longest ago go first, since row events follow
their table map within the statement.
"""

import cython
from cython.cimports.pybinlog.kernel.base.fields import table_id_of, table_id_size
from cython.cimports.pybinlog.kernel.base.little_endian import read_lenenc, read_u16
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, malloc, memcmp, memcpy, memset

MOST_COLUMNS = cython.declare(uint64_t, 65535)  # a server's tables have at most 4096
MOST_MAPS = cython.declare(cython.size_t, 4096)
MOST_MEMORY = cython.declare(cython.size_t, 16 * 1024 * 1024)
FIRST_SLOTS = cython.declare(cython.size_t, 64)


def read_block(
    at: cython.pointer(octets), end: octets, data: cython.pointer(octets), size: cython.pointer(cython.size_t)
) -> cython.bint:
    length: uint64_t
    if not read_lenenc(at, end, cython.address(length)) or length > cython.cast(uint64_t, end - at[0]):
        return False
    data[0] = at[0]
    size[0] = length
    at[0] += length
    return True


def read_name(
    at: cython.pointer(octets), end: octets, name: cython.pointer(octets), length: cython.pointer(cython.size_t)
) -> cython.bint:
    """Read a name with its length before it and a null byte after it."""
    if not read_block(at, end, name, length) or at[0] == end:
        return False
    at[0] += 1
    return True


def table_map_parse(
    fields: cython.pointer(TableMapFields), format: p_const_Format, event: octets, size: cython.size_t
) -> cython.int:
    """Fill `fields` from a whole Table_map event; -1 if a length in it leads out of the event."""
    at: octets = event + COMMON_HEADER_LENGTH
    id_size: cython.size_t = table_id_size(format.post_header_length[TABLE_MAP])
    memset(fields, 0, cython.sizeof(TableMapFields))
    if size < COMMON_HEADER_LENGTH + id_size + 2:
        return -1
    fields.table_id = table_id_of(at, id_size)
    fields.flags = read_u16(at + id_size)
    return table_map_parse_names(fields, at + id_size + 2, event + size)


def table_map_parse_names(fields: cython.pointer(TableMapFields), at: octets, end: octets) -> cython.int:
    """Fill in the fields from the database's name on."""
    count: uint64_t
    if (
        not read_name(cython.address(at), end, cython.address(fields.database), cython.address(fields.database_length))
        or not read_name(cython.address(at), end, cython.address(fields.table), cython.address(fields.table_length))
        or not read_lenenc(cython.address(at), end, cython.address(count))
        or count > cython.cast(uint64_t, end - at)
        or count > MOST_COLUMNS
    ):
        return -1
    fields.column_count = count
    fields.types = at
    at += count
    if at == end:
        return 0
    if (
        not read_block(cython.address(at), end, cython.address(fields.metadata), cython.address(fields.metadata_size))
        or fields.metadata_size > count * 4
        or (count + 7) // 8 > cython.cast(uint64_t, end - at)
    ):
        return -1
    fields.null_bits = at
    at += (count + 7) // 8
    fields.optional = at
    fields.optional_size = end - at
    return 0


def find_optional(
    fields: cython.pointer(cython.const[TableMapFields]),
    type: cython.int,
    value: cython.pointer(octets),
    value_end: cython.pointer(octets),
):
    at: octets = fields.optional
    end: octets = at + fields.optional_size
    data: octets
    size: cython.size_t
    value[0] = end
    value_end[0] = end
    while at != end:
        found: cython.int = at[0]
        at += 1
        # Nothing after an impossible length is read.
        if not read_block(cython.address(at), end, cython.address(data), cython.address(size)):
            return
        if found == type:
            value[0] = data
            value_end[0] = data + size


def table_maps_init(maps: p_TableMaps):
    memset(maps, 0, cython.sizeof(TableMaps))


def table_map_free(map: p_TableMap):
    free(map.body)
    free(map.lent)
    free(map.columns)
    text_free(cython.address(map.texts))
    free(map.labels)
    text_free(cython.address(map.label_text))
    text_free(cython.address(map.member_ends))
    free(map)


def table_maps_clear(maps: p_TableMaps):
    i: cython.size_t
    for i in range(maps.slot_count):
        if maps.slots[i] != cython.NULL:
            table_map_free(maps.slots[i])
    free(maps.slots)
    maps.slots = cython.NULL
    maps.slot_count = 0
    maps.count = 0
    maps.memory = 0


def table_maps_free(maps: p_TableMaps):
    table_maps_clear(maps)
    text_free(cython.address(maps.scratch))


def find_slot(maps: p_TableMaps, table_id: uint64_t) -> cython.size_t:
    """Return the slot that holds the table id, or a free one for it."""
    mask: cython.size_t = maps.slot_count - 1
    slot: cython.size_t = (
        cython.cast(cython.size_t, (table_id * cython.cast(uint64_t, 0x9E3779B97F4A7C15)) >> 32) & mask
    )
    while maps.slots[slot] != cython.NULL and maps.slots[slot].fields.table_id != table_id:
        slot = (slot + 1) & mask
    return slot


def table_maps_get(maps: p_TableMaps, table_id: uint64_t) -> p_TableMap:
    if maps.slot_count == 0:
        return cython.NULL
    return maps.slots[find_slot(maps, table_id)]


def rebuild(maps: p_TableMaps, slot_count: cython.size_t, oldest: uint64_t) -> cython.bint:
    """Make new slots for all maps whose put number is at least `oldest`; drop the others.

    False if there is no memory.
    """
    old: cython.pointer(p_TableMap) = maps.slots
    old_count: cython.size_t = maps.slot_count
    i: cython.size_t
    slots: cython.pointer(p_TableMap) = cython.cast(
        cython.pointer(p_TableMap), calloc(slot_count, cython.sizeof(cython.p_void))
    )
    if slots == cython.NULL:
        return False
    maps.slots = slots
    maps.slot_count = slot_count
    for i in range(old_count):
        map: p_TableMap = old[i]
        if map == cython.NULL:
            continue
        if map.put_number < oldest:
            maps.count -= 1
            maps.memory -= map.memory
            table_map_free(map)
        else:
            slots[find_slot(maps, map.fields.table_id)] = map
    free(old)
    return True


def table_maps_remove(maps: p_TableMaps, table_id: uint64_t):
    map: p_TableMap = table_maps_get(maps, table_id)
    if map == cython.NULL:
        return
    mask: cython.size_t = maps.slot_count - 1
    slot: cython.size_t = find_slot(maps, table_id)
    maps.slots[slot] = cython.NULL
    maps.count -= 1
    maps.memory -= map.memory
    table_map_free(map)
    # Those after it may have been put there because its slot was taken.
    slot = (slot + 1) & mask
    while maps.slots[slot] != cython.NULL:
        map = maps.slots[slot]
        maps.slots[slot] = cython.NULL
        maps.slots[find_slot(maps, map.fields.table_id)] = map
        slot = (slot + 1) & mask


def table_maps_put(maps: p_TableMaps, format: p_const_Format, event: octets, size: cython.size_t) -> cython.int:
    fields: TableMapFields
    map: p_TableMap
    body: octets = event + COMMON_HEADER_LENGTH
    body_size: cython.size_t = size - COMMON_HEADER_LENGTH
    id_size: cython.size_t = table_id_size(format.post_header_length[TABLE_MAP])
    if size >= COMMON_HEADER_LENGTH + id_size:
        # a map that is there has been parsed
        map = table_maps_get(maps, table_id_of(body, id_size))
        if (
            map != cython.NULL
            and map.body_size == body_size
            and map.post_header == format.post_header_length[TABLE_MAP]
            and map.header_length == format.header_length
            and memcmp(map.body, body, body_size) == 0
        ):
            maps.put_number += 1
            map.put_number = maps.put_number
            return 0
    if table_map_parse(cython.address(fields), format, event, size) != 0:
        return -1
    maps.put_number += 1
    table_maps_remove(maps, fields.table_id)
    keep: cython.size_t = MOST_MAPS
    while maps.count > 1 and (maps.count >= keep or maps.memory > MOST_MEMORY):
        # Row events follow their table map within the statement, so the half put last is more than enough.
        keep = keep // 2
        if not rebuild(maps, maps.slot_count, maps.put_number - keep if maps.put_number > keep else 0):
            return -2
    if (maps.count + 1) * 2 > maps.slot_count and not rebuild(
        maps, maps.slot_count * 2 if maps.slot_count else FIRST_SLOTS, 0
    ):
        return -2

    map = cython.cast(p_TableMap, calloc(1, cython.sizeof(TableMap)))
    if map == cython.NULL:
        return -2
    map.body = cython.cast(cython.pointer(uint8_t), malloc(body_size))
    if map.body == cython.NULL:
        free(map)
        return -2
    memcpy(map.body, body, body_size)
    map.body_size = body_size
    map.mariadb = format.mariadb
    map.header_length = format.header_length
    map.post_header = format.post_header_length[TABLE_MAP]
    table_map_parse(cython.address(map.fields), format, map.body - COMMON_HEADER_LENGTH, size)
    map.memory = cython.sizeof(TableMap) + body_size
    map.first_number = map.put_number = maps.put_number
    maps.slots[find_slot(maps, map.fields.table_id)] = map
    maps.count += 1
    maps.memory += map.memory
    return 0


def table_maps_differ(maps: p_TableMaps, format: p_const_Format, event: octets, size: cython.size_t) -> cython.bint:
    body: octets = event + COMMON_HEADER_LENGTH
    body_size: cython.size_t = size - COMMON_HEADER_LENGTH
    id_size: cython.size_t = table_id_size(format.post_header_length[TABLE_MAP])
    if size < COMMON_HEADER_LENGTH + id_size:
        return False
    map: p_TableMap = table_maps_get(maps, table_id_of(body, id_size))
    return map != cython.NULL and not (map.body_size == body_size and memcmp(map.body, body, body_size) == 0)


def table_maps_copy(
    maps: p_TableMaps, other: cython.pointer(cython.const[TableMaps]), format: p_const_Format
) -> cython.bint:
    i: cython.size_t
    table_maps_clear(maps)
    maps.named = other.named
    maps.exact = other.exact
    for i in range(other.slot_count):
        map: p_TableMap = other.slots[i]
        if map == cython.NULL:
            continue
        status: cython.int = table_maps_put(
            maps, format, map.body - COMMON_HEADER_LENGTH, map.body_size + COMMON_HEADER_LENGTH
        )
        if status == -2:
            return False
        if (
            status == 0
            and map.lent != cython.NULL
            and not table_maps_lend(maps, table_maps_get(maps, map.fields.table_id), map.lent, map.fields.optional_size)
        ):
            return False
    return True


def label_memory(map: p_const_TableMap) -> cython.size_t:
    return (
        (map.fields.column_count + 1) * cython.sizeof(ColumnLabel) + map.label_text.capacity + map.member_ends.capacity
    )


def table_map_unlabel(maps: p_TableMaps, map: p_TableMap):
    if map.labels == cython.NULL:
        return
    memory: cython.size_t = label_memory(map)
    map.memory -= memory
    maps.memory -= memory
    free(map.labels)
    map.labels = cython.NULL
    text_free(cython.address(map.label_text))
    text_free(cython.address(map.member_ends))


def table_maps_lend(maps: p_TableMaps, map: p_TableMap, optional: octets, size: cython.size_t) -> cython.bint:
    copy: cython.pointer(uint8_t) = cython.NULL
    if not size and map.lent == cython.NULL:
        return True
    if size:
        copy = cython.cast(cython.pointer(uint8_t), malloc(size))
        if copy == cython.NULL:
            return False
        memcpy(copy, optional, size)
    table_map_unlabel(maps, map)
    maps.memory -= map.memory
    if map.lent != cython.NULL:
        map.memory -= map.fields.optional_size
        free(map.lent)
    map.lent = copy
    if copy != cython.NULL:
        map.memory += size
        map.fields.optional = copy
        map.fields.optional_size = size
    else:
        null_bits_end: octets = map.fields.null_bits + (map.fields.column_count + 7) // 8
        map.fields.optional = null_bits_end
        map.fields.optional_size = map.body + map.body_size - null_bits_end
    if map.columns != cython.NULL:
        # they were made with what the metadata said before
        map.memory -= (map.fields.column_count + 1) * cython.sizeof(Column)
        free(map.columns)
        map.columns = cython.NULL
    maps.memory += map.memory
    return True
