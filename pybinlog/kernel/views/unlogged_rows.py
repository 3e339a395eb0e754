"""UnloggedRows: counts the statements whose changed rows the log does not contain, and the tables of those rows."""

import cython

from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, set_bytes
from cython.cimports.pybinlog.kernel.scan.operation import OTHER_OPERATION


@cython.final
@cython.cclass
class UnloggedRows:
    """Tables from the 10,001st on count as unknown."""

    def __cinit__(self):
        self.tables = KeyTable()
        self.cascades = {}
        self.open_cascades = {}

    def __dealloc__(self):
        text_free(cython.address(self.counts))
        text_free(cython.address(self.open_tables))
        text_free(cython.address(self.name))

    def note(
        self, statement: StatementTables, has_text: cython.bint, type: uint8_t, respelled: cython.bint
    ) -> cython.bint:
        self.types[type] = True
        if has_text and statement.operation == OTHER_OPERATION:
            self.open.uncertain += 1
            return True
        if respelled:
            self.open.respelled += 1
        else:
            self.open.changed += 1
        if not has_text or not statement.changed_known:
            self.open.unnamed += 1
            return True
        named: cython.bint = True
        none: uint64_t = 0
        i: cython.size_t
        for i in range(statement.changed):
            table: cython.pointer(TableName) = statement.tables + i
            self.name.length = 0
            put_bytes(cython.address(self.name), table.database, table.database_length)
            put_char(cython.address(self.name), b"\0")
            put_bytes(cython.address(self.name), table.table, table.length)
            if self.tables.count >= MOST_COUNTED_TABLES:
                named = False
                continue
            number: int64_t = self.find(cython.cast(octets, self.name.data), self.name.length)
            if number >= 0 and 8 * number == self.counts.length:
                put_memory(cython.address(self.counts), cython.address(none), 8)
            put_memory(cython.address(self.open_tables), cython.address(number), 8)
            if number < 0 or self.name.failed or self.counts.failed or self.open_tables.failed:
                return False
        if not named:
            self.open.unnamed += 1
        return True

    def find(self, name: octets, length: cython.size_t) -> int64_t:
        """Return the number of a table by its names, a new one if need be; -1 without memory."""
        last = self.tables.entries + self.last
        if (
            self.tables.count == 0
            or last.length != length
            or memcmp(self.tables.keys.data + last.start, name, length) != 0
        ):
            number: int64_t = self.tables.find(name, length)
            if number < 0:
                return -1
            self.last = number
        return self.last

    def note_cascades(self, found: object, begins: cython.bint) -> cython.int:
        if begins:
            self.open.cascaded += 1
        for tables in found:
            self.open_cascades[tables] = self.open_cascades.get(tables, 0) + 1
        return 0

    def note_unclear(self, type: uint8_t, noted: cython.bint):
        if noted:
            self.open.unnamed += 1
        else:
            self.types[type] = True
            self.open.uncertain += 1

    def keep_cascades(self) -> cython.int:
        self.kept.cascaded += self.open.cascaded
        for tables, count in self.open_cascades.items():
            if tables in self.cascades or len(self.cascades) < MOST_COUNTED_TABLES:
                self.cascades[tables] = self.cascades.get(tables, 0) + count
        self.open_cascades = {}
        return 0

    def keep(self) -> cython.int:
        numbers: cython.pointer(int64_t) = cython.cast(cython.pointer(int64_t), self.open_tables.data)
        counts: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.counts.data)
        i: cython.size_t
        for i in range(self.open_tables.length // 8):
            counts[numbers[i]] += 1
        self.kept.changed += self.open.changed
        self.kept.uncertain += self.open.uncertain
        self.kept.respelled += self.open.respelled
        self.kept.unnamed += self.open.unnamed
        if self.open.cascaded:
            self.keep_cascades()
        self.drop()
        return 0

    def drop(self):
        self.open_tables.length = 0
        if self.open.cascaded:
            with cython.gil:
                self.open_cascades = {}
        set_bytes(cython.address(self.open), 0, cython.sizeof(StatementCounts))

    @property
    def has_any(self) -> bool:
        """True if a statement was kept."""
        return bool(self.kept.changed or self.kept.uncertain or self.kept.respelled or self.kept.cascaded)

    def counted(self):
        """Return what was kept: (statements that change rows, those that may, those of respelled tables, those of
        unknown tables, event types, statements by (database, table)), those whose foreign keys may have changed others,
        and these by their tables (parent, child)."""
        types = [type for type in range(256) if self.types[type]]
        tables = {}
        i: cython.size_t
        for i in range(self.tables.count):
            entry = self.tables.entries + i
            count = cython.cast(cython.pointer(uint64_t), self.counts.data)[i]
            if count:
                name: bytes = PyBytes_FromStringAndSize(self.tables.keys.data + entry.start, entry.length)
                database, _, table = name.partition(b"\0")
                tables[database, table] = count
        numbers = self.kept.changed, self.kept.uncertain, self.kept.respelled, self.kept.unnamed
        return *numbers, types, tables, self.kept.cascaded, self.cascades
