"""Row images skipped; row_image.pxd has the walk over their values, here only where a value ends matters.

A row image is a bitmap of nulls, a bit for each column that the event's columns-present bitmap holds, and then the
values.
"""

import cython


def skip_image(
    fields: p_const_RowsFields, map: p_const_TableMap, at: octets, end: octets, after: cython.bint
) -> octets:
    walk: ImageWalk
    column: p_const_Column
    null: cython.bint = False
    partial: cython.bint = False
    if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    while True:
        column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return image_end(cython.address(walk))
        if not null:
            walk.at = skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL
