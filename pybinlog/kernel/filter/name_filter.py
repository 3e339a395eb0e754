"""NameFilter: the databases and tables that match; compiled, because every few events bring names."""

import cython

from cython.cimports.libc.stdint import uint32_t, uint64_t
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memcpy


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def mixed(hash: uint64_t, name: cython.p_const_char, length: cython.size_t) -> uint64_t:
    """Return the hash with a name, four bytes at a time."""
    word: uint32_t
    while length >= 4:
        memcpy(cython.address(word), name, 4)
        hash = (hash ^ word) * cython.cast(uint64_t, 0x9E3779B97F4A7C15)
        hash ^= hash >> 29
        name += 4
        length -= 4
    while length:
        hash = (hash ^ cython.cast(cython.uchar, name[0])) * cython.cast(uint64_t, 0x9E3779B97F4A7C15)
        name += 1
        length -= 1
    return hash


@cython.final
@cython.cclass
class NameFilter:
    """Remembers what `ask_for(database, table)` said of the names that come again and again.

    Both are bytes; `table` is None for a statement, which is judged by its default database. `includes`: what has no
    name is not asked for.
    """

    def __cinit__(self, ask_for, includes: cython.bint):
        self.ask_for = ask_for
        self.includes = includes

    def has(self, database, database_length, table, table_length):
        length: cython.size_t = database_length + table_length
        hash: uint64_t = mixed(mixed(length, database, database_length), table, table_length)
        slot: cython.pointer(KnownName) = cython.address(self.known[hash >> 58])
        if (
            slot.used
            and slot.length == length
            and slot.database_length == database_length
            and slot.has_table == (table != cython.NULL)
            and memcmp(slot.bytes, database, database_length) == 0
            and (table_length == 0 or memcmp(slot.bytes + database_length, table, table_length) == 0)
        ):
            return slot.matches
        found: cython.bint
        with cython.gil:
            found = bool(
                self.ask_for(
                    PyBytes_FromStringAndSize(database, database_length),
                    None if table == cython.NULL else PyBytes_FromStringAndSize(table, table_length),
                )
            )
        if length <= LONGEST_NAMES:
            slot.used = True
            slot.matches = found
            slot.has_table = table != cython.NULL
            slot.database_length = cython.cast(uint32_t, database_length)
            slot.length = cython.cast(uint32_t, length)
            memcpy(slot.bytes, database, database_length)
            if table_length:
                memcpy(slot.bytes + database_length, table, table_length)
        return found
