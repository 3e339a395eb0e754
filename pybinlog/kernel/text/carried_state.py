# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""CarriedState: the text's memory carried over every kind of event, and packed to travel to other processes.

Compiled, as a first pass over every event has to be done with it before parts of a log can be printed elsewhere.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.carried_state is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    APPEND_BLOCK,
    BEGIN_LOAD_QUERY,
    CREATE_FILE,
    DELETE_FILE,
    EXECUTE_LOAD,
    EXECUTE_LOAD_QUERY,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    INCIDENT,
    LOAD,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_GTID,
    MARIA_QUERY_COMPRESSED,
    MARIA_WRITE_ROWS_COMPRESSED_V1,
    NEW_LOAD,
    PREVIOUS_GTIDS,
    QUERY,
    ROTATE,
    SLAVE,
    STOP,
    TABLE_MAP,
    TRANSACTION_PAYLOAD,
    XID,
    Event,
    encrypts,
    is_rows,
)
from cython.cimports.pybinlog.kernel.base.format import Format
from cython.cimports.pybinlog.kernel.base.outcome import DONE, FILTERED, SKIPPED, STOPPED
from cython.cimports.pybinlog.kernel.rows.rows import statement_head
from cython.cimports.pybinlog.kernel.scan.classify import state_number, state_of_number
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_parse
from cython.cimports.pybinlog.kernel.scan.scan import Scanner
from cython.cimports.pybinlog.kernel.text.printer import Printer
from cython.cimports.pybinlog.kernel.text.query import session_take
from cython.cimports.pybinlog.kernel.text.render import Renderer
from cython.cimports.pybinlog.kernel.text.select import asked_for
from cython.cimports.pybinlog.kernel.text.text_state import TextState

# What consider() says of an event.
STEPPED = cython.declare(cython.int, 0)
LEFT_OUT = cython.declare(cython.int, 1)
ENDS = cython.declare(cython.int, 2)
LOOK = cython.declare(cython.int, 3)  # Python code carries the state over this one
LOST = cython.declare(cython.int, -1)


