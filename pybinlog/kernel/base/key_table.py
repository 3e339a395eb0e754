"""KeyTable: keys of bytes, and their numbers in the order in which they came."""

import cython
from cython.cimports.pybinlog.kernel.base.memory import PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc, memcmp

FIRST_CAPACITY = cython.declare(cython.size_t, 64)


@cython.cclass
class KeyTable:
    """The first key has the number 0."""

    def __dealloc__(self):
        PyMem_RawFree(self.entries)
        PyMem_RawFree(self.places)
        text_free(cython.address(self.keys))

    def find(self, key: octets, length: cython.size_t) -> int64_t:
        hash: uint64_t = hash_of(HASH_PRIME, key, length)
        if self.count == self.capacity and not self.grow():
            return -1
        at: cython.size_t = hash & (2 * self.capacity - 1)
        while self.places[at]:
            entry: cython.pointer(KeyEntry) = self.entries + (self.places[at] - 1)
            if entry.hash == hash and entry.length == length:
                if memcmp(self.keys.data + entry.start, key, length) == 0:
                    return self.places[at] - 1
            at = (at + 1) & (2 * self.capacity - 1)
        self.entries[self.count] = KeyEntry(hash, self.keys.length, length)
        put_memory(cython.address(self.keys), key, length)
        if self.keys.failed:
            self.wanted = self.keys.wanted
            return -1
        self.count += 1
        self.places[at] = cython.cast(uint32_t, self.count)
        return self.count - 1

    def clear(self):
        """Forget all keys. It takes as long as finding each of them."""
        i: cython.size_t
        for i in range(self.count):
            at: cython.size_t = self.entries[i].hash & (2 * self.capacity - 1)
            while self.places[at] != i + 1:
                at = (at + 1) & (2 * self.capacity - 1)
            self.places[at] = 0
        self.count = 0
        self.keys.length = 0

    def grow(self) -> cython.bint:
        """Make room for twice as many keys; False without memory."""
        capacity: cython.size_t = self.capacity * 2 if self.capacity else FIRST_CAPACITY
        i: cython.size_t
        entries: cython.p_void = PyMem_RawRealloc(self.entries, capacity * cython.sizeof(KeyEntry))
        if entries != cython.NULL:
            self.entries = cython.cast(cython.pointer(KeyEntry), entries)
        places = cython.cast(cython.pointer(uint32_t), PyMem_RawCalloc(2 * capacity, cython.sizeof(uint32_t)))
        if entries == cython.NULL or places == cython.NULL:
            PyMem_RawFree(places)
            self.wanted = capacity * cython.sizeof(KeyEntry)
            return False
        for i in range(self.count):
            at: cython.size_t = self.entries[i].hash & (2 * capacity - 1)
            while places[at]:
                at = (at + 1) & (2 * capacity - 1)
            places[at] = cython.cast(uint32_t, i + 1)
        PyMem_RawFree(self.places)
        self.places = places
        self.capacity = capacity
        return True
