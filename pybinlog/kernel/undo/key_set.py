# distutils: extra_compile_args = -O3
"""KeySet: the keys of rows, as hashes of 63 bits.

Two keys with the same hash count as one; with ten million keys and as many later changes, the odds are one in ninety
thousand. Then an undo is refused that could be done; no undo is done that should be refused.

Many keys are in unnamed files that are mapped into memory. The process holds few of a file's pages at once, and the
system writes them to the disk if it needs their memory.
"""

import os
from tempfile import TemporaryFile

import cython
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.key_table import HASH_PRIME, hash_of
from cython.cimports.pybinlog.kernel.base.memory import MADV_DONTNEED, MAP_FAILED, MAP_SHARED, PROT_READ, PROT_WRITE
from cython.cimports.pybinlog.kernel.base.memory import calloc, free, madvise, memcpy, mmap, munmap

MOST_IN_MEMORY = cython.declare(cython.size_t, 16 << 20)
WHOLE_ROW = cython.cast(uint64_t, 1) << 63
ALL_COLUMNS = ~cython.cast(uint64_t, 0)
ZERO_PIECE = 1 << 20


def set_most_in_memory(size: cython.size_t) -> None:
    """Set from how many bytes on an array is in a file (for tests)."""
    global MOST_IN_MEMORY
    MOST_IN_MEMORY = size


def give_back(array: LargeArray):
    madvise(array.at, 8 * array.count, MADV_DONTNEED)
    array.uses = 0


@cython.final
@cython.cclass
class LargeArray:
    """`count` numbers of 64 bits. Raise OSError if the file finds no room, and MemoryError."""

    def __cinit__(self, count: cython.size_t):
        size: cython.size_t = 8 * count
        self.count = count
        if size <= MOST_IN_MEMORY:
            self.at = cython.cast(cython.pointer(uint64_t), calloc(count, 8))
            if self.at == cython.NULL:
                raise MemoryError
            return
        with TemporaryFile(buffering=0) as file:
            fill(file, size)
            number: cython.int = file.fileno()
            data: cython.p_void = mmap(cython.NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        if data == MAP_FAILED:
            raise MemoryError
        self.at = cython.cast(cython.pointer(uint64_t), data)
        self.mapped = True

    def __dealloc__(self):
        if self.mapped:
            munmap(self.at, 8 * self.count)
        else:
            free(self.at)


def fill(file: object, size: object) -> None:
    """Give a file that many zeros. A page that the disk has no room for would end the process when it is used."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    zeros = bytes(ZERO_PIECE)
    written = 0
    while written < size:
        written += file.write(zeros[: size - written])


FIRST_VALUES = 1 << 10


@cython.final
@cython.cclass
class KeyLinks:
    """Hashes of values, each with a list of rows' keys. A row that was linked last to a value is not linked again."""

    def __cinit__(self):
        self.slots = LargeArray(2 * FIRST_VALUES)
        self.links = LargeArray(2 * FIRST_VALUES)

    def find(self, value: uint64_t) -> cython.pointer(uint64_t):
        """Return the value's slot, or the empty one for it."""
        mask: cython.size_t = self.slots.count // 2 - 1
        at: cython.size_t = (value >> 20 ^ value >> 1) & mask
        use(self.slots)
        while self.slots.at[2 * at] and self.slots.at[2 * at] != value:
            at = (at + 1) & mask
        return self.slots.at + 2 * at

    def add(self, value: uint64_t, row: uint64_t) -> cython.int:
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

    def pop(self, value: uint64_t) -> uint64_t:
        slot: cython.pointer(uint64_t) = self.find(value)
        link: uint64_t = slot[1] if slot[0] else 0
        if not link:
            return 0
        use(self.links)
        slot[1] = self.links.at[2 * link + 1]
        return self.links.at[2 * link]

    def grow(self) -> cython.int:
        old: LargeArray
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
                    slot: cython.pointer(uint64_t) = self.find(old.at[2 * i])
                    slot[0] = old.at[2 * i]
                    slot[1] = old.at[2 * i + 1]
        return 0


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
        self.slots = LargeArray(2 * FIRST_KEY_SLOTS)
        self.links = KeyLinks()
        self.waiting = {}

    def find(self, key: uint64_t) -> cython.pointer(uint64_t):
        """Return the key's slot, or the empty one for it."""
        slots: cython.pointer(uint64_t) = self.slots.at
        mask: cython.size_t = self.slots.count // 2 - 1
        at: cython.size_t = (key >> 20 ^ key >> 1) & mask
        use(self.slots)
        while slots[2 * at] and slots[2 * at] & ~cython.cast(uint64_t, CHANGED_AGAIN) != key:
            at = (at + 1) & mask
        return slots + 2 * at

    def add(self, key: uint64_t, changes: uint64_t) -> cython.int:
        if 3 * (self.count + 1) > self.slots.count:
            self.grow()
        slot: cython.pointer(uint64_t) = self.find(key)
        if not slot[0]:
            slot[0] = key
            self.count += 1
        slot[1] |= changes
        return 0

    def has(self, key: uint64_t) -> cython.bint:
        return self.find(key)[0] != 0

    def mark(self, key: uint64_t, changes: uint64_t) -> cython.bint:
        slot: cython.pointer(uint64_t) = self.find(key)
        if not slot[0] or slot[0] & CHANGED_AGAIN or not slot[1] & changes:
            return False
        slot[0] |= CHANGED_AGAIN
        return True

    def link(self, value: uint64_t, key: uint64_t) -> cython.int:
        return self.links.add(value, key)

    def mark_value(self, value: uint64_t) -> cython.size_t:
        marked: cython.size_t = 0
        key: uint64_t = self.links.pop(value)
        while key:
            marked += self.mark(key, ALL_COLUMNS)
            key = self.links.pop(value)
        return marked

    def settle(self, waiting: bytes) -> int:
        """Add, link and mark keys that waited (triples: `ChangeSink.wait`). Return how many were marked newly."""
        data: cython.p_const_char = waiting
        triple: uint64_t[3]
        marked: cython.size_t = 0
        i: cython.size_t
        for i in range(cython.cast(cython.size_t, len(waiting)) // 24):
            memcpy(cython.address(triple[0]), data + 24 * i, 24)
            key: uint64_t = triple[0] & ~cython.cast(uint64_t, CHANGED_AGAIN)
            if triple[0] & CHANGED_AGAIN:
                marked += self.mark_value(key) if triple[1] else cython.cast(cython.size_t, self.mark(key, triple[2]))
            elif triple[1]:
                self.link(key, triple[1])
            else:
                self.add(key, triple[2])
        return marked

    def decide(self, xid: bytes, committed: cython.bint) -> list:
        """Settle what waits for an XA transaction, or forget it. Return cells, table and the rows newly marked."""
        found: list = []
        for cells, table, keys in self.waiting.pop(xid, ()):
            marked = self.settle(keys) if committed else 0
            if marked:
                found.append((cells, table, marked))
        return found

    def is_marked(self, key: uint64_t) -> cython.bint:
        return self.find(key)[0] & CHANGED_AGAIN != 0

    def grow(self) -> cython.int:
        old: LargeArray = self.slots
        i: cython.size_t
        self.slots = LargeArray(2 * old.count)
        for i in range(old.count // 2):
            if old.at[2 * i]:
                slot: cython.pointer(uint64_t) = self.find(old.at[2 * i] & ~cython.cast(uint64_t, CHANGED_AGAIN))
                slot[0] = old.at[2 * i]
                slot[1] = old.at[2 * i + 1]
        return 0
