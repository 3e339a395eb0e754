# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row images skipped; row_image.pxd has the walk over their values, here only where a value ends matters.

A row image is a bitmap of nulls, a bit for each column that the event's columns-present bitmap holds, and then the
values.
"""

import cython

from cython.cimports.libc.stdint import int64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.rows.rows import ROWS_UPDATE
from cython.cimports.pybinlog.kernel.rows.table_map import Column


def skip_image(fields, map, at, end, after):
    walk: ImageWalk
    column: cython.pointer(cython.const[Column])
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


def count_rows(fields, map):
    at: octets = fields.rows
    end: octets = fields.rows + fields.rows_size
    count: int64_t = 0
    while at != end:
        at = skip_image(fields, map, at, end, False)
        if at != cython.NULL and fields.kind == ROWS_UPDATE:
            at = skip_image(fields, map, at, end, True)
        if at == cython.NULL:
            return -1
        count += 1
    return count