@cython.cclass
class CarriedState(TextState):
    """The state of a Renderer between two events, for one that prints elsewhere.

    `advance_from(batch, index)` continues from an event of the batch; see there. `packed()` is the state as a tuple of
    plain values, equal for equal states, and `unpack(packed)` takes it.
    """

    def __init__(self, renderer: Renderer):
        self.owner = renderer
        self.include_gtids = renderer.include_gtids
        self.exclude_gtids = renderer.exclude_gtids
        self.load_ids = set()
        self.stamp = 1
        self.take(renderer)

    def take(self, renderer: Renderer) -> None:
        """The state that a renderer is in."""
        other: TextState = renderer.state()
        self.options = other.options
        self.session = other.session
        self.progress = other.progress
        self.deferred = other.deferred
        self.head_waits = other.head_waits
        self.ignored_count = other.ignored_count
        self.gtid_session = renderer.gtid_session
        self.window = None if renderer.window is None else renderer.window.copy()

    def set_stop_position(self, position: cython.ulonglong) -> None:
        self.options.stop_position = position

    # ---- the tables of the current part

    def begin_part(self) -> None:
        """A part begins here: rows of tables that were mapped before it are noted (`lacks_table`)."""
        self.stamp += 1
        self.mapped_count = 0
        self.needs_files = False

    def add_mapped(self, table_id):
        slot: cython.size_t = (table_id ^ (table_id >> 12)) & (TABLES - 1)
        while self.mapped_stamp[slot] == self.stamp:
            if self.mapped[slot] == table_id:
                return
            slot = (slot + 1) & (TABLES - 1)
        if self.mapped_count >= TABLES // 2:
            # a statement has few tables: those of the transactions before are not needed any more
            self.stamp += 1
            self.mapped_count = 0
            slot = (table_id ^ (table_id >> 12)) & (TABLES - 1)
        self.mapped[slot] = table_id
        self.mapped_stamp[slot] = self.stamp
        self.mapped_count += 1

    def is_mapped(self, table_id):
        slot: cython.size_t = (table_id ^ (table_id >> 12)) & (TABLES - 1)
        while self.mapped_stamp[slot] == self.stamp:
            if self.mapped[slot] == table_id:
                return True
            slot = (slot + 1) & (TABLES - 1)
        return False

    def knows_table(self, table_id):
        return True  # note_table has looked

    def note_table(self, batch, e):
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        if statement_head(
            e, cython.address(batch.format), cython.address(table_id), cython.address(flags), cython.address(behind)
        ):
            if e.type == TABLE_MAP:
                self.add_mapped(table_id)
            elif not self.is_mapped(table_id):
                self.lacks_table = True

    # ---- one event

    def consider(self, batch, e):
        """Move on by one event."""
        kind: uint8_t = e.type
        asked: cython.int = asked_for(
            cython.address(self.options),
            cython.address(self.progress),
            self.include_gtids,
            self.exclude_gtids,
            self.window,
            self.inside_payload,
            e,
            cython.address(batch.format),
        )
        if asked == FILTERED and not self.options.short_form:
            self.head_waits = True
        if asked == SKIPPED or asked == FILTERED:
            self.progress.events += 1
            return LEFT_OUT
        if asked != DONE:
            return ENDS if asked == STOPPED else LOST
        if (
            kind == TRANSACTION_PAYLOAD
            or kind == MARIA_GTID
            or kind == MARIA_QUERY_COMPRESSED
            or kind == EXECUTE_LOAD_QUERY
            or kind == BEGIN_LOAD_QUERY
            or encrypts(e)
        ):
            return LOOK
        if kind == LOAD or kind == NEW_LOAD or kind == CREATE_FILE or kind == EXECUTE_LOAD:
            self.needs_files = True
            return LOST
        if MARIA_WRITE_ROWS_COMPRESSED_V1 <= kind <= MARIA_DELETE_ROWS_COMPRESSED and batch.format.mariadb:
            self.note_table(batch, e)
            self.head_waits = False
            if not self.step_statement(batch, e):
                return LOST
            self.progress.events += 1
            return STEPPED
        if kind == TABLE_MAP or is_rows(kind):
            self.note_table(batch, e)
        if self.step(batch, e):
            return STEPPED
        if kind == QUERY or kind == TABLE_MAP or is_rows(kind) or kind == GTID or kind == GTID_TAGGED:
            return LOST  # it is corrupt, or more than can be kept in mind
        # everything else has text and leaves no trace
        if kind == APPEND_BLOCK:
            self.needs_files = True
        self.progress.events += 1
        return STEPPED

    # ---- many events

    def advance_from(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Continue from an event of the batch as if it and those after it were printed.

        Returns the index of the first event that it did not go over: `len(batch)` at the batch's end. Else `stopped`
        tells that the text ends before that event; `wants_look(batch, index)` that one of the methods below carries
        it over that; if neither, nobody knows the state after it but the renderer that prints it.
        """
        i: cython.Py_ssize_t = index
        status: cython.int = STEPPED
        self.table_count = 0
        with cython.nogil:
            while i < batch.count:
                status = self.consider(batch, batch.events + i)
                if status != STEPPED and status != LEFT_OUT:
                    break
                i += 1
        self.stopped = status == ENDS
        return i

    def wants_look(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        kind: uint8_t = batch.at(index).type
        return not self.stopped and (
            kind == TRANSACTION_PAYLOAD
            or kind == MARIA_GTID
            or kind == MARIA_QUERY_COMPRESSED
            or kind == EXECUTE_LOAD_QUERY
            or kind == BEGIN_LOAD_QUERY
        )

    def event_done(self) -> None:
        """An event is printed whose text is not made in the compiled loop."""
        self.head_waits = False
        self.progress.events += 1

    def maria_transaction(self, gtid_session, in_transaction: cython.bint) -> None:
        """A MariaDB GTID: what it has set in the session, None for nothing, and whether it opens a transaction."""
        if gtid_session is not None:
            self.gtid_session = gtid_session
        self.progress.skipped_in_transaction = False
        self.progress.in_transaction = in_transaction
        self.event_done()

    def query(self, batch: EventBatch, index: cython.Py_ssize_t, plain: bytes) -> bool:
        """A Query_compressed event, which stands for the event `plain`; False where that is corrupt."""
        e: Event = batch.at(index)[0]
        data: cython.p_const_char = plain
        e.data = cython.cast(cython.pointer(cython.const[uint8_t]), data)
        e.size = len(plain)
        e.whole = len(plain)
        if not self.step_query(batch, cython.address(e)):
            return False
        self.event_done()
        return True

    def begin_file(self, file_id: int) -> None:
        """A Begin_load_query event."""
        self.load_ids.add(file_id)
        self.needs_files = True
        self.event_done()

    def execute_load(self, batch: EventBatch, index: cython.Py_ssize_t) -> bool:
        """An Execute_load_query event; False where it is corrupt."""
        query: Query
        e: cython.pointer(Event) = batch.at(index)
        if query_parse(cython.address(query), e, cython.address(batch.format)) < 0:
            return False
        self.needs_files = True
        known: cython.bint = query.file_id in self.load_ids
        self.load_ids.discard(query.file_id)
        if self.leaves_out(query.database, query.database_length):
            self.progress.skipped_in_transaction = True
        elif known:
            session_take(cython.address(self.session), cython.address(query), e.flags)
        self.event_done()
        return True

    # ---- travel

    def packed(self) -> tuple:
        """The whole state but the options; offset and start time only say whether they are used up."""
        return (*self.variables(), *self.places(), self.progress.events)

    def variables(self) -> tuple:
        """What was set last, whatever came before; pybinlog.spark.state knows the order."""
        s = cython.address(self.session)
        return (
            (bool(s.flags2_known), s.flags2 if s.flags2_known else 0),
            (bool(s.sql_mode_known), s.sql_mode if s.sql_mode_known else 0),
            s.auto_increment_increment,
            s.auto_increment_offset,
            cython.cast(cython.p_char, cython.address(s.charset[0]))[:6] if s.charset_known else None,
            PyBytes_FromStringAndSize(s.time_zone, s.time_zone_length),
            s.lc_time_names,
            s.collation_database,
            s.default_collation_for_utf8mb4,
            s.thread_id if s.thread_id_known else 0,
            PyBytes_FromStringAndSize(s.database, s.database_length),
            self.progress.immediate_server_version,
            bool(self.progress.mariadb),
            self.gtid_session,
        )

    def places(self) -> tuple:
        """Where the text stands between statements, transactions and logs, and what waits."""
        p = cython.address(self.progress)
        return (
            bool(self.session.thread_id_known),
            bool(p.in_transaction),
            bool(p.seen_gtid),
            bool(p.skipped_in_transaction),
            bool(p.unflushed),
            bool(p.printed_format_description),
            bool(p.seen_format_description),
            bool(p.gtid_filtered),
            self.deferred,
            bool(self.head_waits),
            tuple([self.ignored[i] for i in range(self.ignored_count)]),
            self.options.offset > 0,
            self.options.start_datetime > 0,
            None if self.window is None else self.window.packed(),
            tuple(sorted(self.load_ids)),
        )

    def unpack(self, state: tuple) -> None:
        """Take the state that `packed` gave."""
        s = cython.address(self.session)
        p = cython.address(self.progress)
        memset(s, 0, cython.sizeof(self.session))
        (
            (flags2_known, flags2),
            (sql_mode_known, sql_mode),
            s.auto_increment_increment,
            s.auto_increment_offset,
            charset,
            time_zone,
            s.lc_time_names,
            s.collation_database,
            s.default_collation_for_utf8mb4,
            s.thread_id,
            database,
            p.immediate_server_version,
            p.mariadb,
            self.gtid_session,
            s.thread_id_known,
            p.in_transaction,
            p.seen_gtid,
            p.skipped_in_transaction,
            p.unflushed,
            p.printed_format_description,
            p.seen_format_description,
            p.gtid_filtered,
            self.deferred,
            self.head_waits,
            ignored,
            offset_waits,
            start_waits,
            window,
            load_ids,
            p.events,
        ) = state
        s.flags2_known, s.flags2 = flags2_known, flags2
        s.sql_mode_known, s.sql_mode = sql_mode_known, sql_mode
        if charset is not None:
            s.charset_known = True
            memcpy(s.charset, cython.cast(cython.p_const_char, cython.cast(bytes, charset)), 6)
        memcpy(s.time_zone, cython.cast(cython.p_const_char, cython.cast(bytes, time_zone)), len(time_zone))
        s.time_zone_length = len(time_zone)
        memcpy(s.database, cython.cast(cython.p_const_char, cython.cast(bytes, database)), len(database))
        s.database_length = len(database)
        self.ignored_count = 0
        for table_id in ignored:
            self.ignored[self.ignored_count] = table_id
            self.ignored_count += 1
        if not offset_waits:
            self.options.offset = 0
        if not start_waits:
            self.options.start_datetime = 0
        if self.window is not None:
            self.window.unpack(window)
        self.load_ids = set(load_ids)

    def resume(self, renderer: Renderer, write, warn) -> None:
        """Let a renderer continue from here; see `Renderer.resume`."""
        printer: cython.pointer(Printer) = cython.address(renderer.printer)
        renderer.resume(self, write, warn)
        printer.options.offset = self.options.offset
        printer.options.start_datetime = self.options.start_datetime
        renderer.gtid_session = self.gtid_session
        renderer.window = None if self.window is None else self.window.copy()


# ---- the scanner


def scanner_state(scanner: Scanner) -> bytes:
    """What a scanner knows of the stream before its position: the Format_description in force, the boundaries' state.

    It holds for the same build of pybinlog on the same kind of machine.
    """
    head = scanner.position.to_bytes(8, "little") + bytes([state_number(cython.address(scanner.boundary))])
    return head + PyBytes_FromStringAndSize(
        cython.cast(cython.p_const_char, cython.address(scanner.format)), cython.sizeof(Format)
    )


def restore_scanner(scanner: Scanner, state: bytes) -> None:
    """Continue where another scanner was. ValueError where the state is of another build."""
    if len(state) != 9 + cython.sizeof(Format):
        raise ValueError("the state of a scanner has another size here; pybinlog is not the same on all machines")
    scanner.position = int.from_bytes(state[:8], "little")
    state_of_number(cython.address(scanner.boundary), state[8])
    memcpy(cython.address(scanner.format), cython.cast(cython.p_const_char, state) + 9, cython.sizeof(Format))


def boundary_number(scanner: Scanner) -> int:
    """The boundaries' state, as StreamState numbers it."""
    return state_number(cython.address(scanner.boundary))


def restore_boundary(scanner: Scanner, number: int) -> None:
    """Let the boundaries be in that state."""
    state_of_number(cython.address(scanner.boundary), number)
