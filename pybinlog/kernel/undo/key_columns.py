# distutils: extra_compile_args = -O3
"""KeyColumns: the columns that are a row's key, and the key of an image, as a hash of 63 bits."""

import cython

from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import memset
from cython.cimports.pybinlog.kernel.rows.image_route import (
    MOST_STOPS,
    ImageRoute,
    Stop,
    route_begin,
    route_of,
    skip_stop,
)
from cython.cimports.pybinlog.kernel.rows.row_image import (
    IMAGE_READ,
    ImageWalk,
    has_bit,
    image_begin,
    image_column,
    image_end,
    skip_value,
)
from cython.cimports.pybinlog.kernel.undo.key_set import CHANGED_AGAIN, hash_of, mixed


def key_columns_init(image, columns, column_count, seed):
    i: cython.size_t
    memset(image, 0, cython.sizeof(KeyColumns))
    image.columns = columns
    image.column_count = column_count
    image.seed = seed
    for i in range(column_count):
        image.count += has_bit(columns, i)
        if i < MOST_STOPS:
            image.slots[i] = 0 if has_bit(columns, i) else -1


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def key_of_hash(image: cython.pointer(cython.const[KeyColumns]), hash: uint64_t, found: cython.size_t) -> uint64_t:
    """Return the key for the hash of so many of its values; 0 if some are lacking."""
    if found != image.count:
        return 0
    hash = mixed(hash, found) & ~cython.cast(uint64_t, CHANGED_AGAIN)
    return hash if hash else 2


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def follow_route(
    key: cython.pointer(uint64_t),
    image: cython.pointer(cython.const[KeyColumns]),
    route: cython.pointer(cython.const[ImageRoute]),
    at: octets,
    end: octets,
) -> octets:
    """Do as `walk_key`; NULL also for an image that needs a closer look."""
    stop: cython.pointer(cython.const[Stop]) = route.stops
    last: cython.pointer(cython.const[Stop]) = stop + route.count
    nulls: uint64_t = 0
    hash: uint64_t = image.seed
    found: cython.size_t = 0
    left: int64_t
    size: int64_t
    at = route_begin(route, at, end, cython.address(nulls))
    if at == cython.NULL:
        return cython.NULL
    left = end - at
    while stop != last:
        size = left - stop.lead
        left = skip_stop(stop, nulls, end, left)
        if left < 0:
            return cython.NULL
        if stop.slot >= 0:
            found += 1
            size -= left
            hash = hash_of(hash, end - left - size, size) if size else mixed(hash, 0)
        stop += 1
    left -= route.tail
    key[0] = key_of_hash(image, hash, found)
    return cython.NULL if left < 0 else end - left


def walk_key(key, image, fields, map, at, end, after):
    walk: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    hash: uint64_t = image.seed
    found: cython.size_t = 0
    start: octets = cython.NULL
    route = route_of(
        cython.address(image.routes[1 if after else 0]),
        fields,
        map,
        fields.columns_after if after else fields.columns,
        image.slots,
        image.column_count,
        -1,
    )
    if route != cython.NULL:
        start = follow_route(key, image, route, at, end)
        if start != cython.NULL:
            return start
    key[0] = 0
    if image_begin(cython.address(walk), fields, map, at, end, after) != IMAGE_READ:
        return cython.NULL
    while True:
        column = image_column(cython.address(walk), cython.address(null), cython.address(partial))
        if column == cython.NULL:
            break
        start = walk.at
        if not null:
            walk.at = skip_value(column, walk.at, end)
            if walk.at == cython.NULL:
                return cython.NULL
        if has_bit(image.columns, walk.next - 1) and not partial:
            found += 1
            hash = mixed(hash, 0) if null else hash_of(hash, start, walk.at - start)
    key[0] = key_of_hash(image, hash, found)
    return image_end(cython.address(walk))
