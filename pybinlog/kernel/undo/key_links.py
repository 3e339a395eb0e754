# distutils: extra_compile_args = -O2
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""KeyLinks: for each value of a unique key, the rows that have it before or after a change that is taken back."""

import cython

from cython.cimports.libc.stdint import uint64_t
from cython.cimports.pybinlog.kernel.base.memory import memcpy
from cython.cimports.pybinlog.kernel.undo.large_array import LargeArray, use

FIRST_VALUES = 1 << 10


@cython.final
@cython.cclass
class KeyLinks:
    """Hashes of values, each with a list of rows' keys. A row that was linked last to a value is not linked again."""

    def __cinit__(self):
        self.slots = LargeArray(2 * FIRST_VALUES)
        self.links = LargeArray(2 * FIRST_VALUES)

    def find(self, value):
        """Return the value's slot, or the empty one for it."""
        mask: cython.size_t = self.slots.count // 2 - 1
        at: cython.size_t = (value >> 20 ^ value >> 1) & mask
        use(self.slots)
        while self.slots.at[2 * at] and self.slots.at[2 * at] != value:
            at = (at + 1) & mask
        return self.slots.at + 2 * at

    def add(self, value, row):
        if 3 * (self.values + 1) > self.slots.count or 2 * (self.count + 2) > self.links.count:
            self.grow()
        slot: cython.pointer(uint64_t) = self.find(value)
        if not slot[0]:
            slot[0] = value
            self.values += 1
        use(self.links)
        if slot[1] and self.links.at[2 * slot[1]] == row:
            return 0
        self.count += 1
        self.links.at[2 * self.count] = row
        self.links.at[2 * self.count + 1] = slot[1]
        slot[1] = self.count
        return 0

    def pop(self, value):
        slot: cython.pointer(uint64_t) = self.find(value)
        link: uint64_t = slot[1] if slot[0] else 0
        if not link:
            return 0
        use(self.links)
        slot[1] = self.links.at[2 * link + 1]
        return self.links.at[2 * link]

    def grow(self):
        old: LargeArray
        slot: cython.pointer(uint64_t)
        i: cython.size_t
        if 2 * (self.count + 2) > self.links.count:
            old = self.links
            self.links = LargeArray(2 * old.count)
            memcpy(self.links.at, old.at, 8 * old.count)
            use(self.links)
        if 3 * (self.values + 1) > self.slots.count:
            old = self.slots
            self.slots = LargeArray(2 * old.count)
            for i in range(old.count // 2):
                if old.at[2 * i]:
                    slot = self.find(old.at[2 * i])
                    slot[0] = old.at[2 * i]
                    slot[1] = old.at[2 * i + 1]
        return 0
