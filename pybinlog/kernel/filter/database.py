"""DatabaseCondition: mysqlbinlog's --database, which cuts other databases' events out of transactions.

The reference compares a statement's default database and a row event's table; BEGIN, COMMIT, SAVEPOINT and their like
are always kept, so a transaction stays open or closed as it was. The text closes what lost its end (CUT_OUT).
"""

import cython

from cython.cimports.libc.stdint import uint64_t, uint8_t
from cython.cimports.pybinlog.kernel.base.event import (
    CREATE_FILE,
    CUT_OUT,
    EXECUTE_LOAD_QUERY,
    LOAD,
    MARIA_QUERY_COMPRESSED,
    NEW_LOAD,
    QUERY,
    STMT_END_F,
    TABLE_MAP,
    Event,
    is_compressed_rows,
    is_rows,
    octets,
)
from cython.cimports.pybinlog.kernel.base.memory import memcmp
from cython.cimports.pybinlog.kernel.base.text import put_memory, text_free, text_init
from cython.cimports.pybinlog.kernel.filter.event_conditions import KEPT
from cython.cimports.pybinlog.kernel.filter.conditions import is_frame_word
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head, table_names
from cython.cimports.pybinlog.kernel.scan.inflated_event import InflatedEvent
from cython.cimports.pybinlog.kernel.scan.classify import QueryParts, query_parts


@cython.final
@cython.cclass
class DatabaseCondition:
    """`name` is the database's; `name_in_load(batch, index)` reads it from LOAD DATA events older than MySQL 5.0.3."""

    def __cinit__(self, name: bytes, name_in_load):
        text_init(cython.address(self.ignored))
        self.inflated = InflatedEvent()
        self.name = name
        self.characters = name
        self.length = len(name)
        self.name_in_load = name_in_load

    def __dealloc__(self):
        text_free(cython.address(self.ignored))

    def differs(self, name, length):
        return length != self.length or memcmp(name, self.characters, length) != 0

    def judge(self, batch, index):
        """Return KEPT or CUT_OUT; call it for each event that other conditions keep, in order."""
        e: cython.pointer(Event) = batch.events + index
        kind: uint8_t = e.type
        if kind == QUERY or kind == EXECUTE_LOAD_QUERY or kind == MARIA_QUERY_COMPRESSED:
            return self.judge_query(e, batch)
        if kind == TABLE_MAP or is_rows(kind) or is_compressed_rows(kind):
            return self.judge_rows(e, batch)
        if kind == LOAD or kind == NEW_LOAD or kind == CREATE_FILE:
            return self.judge_load(batch, index)
        return KEPT

    def judge_load(self, batch, index):
        name: bytes = self.name_in_load(batch, index)
        return KEPT if name is None or name == self.name else CUT_OUT

    def judge_query(self, e, batch):
        parts: QueryParts
        if query_parts(cython.address(parts), cython.address(batch.format), e.data, e.body_end) < 0:
            return KEPT
        if not self.differs(parts.database, parts.database_length):
            return KEPT
        if e.type != EXECUTE_LOAD_QUERY and is_frame_word(
            self.inflated, cython.address(parts), e, cython.address(batch.format)
        ):
            return KEPT
        return CUT_OUT

    def judge_rows(self, e, batch):
        head: StatementHead
        database: octets = cython.NULL
        table: octets = cython.NULL
        ignored: cython.bint
        if not statement_head(cython.address(head), e, cython.address(batch.format)):
            return KEPT
        if e.type != TABLE_MAP:
            ignored = self.ignores(head.table_id)
            if head.flags & STMT_END_F:
                self.ignored.length = 0
            return CUT_OUT if ignored else KEPT
        if not table_names(e, head.after, cython.address(database), cython.address(table)):
            return KEPT
        if not self.differs(cython.cast(cython.p_const_char, database + 1), database[0]):
            return KEPT
        if not self.ignores(head.table_id):
            put_memory(cython.address(self.ignored), cython.address(head.table_id), cython.sizeof(uint64_t))
        return CUT_OUT

    def ignores(self, table_id):
        """Return True for a table of another database; the tables of one statement are few."""
        ids: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.ignored.data)
        i: cython.size_t = self.ignored.length // cython.sizeof(uint64_t)
        while i > 0:
            i -= 1
            if ids[i] == table_id:
                return True
        return False

    # ---- travel

    def packed(self) -> tuple:
        """Return the ids of the current statement's tables in other databases."""
        ids: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.ignored.data)
        count: cython.Py_ssize_t = self.ignored.length // cython.sizeof(uint64_t)
        return tuple([ids[i] for i in range(count)])

    def unpack(self, packed: tuple) -> None:
        """Continue with them."""
        table_id: uint64_t
        self.ignored.length = 0
        for table_id in packed:
            put_memory(cython.address(self.ignored), cython.address(table_id), cython.sizeof(uint64_t))
