# distutils: extra_compile_args = -O3
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""KeySet: the keys of rows, as hashes of 63 bits.

Two keys with the same hash count as one; with ten million keys and as many later changes, the odds are one in ninety
thousand. Then an undo is refused that could be done; no undo is done that should be refused.
"""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, memcpy
from cython.cimports.pybinlog.kernel.rows.row_image import (
    IMAGE_READ,
    ImageWalk,
    has_bit,
    image_begin,
    image_column,
    image_end,
    skip_value,
)

FIRST_KEY_SLOTS = 1 << 10
PRIME = cython.declare(uint64_t, 0x9E3779B97F4A7C15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(hash: uint64_t, word: uint64_t) -> uint64_t:
    hash = (hash ^ word) * PRIME
    return hash ^ (hash >> 29)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_of(hash: uint64_t, data: octets, size: cython.size_t) -> uint64_t:
    word: uint64_t
    hash = mixed(hash, size + 1)
    while size >= 8:
        memcpy(cython.address(word), data, 8)
        hash = mixed(hash, word)
        data += 8
        size -= 8
    if size:
        word = 0
        memcpy(cython.address(word), data, size)
        hash = mixed(hash, word)
    return hash


def walk_key(key, image, fields, map, at, end, after):
    walk: ImageWalk
    null: cython.bint = False
    partial: cython.bint = False
    hash: uint64_t = image.seed
    found: cython.size_t = 0
    start: octets
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
    if found == image.count:
        hash = mixed(hash, found) & ~cython.cast(uint64_t, CHANGED_AGAIN)
        key[0] = hash if hash else 2
    return image_end(cython.address(walk))


def seed_of(label: bytes) -> int:
    """Return the seed of a table's keys."""
    data: cython.p_const_char = label
    return hash_of(PRIME, cython.cast(octets, data), len(label))


@cython.final
@cython.cclass
class KeySet:
    """Keys, and which of them a later change has. `count` is how many."""

    def __cinit__(self):
        self.slot_count = FIRST_KEY_SLOTS
        self.slots = cython.cast(cython.pointer(uint64_t), calloc(FIRST_KEY_SLOTS, 8))
        if self.slots == cython.NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots)

    def find(self, key):
        """Return the key's slot, or the empty one for it."""
        at: cython.size_t = (key >> 20 ^ key >> 1) & (self.slot_count - 1)
        while self.slots[at] and self.slots[at] & ~cython.cast(uint64_t, CHANGED_AGAIN) != key:
            at = (at + 1) & (self.slot_count - 1)
        return self.slots + at

    def add(self, key):
        if 3 * (self.count + 1) > 2 * self.slot_count and not self.grow():
            return False
        slot: cython.pointer(uint64_t) = self.find(key)
        if not slot[0]:
            slot[0] = key
            self.count += 1
        return True

    def mark(self, key):
        slot: cython.pointer(uint64_t) = self.find(key)
        if not slot[0] or slot[0] & CHANGED_AGAIN:
            return False
        slot[0] |= CHANGED_AGAIN
        return True

    def settle(self, waiting: bytes) -> int:
        """Add keys that waited, or mark those whose lowest bit is set. Return how many were marked newly."""
        data: cython.p_const_char = waiting
        key: uint64_t
        hits: cython.size_t = 0
        i: cython.size_t
        for i in range(cython.cast(cython.size_t, len(waiting)) // 8):
            memcpy(cython.address(key), data + 8 * i, 8)
            if key & CHANGED_AGAIN:
                hits += self.mark(key & ~cython.cast(uint64_t, CHANGED_AGAIN))
            elif not self.add(key):
                raise MemoryError
        return hits

    def is_marked(self, key):
        return self.find(key)[0] & CHANGED_AGAIN != 0

    def grow(self):
        old: cython.pointer(uint64_t) = self.slots
        count: cython.size_t = self.slot_count
        i: cython.size_t
        slots: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), calloc(2 * count, 8))
        if slots == cython.NULL:
            return False
        self.slots = slots
        self.slot_count = 2 * count
        for i in range(count):
            if old[i]:
                self.find(old[i] & ~cython.cast(uint64_t, CHANGED_AGAIN))[0] = old[i]
        free(old)
        return True
