# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""ChangedTables: what the judge says of the tables whose rows change, so that it is asked once for a definition."""

import cython

from cython.cimports.pybinlog.kernel.base.event import octets
from cython.cimports.pybinlog.kernel.condition.row_condition import bytes_from, described, key_of
from cython.cimports.pybinlog.kernel.undo.key_columns import key_columns_init
from cython.cimports.pybinlog.kernel.undo.row_keys import RowKeys

MOST_KNOWN = 1000


@cython.final
@cython.cclass
class ChangedTable:
    """`answer` is what `judge.table` returned (`ChangeSink`), for a table of `count` columns."""

    def __init__(self, answer: tuple, count: cython.size_t, mariadb: cython.bint):
        self.told, self.forms, key, seed, keys = answer
        self.by_whole_row = key[0] & 1
        self.key_columns = key[1:].ljust((count + 7) // 8, b"\0")
        bits: cython.p_const_char = self.key_columns
        key_columns_init(cython.address(self.key), cython.cast(octets, bits), count, seed)
        if keys:
            self.row_keys = RowKeys(count, keys, self.key_columns, seed, mariadb)


@cython.final
@cython.cclass
class ChangedTables:
    """The tables so far. They are forgotten if they become too many."""

    def __init__(self, judge):
        self.judge = judge
        self.known = {}
        self.tables = []

    def find(self, map, definitions):
        slot = cython.address(self.slots[map.first_number % CHANGED_TABLES])
        return slot if slot.map_number == map.first_number and slot.definitions == definitions else cython.NULL

    def learn(self, map, definitions, names, file: bytes, position):
        key: tuple = (key_of(map), definitions)
        mariadb: cython.bint = map.mariadb
        f = cython.address(map.fields)
        if key not in self.known:
            if len(self.tables) >= MOST_KNOWN:
                self.known.clear()
                self.tables.clear()
                for slot in range(CHANGED_TABLES):
                    self.slots[slot].map_number = 0
            answer: tuple = self.judge.table(
                bytes_from(f.database, f.database_length),
                bytes_from(f.table, f.table_length),
                described(map),
                bytes_from(map.body + names, map.body_size - names),
                True if mariadb else False,
                file,
                position,
            )
            self.known[key] = len(self.tables)
            self.tables.append(ChangedTable(answer, f.column_count, mariadb))
        found = cython.address(self.slots[map.first_number % CHANGED_TABLES])
        found.map_number = map.first_number
        found.definitions = definitions
        found.place = self.known[key]
        found.looks = cython.cast(ChangedTable, self.tables[found.place]).looks
        return found
