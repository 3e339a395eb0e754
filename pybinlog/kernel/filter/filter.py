"""Filter: the stage of a pipeline that marks the events of a batch, or takes them out; compiled, as it sees every one.

Later readers of the batches need no conditions: the marks in `Event.bits` (kernel/base/event.pxd) tell which events are
dropped, and whether a part of them is printed. A pipeline without conditions has no filter.

DatabaseCondition is mysqlbinlog's --database, which cuts other databases' events out of transactions. The reference
compares a statement's default database and a row event's table; BEGIN, COMMIT, SAVEPOINT and their like are always
kept, so a transaction stays open or closed as it was. The text closes what lost its end (CUT_OUT).
"""

from typing import NamedTuple

import cython
from cython.cimports.pybinlog.kernel.base import event
from cython.cimports.pybinlog.kernel.base.memory import memcmp
from cython.cimports.pybinlog.kernel.filter.conditions import is_frame_word
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head, table_names
from cython.cimports.pybinlog.kernel.scan.classify import QueryParts, query_parts

from pybinlog.kernel.filter.gtid_window import PackedWindow


@cython.final
@cython.cclass
class DatabaseCondition:
    """`name` is the database's; `name_in_load(batch, index)` reads it from LOAD DATA events older than MySQL 5.0.3."""

    def __cinit__(self, name: bytes, name_in_load: object):
        self.inflated = InflatedEvent()
        self.name = name
        self.characters = name
        self.length = len(name)
        self.name_in_load = name_in_load

    def __dealloc__(self):
        text_free(cython.address(self.ignored))

    def differs(self, name: cython.p_const_char, length: cython.size_t) -> cython.bint:
        return length != self.length or memcmp(name, self.characters, length) != 0

    def judge(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.int:
        """Return KEPT or CUT_OUT; call it for each event that other conditions keep, in order."""
        e: p_Event = batch.events + index
        kind: uint8_t = e.type
        if event.is_statement(kind):
            return self.judge_query(e, batch)
        if kind == event.TABLE_MAP or event.is_rows(kind) or event.is_compressed_rows(kind):
            return self.judge_rows(e, batch)
        if kind == event.LOAD or kind == event.NEW_LOAD or kind == event.CREATE_FILE:
            return self.judge_load(batch, index)
        return KEPT

    def judge_load(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.int:
        name: bytes = self.name_in_load(batch, index)
        return KEPT if name is None or name == self.name else event.CUT_OUT

    def judge_query(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        parts: QueryParts
        if query_parts(cython.address(parts), cython.address(batch.format), e.data, e.body_end) < 0:
            return KEPT
        if not self.differs(parts.database, parts.database_length):
            return KEPT
        if e.type != event.EXECUTE_LOAD_QUERY and is_frame_word(
            self.inflated, cython.address(parts), e, cython.address(batch.format)
        ):
            return KEPT
        return event.CUT_OUT

    def judge_rows(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        head: StatementHead
        database: octets = cython.NULL
        table: octets = cython.NULL
        if not statement_head(cython.address(head), e, cython.address(batch.format)):
            return KEPT
        if e.type != event.TABLE_MAP:
            ignored: cython.bint = self.ignores(head.table_id)
            if head.flags & event.STMT_END_F:
                self.ignored.length = 0
            return event.CUT_OUT if ignored else KEPT
        if not table_names(e, head.after, cython.address(database), cython.address(table)):
            return KEPT
        if not self.differs(cython.cast(cython.p_const_char, database + 1), database[0]):
            return KEPT
        if not self.ignores(head.table_id):
            put_memory(cython.address(self.ignored), cython.address(head.table_id), cython.sizeof(uint64_t))
        return event.CUT_OUT

    def ignores(self, table_id: uint64_t) -> cython.bint:
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


class PackedFilter(NamedTuple):
    """The memory of a Filter as plain values, to travel beside the state of the text and of the scanner.

    Filters that judge whole transactions travel between transactions (`at_rest`).
    """

    events: int
    """That --offset has counted so far; 0 once it is used up."""
    offset_waits: bool
    start_waits: bool
    left_out: bool
    """The current transaction, by its GTID."""
    window: PackedWindow | None
    ignored: tuple
    """Ids of the current statement's tables that --database omits."""
    prepared: tuple
    """XA transactions that were prepared, each with whether something of it was kept."""


@cython.final
@cython.cclass
class Filter:
    """Marks batch after batch.

    `events` come first. Then `transactions` takes out whole transactions; without it each event is judged by itself, as
    the reference does, and `database` is its --database.
    """

    def __init__(
        self, events: EventConditions, database: DatabaseCondition = None, transactions: TransactionScope = None
    ):
        self.events = events
        self.database = database
        self.transactions = transactions

    @property
    def ended(self) -> bool:
        """True if nothing after the last batch is kept."""
        return bool(self.over or (self.transactions is not None and self.transactions.ended))

    @property
    def judges_wholes(self) -> bool:
        """True if it judges whole transactions, from now on by nothing else: only an error ends it."""
        return self.transactions is not None and self.events.is_empty()

    @property
    def raised(self):
        """The error to raise after the last batch; None if there is none."""
        return None if self.transactions is None else self.transactions.raised

    @property
    def row_conditions(self):
        """The conditions on the values of rows, outside payloads and inside."""
        scope: TransactionScope = self.transactions
        scopes = (scope, None if scope is None else scope.inside)
        return [each.rows.condition for each in scopes if each is not None and each.rows is not None]

    @property
    def respelled(self):
        """The number of statements that match by names in another case alone, and theirs by (database, table)."""
        count: cython.size_t = 0
        names = {}
        scope: TransactionScope = self.transactions
        while scope is not None:
            count += scope.conditions.respelled_count
            for name, statements in scope.conditions.respelled.items():
                names[name] = names.get(name, 0) + statements
            scope = scope.inside
        return count, names

    @property
    def at_rest(self) -> bool:
        """True if another filter can continue here, from what is packed."""
        return self.transactions is None or self.transactions.at_rest

    @property
    def unfinished_xa(self):
        """Return the kept and unfinished XA transactions.

        These are `TransactionScope.open_xa`, the ids of prepared ones, and those of which only the decision was read.
        """
        scope = self.transactions
        return scope.open_xa, [xid for xid, kept in scope.packed() if kept], scope.undecidable

    @property
    def window(self):
        """The GtidWindow; None if there is none."""
        return self.events.window

    def set_stop_position(self, position: cython.ulonglong) -> None:
        """Leave out what begins there or after it, and end there."""
        self.events.stop_position = position

    def begin_stream(self) -> None:
        """Begin another stream of events, or another payload's."""
        if self.transactions is not None:
            self.transactions.begin_stream()

    def apply(self, batch: EventBatch) -> list:
        """Mark the events of a batch, or leave in it what is kept. Return batches of earlier events that come before
        it: those that waited, and are kept."""
        if self.transactions is not None:
            return self.transactions.apply(batch)
        with cython.nogil:
            self.mark(batch)
        return []

    def mark(self, batch: EventBatch):
        i: cython.Py_ssize_t
        judges: cython.bint = not self.events.is_empty()
        for i in range(batch.count):
            e: p_Event = batch.events + i
            verdict: cython.int = self.events.judge(e, cython.address(batch.format)) if judges else KEPT
            if verdict == KEPT:
                if self.database is None:
                    continue
                verdict = self.database.judge(batch, i)
            elif verdict == ENDS:
                # keep the dropped event for the verification of checksums
                e.bits |= event.LEFT_OUT
                batch.cut(i + 1)
                if e.refused_from != event.NOT_REFUSED:
                    e.refused_from = event.NOT_REFUSED
                    batch.refusals -= 1
                self.over = True
                return
            e.bits |= verdict

    # ---- travel

    def packed(self) -> PackedFilter:
        """Return what it remembers."""
        events = self.events
        return PackedFilter(
            events=events.events if events.offset else 0,
            offset_waits=events.offset > 0,
            start_waits=events.start_time > 0,
            left_out=bool(events.left_out),
            window=None if events.window is None else events.window.packed(),
            ignored=() if self.database is None else self.database.packed(),
            prepared=() if self.transactions is None else self.transactions.packed(),
        )

    def unpack(self, packed: PackedFilter) -> None:
        """Continue from what another one remembered."""
        events = self.events
        events.events = packed.events
        if not packed.offset_waits:
            events.offset = 0
        if not packed.start_waits:
            events.start_time = 0
        events.left_out = packed.left_out
        if events.window is not None:
            events.window.unpack(packed.window)
        if self.database is not None:
            self.database.unpack(packed.ignored)
        if self.transactions is not None:
            self.transactions.unpack(packed.prepared)
