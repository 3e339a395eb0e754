"""Groups: a table of groups by their keys, in the order in which they came."""

import cython

from cython.cimports.pybinlog.kernel.base.memory import (
    PyBytes_FromStringAndSize,
    PyMem_RawCalloc,
    PyMem_RawFree,
    PyMem_RawRealloc,
    memcmp,
    memcpy,
    memset,
)
from cython.cimports.pybinlog.kernel.base.text import put_bytes, text_free

FIRST_PLACES = cython.declare(cython.size_t, 1024)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_of(data: cython.p_const_char, length: cython.size_t) -> uint64_t:
    """Mix eight bytes at a time; `length` is at least eight."""
    hash: uint64_t = cython.cast(uint64_t, 0x9E3779B97F4A7C15) ^ length
    part: uint64_t = 0
    at: cython.size_t = 0
    while at + 8 < length:
        memcpy(cython.address(part), data + at, 8)
        hash = (hash ^ part) * cython.cast(uint64_t, 0xFF51AFD7ED558CCD)
        hash ^= hash >> 32
        at += 8
    memcpy(cython.address(part), data + length - 8, 8)
    hash = (hash ^ part) * cython.cast(uint64_t, 0xFF51AFD7ED558CCD)
    return hash ^ (hash >> 29)


@cython.final
@cython.cclass
class Groups:
    """`rows()` returns each group as a tuple (time, thread, server, statement, type, database, table, first time, last
    time, transactions, events, bytes, inserts, updates, deletes, rolled back rows, prepared rows).

    Names are bytes or None.
    """

    def __dealloc__(self):
        PyMem_RawFree(self.all)
        PyMem_RawFree(self.places)
        text_free(cython.address(self.keys))

    def find(self, key):
        data: cython.p_const_char = cython.cast(cython.p_const_char, key)
        length: cython.size_t = key_length(key)
        group: cython.pointer(Group)
        hash: uint64_t
        at: cython.size_t
        if self.count:
            group = self.all + self.last
            if group.key_length == length and memcmp(self.keys.data + group.key, data, length) == 0:
                return self.last
        if (self.count + 1) * 2 > self.place_count and not self.more_places():
            return -1
        hash = hash_of(data, length)
        at = hash & (self.place_count - 1)
        while self.places[at]:
            group = self.all + (self.places[at] - 1)
            if (
                group.hash == hash
                and group.key_length == length
                and memcmp(self.keys.data + group.key, data, length) == 0
            ):
                self.last = self.places[at] - 1
                return self.last
            at = (at + 1) & (self.place_count - 1)
        if self.count == self.capacity and not self.more_groups():
            return -1
        group = self.all + self.count
        memset(group, 0, cython.sizeof(Group))
        group.hash = hash
        group.key = self.keys.length
        group.key_length = length
        put_bytes(cython.address(self.keys), data, length)
        if self.keys.failed:
            self.wanted = self.keys.wanted
            return -1
        self.last = self.count
        self.count += 1
        self.places[at] = cython.cast(uint32_t, self.count)
        return self.last

    def more_places(self):
        """Make twice as many places; False without memory."""
        count: cython.size_t = self.place_count * 2 if self.place_count else FIRST_PLACES
        at: cython.size_t
        i: cython.size_t
        places: cython.pointer(uint32_t) = cython.cast(
            cython.pointer(uint32_t), PyMem_RawCalloc(count, cython.sizeof(uint32_t))
        )
        if places == cython.NULL:
            self.wanted = count * cython.sizeof(uint32_t)
            return False
        for i in range(self.count):
            at = self.all[i].hash & (count - 1)
            while places[at]:
                at = (at + 1) & (count - 1)
            places[at] = cython.cast(uint32_t, i + 1)
        PyMem_RawFree(self.places)
        self.places = places
        self.place_count = count
        return True

    def more_groups(self):
        count: cython.size_t = self.capacity * 2 if self.capacity else FIRST_PLACES
        grown: cython.p_void = PyMem_RawRealloc(self.all, count * cython.sizeof(Group))
        if grown == cython.NULL:
            self.wanted = count * cython.sizeof(Group)
            return False
        self.all = cython.cast(cython.pointer(Group), grown)
        self.capacity = count
        return True

    def rows(self) -> list:
        key: FullKey
        group: cython.pointer(Group)
        database: bytes
        table: bytes
        i: cython.size_t
        found: list = []
        for i in range(self.count):
            group = self.all + i
            memcpy(cython.address(key), self.keys.data + group.key, group.key_length)
            database = table = None
            if key.head.has_database:
                database = PyBytes_FromStringAndSize(key.names, key.head.database_length)
            if key.head.has_table:
                table = PyBytes_FromStringAndSize(key.names + key.head.database_length, key.head.table_length)
            found.append(
                (
                    key.head.time,
                    key.head.thread,
                    key.head.server,
                    key.head.statement,
                    key.head.type,
                    database,
                    table,
                    group.first_time,
                    group.last_time,
                    group.transactions,
                    group.events,
                    group.bytes,
                    group.rows[0],
                    group.rows[1],
                    group.rows[2],
                    group.rolled_back,
                    group.prepared,
                )
            )
        return found
