"""ImageRoute: where the values of an image are, computed once for many images; and the values that its reader needs.

Values of a fixed size that it does not need, and that are never NULL, are passed in one addition. Images of more than
64 columns, with an update of JSON or with columns of an unknown size have no route: they are read column by column.
"""

import cython
from cython.cimports.pybinlog.kernel.base.memory import LOOK_AFTER, is_interrupted, memset
from cython.cimports.pybinlog.kernel.rows import row_image
from cython.cimports.pybinlog.kernel.rows.column import KIND_INT64, KIND_INT8, KIND_PREFIXED, KIND_UNKNOWN
from cython.cimports.pybinlog.kernel.rows.column import KIND_UNREADABLE


def find_route(
    route: cython.pointer(ImageRoute),
    columns: p_const_Column,
    bitmap: octets,
    count: cython.size_t,
    slots: cython.pointer(cython.const[int16_t]),
    tested: cython.int,
) -> cython.void:
    i: cython.size_t
    bit: cython.int = 0
    route.count = 0
    route.tested = -1
    route.tested_bits = 0
    route.doubtful_bit = 0
    route.never_null = 0
    route.tail = 0
    route.usable = False
    for i in range(count):
        if not row_image.has_bit(bitmap, i):
            continue
        column: p_const_Column = columns + i
        if column.kind == KIND_UNKNOWN or column.kind == KIND_UNREADABLE:
            return
        if (slots == cython.NULL or slots[i] < 0) and column.kind != KIND_PREFIXED and not column.nullable:
            route.tail += column.size
            route.never_null |= cython.cast(uint64_t, 1) << bit
        else:
            stop: cython.pointer(Stop) = route.stops + route.count
            stop.lead = route.tail
            stop.size = column.size
            stop.slot = -1 if slots == cython.NULL else slots[i]
            stop.bit = cython.cast(uint8_t, bit)
            stop.prefixed = column.kind == KIND_PREFIXED
            stop.column = i
            if stop.slot >= 0 and stop.slot == tested:
                route.tested = route.count
                if KIND_INT8 <= column.kind <= KIND_INT64:
                    route.tested_bits = ~cython.cast(uint64_t, 0) >> (64 - 8 * column.size)
                    if column.signedness == SIGN_UNKNOWN:
                        route.doubtful_bit = route.tested_bits & ~(route.tested_bits >> 1)
            route.count += 1
            route.tail = 0
        bit += 1
    route.null_bytes = (bit + 7) // 8
    route.usable = bit > 0


