# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ImageRoute: what a Table_map says of where the values of an image are, computed once for many images.

Values of a fixed size that are not asked for and never NULL are passed in one addition. Images of more than 64 columns,
with an update of JSON or with columns of an unknown size have no route.
"""

import cython

from cython.cimports.libc.stdint import uint8_t, uint64_t
from cython.cimports.pybinlog.kernel.rows.column import KIND_PREFIXED, KIND_UNKNOWN, KIND_UNREADABLE
from cython.cimports.pybinlog.kernel.rows.row_image import has_bit
from cython.cimports.pybinlog.kernel.rows.table_map import Column


def find_route(route, columns, bitmap, count, slots):
    column: cython.pointer(cython.const[Column])
    stop: cython.pointer(Stop)
    i: cython.size_t
    bit: cython.int = 0
    route.count = 0
    route.never_null = 0
    route.tail = 0
    route.usable = False
    for i in range(count):
        if not has_bit(bitmap, i):
            continue
        column = columns + i
        if column.kind == KIND_UNKNOWN or column.kind == KIND_UNREADABLE:
            return
        if slots[i] < 0 and column.kind != KIND_PREFIXED and not column.nullable:
            route.tail += column.size
            route.never_null |= cython.cast(uint64_t, 1) << bit
        else:
            stop = route.stops + route.count
            stop.lead = route.tail
            stop.size = column.size
            stop.slot = slots[i]
            stop.bit = cython.cast(uint8_t, bit)
            stop.prefixed = column.kind == KIND_PREFIXED
            stop.column = i
            route.count += 1
            route.tail = 0
        bit += 1
    route.null_bytes = (bit + 7) // 8
    route.usable = bit > 0
