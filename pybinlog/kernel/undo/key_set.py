# distutils: extra_compile_args = -O3
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""KeySet: the keys of rows, as hashes of 63 bits.

Two keys with the same hash count as one; with ten million keys and as many later changes, the odds are one in ninety
thousand. Then an undo is refused that could be done; no undo is done that should be refused.
"""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.undo.key_links import KeyLinks
from cython.cimports.pybinlog.kernel.undo.large_array import LargeArray, use

FIRST_KEY_SLOTS = 1 << 10


def seed_of(label: bytes) -> int:
    """Return the seed of a table's keys."""
    data: cython.p_const_char = label
    return hash_of(HASH_PRIME, cython.cast(octets, data), len(label))


@cython.final
@cython.cclass
class KeySet:
    """Keys, and which of them a later change has. `count` is how many. Many keys are in unnamed files."""

    def __cinit__(self):
        self.slots = LargeArray(FIRST_KEY_SLOTS)
        self.links = KeyLinks()
        self.waiting = {}

    def find(self, key):
        """Return the key's slot, or the empty one for it."""
        slots: cython.pointer(uint64_t) = self.slots.at
        mask: cython.size_t = self.slots.count - 1
        at: cython.size_t = (key >> 20 ^ key >> 1) & mask
        use(self.slots)
        while slots[at] and slots[at] & ~cython.cast(uint64_t, CHANGED_AGAIN) != key:
            at = (at + 1) & mask
        return slots + at

    def add(self, key):
        if 3 * (self.count + 1) > 2 * self.slots.count and not self.grow():
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

    def link(self, value, key):
        with cython.gil:
            try:
                self.links.add(value, key)
            except BaseException as error:
                self.error = error
                return False
        return True

    def mark_value(self, value):
        hits: cython.size_t = 0
        key: uint64_t = self.links.pop(value)
        while key:
            hits += self.mark(key)
            key = self.links.pop(value)
        return hits

    def settle(self, waiting: bytes) -> int:
        """Add, link and mark keys that waited (pairs: `ChangeSink.wait`). Return how many were marked newly."""
        data: cython.p_const_char = waiting
        pair: uint64_t[2]
        key: uint64_t
        hits: cython.size_t = 0
        i: cython.size_t
        for i in range(cython.cast(cython.size_t, len(waiting)) // 16):
            memcpy(cython.address(pair[0]), data + 16 * i, 16)
            key = pair[0] & ~cython.cast(uint64_t, CHANGED_AGAIN)
            if pair[0] & CHANGED_AGAIN:
                hits += self.mark_value(key) if pair[1] else cython.cast(cython.size_t, self.mark(key))
            elif not (self.link(key, pair[1]) if pair[1] else self.add(key)):
                raise self.error
        return hits

    def decide(self, xid: bytes, committed: cython.bint) -> list:
        """Settle what waits for an XA transaction, or forget it. Return cells, table and the rows newly marked."""
        found: list = []
        for cells, table, keys in self.waiting.pop(xid, ()):
            hits = self.settle(keys) if committed else 0
            if hits:
                found.append((cells, table, hits))
        return found

    def is_marked(self, key):
        return self.find(key)[0] & CHANGED_AGAIN != 0

    def grow(self):
        old: LargeArray = self.slots
        i: cython.size_t
        try:
            self.slots = LargeArray(2 * old.count)
        except BaseException as error:
            self.error = error
            return False
        for i in range(old.count):
            if old.at[i]:
                self.find(old.at[i] & ~cython.cast(uint64_t, CHANGED_AGAIN))[0] = old.at[i]
        return True
