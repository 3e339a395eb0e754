# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The before image of an update with the values of its after image, which may have fewer columns (FULL_NODUP)."""

import cython

from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import memcpy, memset
from cython.cimports.pybinlog.kernel.base.text import text_grow
from cython.cimports.pybinlog.kernel.rows.row_image import (
    IMAGE_READ,
    ImageWalk,
    has_bit,
    image_begin,
    image_column,
    skip_value,
)


def put_merged_image(text, fields, map, before, after, end, wanted, null_bytes):
    below: ImageWalk
    above: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    start: octets
    nulls: cython.size_t = text.length
    place: cython.size_t = 0
    if (
        image_begin(cython.address(below), fields, map, before, end, False) != IMAGE_READ
        or image_begin(cython.address(above), fields, map, after, end, True) != IMAGE_READ
        or not text_grow(text, null_bytes)
    ):
        return False
    memset(text.data + nulls, 0, null_bytes)
    text.length += null_bytes
    while True:
        column = image_column(cython.address(below), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            return True
        start = below.at
        if not null:
            below.at = skip_value(column, below.at, end)
            if below.at == cython.NULL:
                return False
        if has_bit(above.columns, below.next - 1):
            column = image_column(cython.address(above), cython.address(null), cython.address(partial))
            start = above.at
            if not null:
                above.at = skip_value(column, above.at, end)
                if above.at == cython.NULL:
                    return False
        if not has_bit(wanted, below.next - 1):
            continue
        if null:
            text.data[nulls + place // 8] |= cython.cast(cython.char, 1 << (place % 8))
        else:
            size: cython.size_t = (above.at if has_bit(above.columns, below.next - 1) else below.at) - start
            if not text_grow(text, size):
                return False
            memcpy(text.data + text.length, start, size)
            text.length += size
        place += 1
