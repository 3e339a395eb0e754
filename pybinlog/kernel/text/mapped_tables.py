# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""MappedTables: whether a part of a log maps the tables of its rows; compiled, as every row event asks."""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.mapped_tables is not built: `pip install .` builds it, with a C compiler")


MOST = cython.declare(cython.int, TABLES // 2)


@cython.final
@cython.cclass
class MappedTables:
    """A set of table ids, which may forget: a statement has few tables, and others' are seldom needed."""

    def __cinit__(self):
        self.begin()

    def begin(self):
        """Another part: no table is mapped yet."""
        self.stamp += 1
        self.count = 0

    def add(self, table_id):
        if self.has(table_id):
            return
        if self.count >= MOST:
            self.begin()
        slot: cython.size_t = (table_id ^ (table_id >> 12)) & (TABLES - 1)
        while self.stamps[slot] == self.stamp:
            slot = (slot + 1) & (TABLES - 1)
        self.ids[slot] = table_id
        self.stamps[slot] = self.stamp
        self.count += 1

    def has(self, table_id):
        slot: cython.size_t = (table_id ^ (table_id >> 12)) & (TABLES - 1)
        while self.stamps[slot] == self.stamp:
            if self.ids[slot] == table_id:
                return True
            slot = (slot + 1) & (TABLES - 1)
        return False
