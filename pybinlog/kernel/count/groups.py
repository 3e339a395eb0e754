"""Groups: a table of groups by their keys, in the order in which they came."""

import cython
from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, PyMem_RawFree, PyMem_RawRealloc
from cython.cimports.pybinlog.kernel.base.memory import memcmp, memcpy, memset

FIRST_ROOM = cython.declare(cython.size_t, 1024)


@cython.final
@cython.cclass
class Groups(KeyTable):
    """`rows()` returns each group as a tuple (time, thread, server, statement, type, database, table, first time, last
    time, transactions, events, bytes, inserts, updates, deletes, rolled back rows, prepared rows, statements).

    Names are bytes or None.
    """

    def __dealloc__(self):
        PyMem_RawFree(self.all)

    def __len__(self) -> int:
        return self.count

    def number_of(self, key: cython.pointer(cython.const[FullKey])) -> int64_t:
        data: octets = cython.cast(octets, key)
        length: cython.size_t = key_length(key)
        count: cython.size_t = self.count
        last = self.entries + self.last
        if count and last.length == length and memcmp(self.keys.data + last.start, data, length) == 0:
            return self.last
        if count == self.room and not self.more_groups():
            return -1
        number: int64_t = self.find(data, length)
        if self.count != count:
            memset(self.all + number, 0, cython.sizeof(Group))
        if number >= 0:
            self.last = number
        return number

    def more_groups(self) -> cython.bint:
        room: cython.size_t = self.room * 2 if self.room else FIRST_ROOM
        grown: cython.p_void = PyMem_RawRealloc(self.all, room * cython.sizeof(Group))
        if grown == cython.NULL:
            self.wanted = room * cython.sizeof(Group)
            return False
        self.all = cython.cast(cython.pointer(Group), grown)
        self.room = room
        return True

    def rows(self) -> list:
        key: FullKey
        database: bytes
        table: bytes
        i: cython.size_t
        found: list = []
        for i in range(self.count):
            group: cython.pointer(Group) = self.all + i
            memcpy(cython.address(key), self.keys.data + self.entries[i].start, self.entries[i].length)
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
                    group.statements,
                )
            )
        return found
