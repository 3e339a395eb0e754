"""Row images skipped or compared; row_image.pxd has the walk over their values, here only where one ends matters.

A row image is a bitmap of nulls, a bit for each column that the event's columns-present bitmap holds, and then the
values.
"""

import cython


def skip_image(
    fields: p_const_RowsFields, map: p_const_TableMap, at: octets, end: octets, after: cython.bint
) -> octets:
    walk: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    while True:
        column: p_const_Column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return image_end(cython.address(walk))
        if not null:
            walk.at = skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL


def note_places(
    fields: p_const_RowsFields,
    map: p_const_TableMap,
    at: octets,
    end: octets,
    after: cython.bint,
    columns: uint64_t,
    places: cython.pointer(ValuePlace),
) -> octets:
    """Note the places of the values of columns in an image; return the place after it, or NULL if it is unreadable."""
    walk: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    memset(places, 0, WATCHED_COLUMNS * cython.sizeof(ValuePlace))
    if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    while True:
        column: p_const_Column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return image_end(cython.address(walk))
        start: octets = walk.at
        if not null:
            walk.at = skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL
        if walk.next <= WATCHED_COLUMNS and columns >> (walk.next - 1) & 1:
            place: cython.pointer(ValuePlace) = places + (walk.next - 1)
            place.present = True
            place.start = cython.NULL if null else start
            place.size = walk.at - start


def add_changed_columns(
    fields: p_const_RowsFields, map: p_const_TableMap, columns: uint64_t, changed: cython.pointer(uint64_t)
) -> cython.bint:
    before: ValuePlace[WATCHED_COLUMNS]
    after: ValuePlace[WATCHED_COLUMNS]
    i: cython.size_t
    at: octets = fields.rows
    end: octets = fields.rows + fields.rows_size
    look: octets = until_look(at, end)
    while at != end and changed[0] != columns:
        at = note_places(fields, map, at, end, False, columns, before)
        if at != cython.NULL:
            at = note_places(fields, map, at, end, True, columns, after)
        if at == cython.NULL:
            return True
        for i in range(WATCHED_COLUMNS):
            old: cython.pointer(ValuePlace) = before + i
            new: cython.pointer(ValuePlace) = after + i
            if new.present and (
                not old.present
                or (old.start == cython.NULL) != (new.start == cython.NULL)
                or old.size != new.size
                or (new.start != cython.NULL and memcmp(old.start, new.start, new.size) != 0)
            ):
                changed[0] |= cython.cast(uint64_t, 1) << i
        if at >= look:
            if is_interrupted():
                return False
            look = until_look(at, end)
    return True
