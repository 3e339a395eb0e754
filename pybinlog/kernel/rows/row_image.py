# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row images passed over: what a value is like does not matter, only where it ends."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.rows.row_image is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import int64_t
from cython.cimports.pybinlog.kernel.base.packed import has_bit, octets
from cython.cimports.pybinlog.kernel.rows.rows import IMAGE_READ, ROWS_UPDATE, ImageHead, read_image_head


def skip_image(fields, map, at, end, after):
    head: ImageHead
    null_bit: cython.size_t = 0
    i: cython.size_t
    start: octets = at
    if read_image_head(cython.address(head), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    at = head.values
    for i in range(head.column_count):
        if has_bit(head.columns, i):
            if not has_bit(head.nulls, null_bit):
                at = skip_value(cython.address(map.columns[i]), at, end)
                if at == cython.NULL:
                    return cython.NULL
            null_bit += 1
    return at if at != start else cython.NULL


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