def route_of(
    route: cython.pointer(ImageRoute),
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    bitmap: octets,
    slots: cython.pointer(cython.const[int16_t]),
    slot_count: cython.size_t,
    tested: cython.int,
) -> p_const_ImageRoute:
    count: cython.size_t = fields.column_count
    if fields.partial or not 0 < count <= MOST_STOPS or count != map.fields.column_count or count != slot_count:
        return cython.NULL
    present: uint64_t = bits_at(bitmap, (count + 7) // 8)
    if route.map_number != map.first_number or route.columns != map.columns or route.present != present:
        route.map_number = map.first_number
        route.columns = map.columns
        route.present = present
        find_route(route, map.columns, bitmap, count, slots, tested)
    return route if route.usable else cython.NULL


def follow_route(route: p_const_ImageRoute, at: octets, end: octets, values: cython.pointer(ImageValues)) -> octets:
    """Read an image along its route; NULL also for an image that needs a closer look."""
    nulls: uint64_t = 0
    stop: cython.pointer(cython.const[Stop]) = route.stops
    last: cython.pointer(cython.const[Stop]) = stop + route.count
    at = route_begin(route, at, end, cython.address(nulls))
    if at == cython.NULL:
        return cython.NULL
    left: int64_t = end - at
    while stop != last:
        if stop.slot < 0:
            left = skip_stop(stop, nulls, end, left)
        else:
            left -= stop.lead
            if left < 0:
                return cython.NULL
            values.states[stop.slot] = PRESENT
            value: cython.pointer(ColumnValue) = cython.address(values.values[stop.slot])
            value.column = route.columns + stop.column
            value.number = stop.column + 1
            if nulls >> stop.bit & 1:
                value.kind = VALUE_NULL
            else:
                left = end - row_image.read_value(value, end - left, end, False)
                if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                    return cython.NULL
        stop += 1
    left -= route.tail
    return cython.NULL if left < 0 else end - left


def load_image(
    route: p_const_ImageRoute,
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    slots: cython.pointer(cython.const[int16_t]),
    slot_count: cython.size_t,
    at: octets,
    end: octets,
    after: cython.bint,
    values: cython.pointer(ImageValues),
) -> octets:
    walk: row_image.ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    found: octets = cython.NULL
    if route != cython.NULL:
        found = follow_route(route, at, end, values)
        if found != cython.NULL:
            return found
    if row_image.image_begin(cython.address(walk), fields, map, at, end, after) != row_image.IMAGE_READ:
        return cython.NULL
    while True:
        column: p_const_Column = row_image.image_column(
            cython.address(walk), cython.address(null), cython.address(partial)
        )
        if column == cython.NULL:
            return row_image.image_end(cython.address(walk))
        slot: cython.int = slots[walk.next - 1] if walk.next <= slot_count else -1
        if slot >= 0:
            values.states[slot] = PRESENT
            value: cython.pointer(ColumnValue) = cython.address(values.values[slot])
            value.column = column
            value.number = walk.next
            if null:
                value.kind = VALUE_NULL
            else:
                walk.at = row_image.read_value(value, walk.at, end, partial)
                if value.kind == VALUE_TRUNCATED or value.kind == VALUE_UNREADABLE:
                    return cython.NULL
        elif not null:
            walk.at = row_image.skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL


def pass_image(
    route: p_const_ImageRoute,
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    after: cython.bint,
) -> octets:
    """Do as `skip_image`, by the route if there is one."""
    nulls: uint64_t = 0
    values: octets = cython.NULL if route == cython.NULL else route_begin(route, at, end, cython.address(nulls))
    if values == cython.NULL:
        return row_image.skip_image(fields, map, at, end, after)
    stop: cython.pointer(cython.const[Stop]) = route.stops
    last: cython.pointer(cython.const[Stop]) = stop + route.count
    left: int64_t = end - values
    while stop != last:
        left = skip_stop(stop, nulls, end, left)
        stop += 1
    left -= route.tail
    return cython.NULL if left < 0 else end - left


def count_rows(
    routes: cython.pointer(ImageRoute), fields: p_const_RowsFields, map: p_const_TableMap, looks: cython.bint
) -> int64_t:
    at: octets = fields.rows
    end: octets = fields.rows + fields.rows_size
    count: int64_t = 0
    look: octets = at + LOOK_AFTER
    columns: cython.size_t = map.fields.column_count
    updates: cython.bint = fields.kind == ROWS_UPDATE
    route = route_of(routes + fields.kind, fields, map, fields.columns, cython.NULL, columns, -1)
    route_after = route
    if updates:
        route_after = route_of(routes + 3, fields, map, fields.columns_after, cython.NULL, columns, -1)
    while at != end:
        at = pass_image(route, fields, map, at, end, False)
        if at != cython.NULL and updates:
            at = pass_image(route_after, fields, map, at, end, True)
        if at == cython.NULL:
            return -1
        count += 1
        if at >= look:
            look = at + LOOK_AFTER
            if looks and is_interrupted():
                return COUNT_INTERRUPTED
    return count


def rows_fit(fields: p_const_RowsFields, maps: p_TableMaps):
    routes: ImageRoute[4]
    map: p_const_TableMap = table_maps_get(maps, fields.table_id)
    if map == cython.NULL or map.columns == cython.NULL:
        return True
    memset(routes, 0, cython.sizeof(routes))
    return count_rows(routes, fields, map, False) >= 0
