# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sieve: leaves in a batch only what is asked for; compiled, as it looks at every event that is read.

A transaction stays with its frame (GTID, BEGIN, Table_map, COMMIT ...) where something of it is asked for, and goes as
a whole where nothing is. So the events of a frame wait until the first event that is asked for comes: as places in the
batch, or as copies where the batch ends before. They are few, so nothing else has to be held back or read twice. What
comes out is batches like any other, and those who print or step over them know nothing of the sieve.
"""

import cython

from cython.cimports.libc.stdint import uint8_t, uint16_t, uint32_t, uint64_t
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
    INCIDENT,
    INTVAR,
    LEFT_OUT,
    LOAD,
    MARIA_ANNOTATE_ROWS,
    MARIA_DELETE_ROWS_COMPRESSED,
    MARIA_GTID,
    MARIA_QUERY_COMPRESSED,
    NEW_LOAD,
    NOT_REFUSED,
    QUERY,
    RAND,
    ROTATE,
    ROWS_QUERY,
    STMT_END_F,
    TABLE_MAP,
    TRANSACTION_CONTEXT,
    TRANSACTION_PAYLOAD,
    USER_VAR,
    VIEW_CHANGE,
    XA_PREPARE,
    XID,
    Event,
    Format,
)
from cython.cimports.pybinlog.kernel.base.event_kind import is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.base.little_endian import read_u32
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize, memcmp, memmove
from cython.cimports.pybinlog.kernel.base.text import put_bytes, text_free, text_init
from cython.cimports.pybinlog.kernel.rows.rows import statement_head
from cython.cimports.pybinlog.kernel.scan.classify import (
    END_TRANSACTION,
    SELF_CONTAINED,
    START_TRANSACTION,
    is_space,
    query_compressed,
    starts_with,
)
from cython.cimports.pybinlog.kernel.scan.gtid_fields import FL_EXTRA_THREAD_ID, MariaGtid, maria_gtid_parse
from cython.cimports.pybinlog.kernel.scan.operation import INSERTS, OTHER_OPERATION, rows_operation, text_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import (
    Query,
    QueryParts,
    query_is_transaction_keyword,
    query_parts,
    query_starts_group,
)
from cython.cimports.pybinlog.kernel.text.event_filter import EventFilter, filter_event
from cython.cimports.pybinlog.kernel.text.printer import CORRUPT, DONE, STOPPED

from pybinlog.kernel.scan.scan import inflate_start

MOST_WAITING = cython.declare(uint64_t, 1 << 20)
"""Bytes of a frame that may wait: with more (savepoints, blocks of LOAD DATA) a transaction stays."""


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def stands_apart(kind: uint8_t, mariadb: cython.bint) -> cython.bint:
    """An event that belongs to no transaction: of the log, or unknown."""
    if kind >= MARIA_ANNOTATE_ROWS:
        return not mariadb or not (
            kind == MARIA_ANNOTATE_ROWS
            or kind == MARIA_GTID
            or MARIA_QUERY_COMPRESSED <= kind <= MARIA_DELETE_ROWS_COMPRESSED
        )
    return not (
        kind == QUERY
        or is_rows(kind)
        or kind == TABLE_MAP
        or kind == XID
        or kind == GTID
        or kind == ANONYMOUS_GTID
        or kind == GTID_TAGGED
        or kind == ROWS_QUERY
        or kind == TRANSACTION_PAYLOAD
        or kind == XA_PREPARE
        or prepares(kind)
        or kind == EXECUTE_LOAD_QUERY
        or kind == TRANSACTION_CONTEXT
        or kind == VIEW_CHANGE
        or stays(kind)
    )


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def prepares(kind: uint8_t) -> cython.bint:
    """Something before a statement, of which only the statement says whether it is asked for."""
    return kind == INTVAR or kind == RAND or kind == USER_VAR or kind == BEGIN_LOAD_QUERY or kind == APPEND_BLOCK


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def stays(kind: uint8_t) -> cython.bint:
    """An event of which nobody can say what it changes."""
    return (
        kind == INCIDENT
        or kind == LOAD
        or kind == NEW_LOAD
        or kind == CREATE_FILE
        or kind == EXECUTE_LOAD
        or kind == DELETE_FILE
    )


@cython.cfunc
def same_format(a: cython.pointer(Format), b: cython.pointer(Format)) -> cython.bint:
    """Whether events under both are read in the same way."""
    return (
        a.header_length == b.header_length
        and a.checksum_length == b.checksum_length
        and a.mariadb == b.mariadb
        and a.server_version == b.server_version
        and memcmp(a.post_header_length, b.post_header_length, 256) == 0
    )


@cython.cclass
class Sieve(EventFilter):
    """What stays of the batches of one stream, in their order.

    `options` and `filters` are those of `EventFilter.set_filters`: positions, times and GTIDs come first. `names` is a
    NameFilter, `types` a set of type bytes, `operations` a sum of INSERTS and so on, `threads` and `servers` sets of
    ids; each None (0) for all. `warn(batch, index)` is told of each event that the boundary parser refused, before it
    may go.
    """

    def __cinit__(self):
        text_init(cython.address(self.tables))
        self.ready = []
        self.statement = -1
        self.prepared_xids = {}
        self.server_in_filter = True

    def __dealloc__(self):
        text_free(cython.address(self.tables))

    def __init__(self, options, filters: tuple, names, types, operations: cython.int, threads, servers, warn):
        self.set_filters(options, filters)
        self.options.skip_gtids = False  # whoever prints leaves them out
        self.database = None
        self.options.database = cython.NULL
        self.names = names
        self.by_type = types is not None
        for kind in types or ():
            self.types[cython.cast(uint8_t, kind)] = True
        self.operations = operations
        self.threads = None if threads is None else frozenset(threads)
        self.servers = None if servers is None else frozenset(servers)
        self.warn = warn

    def filter_payloads(self, inside: Sieve, payloads, is_kept) -> None:
        """Look inside payloads with another sieve of the same kind.

        `is_kept(batch, index)` says whether something of a payload stays that `payloads` (None: any) cannot read.
        """
        self.inside = inside
        inside.prepared_xids = self.prepared_xids  # a payload may end with XA PREPARE
        self.payloads = payloads
        self.is_kept = is_kept

    def continues(self) -> None:
        """What was to be passed over at the beginning (--offset, --start-datetime) was passed over elsewhere."""
        self.options.offset = 0
        self.options.start_datetime = 0

    def begin_stream(self) -> None:
        """Another stream of events begins: what waits will never be asked for."""
        self.drop_waiting()
        self.end_group()

    def begin_payload(self) -> None:
        """The events of a payload follow."""
        self.begin_stream()
        self.inside_payload = True

    @property
    def at_rest(self) -> bool:
        """Whether another sieve can continue here, with `continues`."""
        return (
            not self.in_group
            and not self.kept
            and not self.held_count
            and not self.prepared_xids
            and self.window is None
            and not self.options.offset
            and self.options.start_datetime <= 0
            and not self.progress.gtid_filtered
        )

    # ---- a batch

    def sift(self, batch: EventBatch) -> list:
        """Leave in the batch what stays. Returns batches of earlier events that stay, too, and come before it.

        `ended`: nothing after this batch is asked for.
        """
        i: cython.Py_ssize_t = 0
        asks: cython.bint
        self.first = self.to = 0
        if (
            batch.count
            and self.held_count
            and not same_format(cython.address(batch.format), cython.address(self.held.format))
        ):
            self.keep_waiting()  # it could not be read with the others
            self.kept = True
        while i < batch.count and not self.ended:
            if batch.refusals and batch.events[i].refused_from != NOT_REFUSED:
                self.warn(batch, i)
                batch.events[i].refused_from = NOT_REFUSED
            with cython.nogil:
                asks = self.run(batch, cython.address(i))
            if asks:
                self.take(batch, i, KEPT if self.payload_matches(batch, i) else LEFT)
                i += 1
        batch.refusals = 0
        if self.ended:
            self.drop_waiting()
        self.hold(batch)
        batch.count = self.first
        ready: list = self.ready
        if ready:
            self.ready = []
        return ready

    def keeps(self, batch: EventBatch) -> bool:
        """Whether something of the batch, or of earlier ones with it, stays."""
        return bool(self.sift(batch)) or batch.count > 0

    def run(self, batch, index):
        """From event `index` on, to the batch's end, or the end of what is asked for, or the next event that the parser
        refused; True at a payload that has to be read."""
        verdict: cython.int
        start: cython.Py_ssize_t = index[0]
        while index[0] < batch.count:
            if index[0] > start and batch.refusals and batch.events[index[0]].refused_from != NOT_REFUSED:
                return False
            verdict = self.judge(batch.events + index[0], batch)
            if self.ended:
                return False
            if verdict == ASKS_PAYLOAD:
                return True
            self.take(batch, index[0], verdict)
            index[0] += 1
        return False

    def take(self, batch, index, verdict):
        """Do with an event what was said of it."""
        e: Event = batch.events[index]
        self.progress.events += 1
        if verdict == KEPT:
            self.keep_waiting()
            self.kept = True
            batch.events[self.to] = e
            self.to += 1
            self.first = self.to
        elif verdict == ENDS_ROWS:
            batch.events[self.to] = e
            batch.events[self.to].bits |= LEFT_OUT
            self.to += 1
            self.first = self.to
        elif verdict == FRAMES or verdict == PREPARES:
            if verdict == PREPARES and self.statement < 0:
                self.statement = self.held_count + self.to - self.first
                self.statement_waiting = 0
            batch.events[self.to] = e
            self.to += 1
            if verdict == FRAMES and self.kept:
                self.keep_waiting()
            else:
                self.waiting += e.event_size
                if verdict == PREPARES:
                    self.statement_waiting += e.event_size
                if self.waiting > MOST_WAITING:
                    self.keep_waiting()
                    self.kept = True
        elif verdict == STANDS_APART:
            # before what waits, which may still go
            memmove(
                batch.events + self.first + 1,
                batch.events + self.first,
                (self.to - self.first) * cython.sizeof(Event),
            )
            batch.events[self.first] = e
            self.first += 1
            self.to += 1
            return
        elif verdict == DROPS_STATEMENT:
            self.drop_statement()
        if e.boundary == END_TRANSACTION or e.boundary == SELF_CONTAINED:
            if not stands_apart(e.type, batch.format.mariadb):
                self.end_group()

    def payload_matches(self, batch, index):
        """Whether something of a payload stays."""
        self.inside.begin_payload()
        inner: EventBatch = None
        if self.payloads is not None:
            inner = self.payloads.events(batch, index, False)
        if inner is None:
            return self.is_kept(batch, index)
        return self.inside.keeps(inner)

    # ---- what waits

    def begin_group(self, e):
        self.drop_waiting()
        self.end_group()
        self.in_group = True
        self.server_in_filter = self.has_server(e)

    def end_group(self):
        """The transaction is over: what waits of it goes."""
        self.drop_waiting()
        self.in_group = False
        self.kept = False
        self.in_xa = False
        self.thread_in_filter = False
        self.rows_kept = False
        self.tables.length = 0

    def drop_statement(self):
        if self.statement < 0:
            return
        if self.statement < self.held_count:
            self.held_count = self.held.count = self.statement
            self.to = self.first
        else:
            self.to = self.first + self.statement - self.held_count
        self.statement = -1
        self.waiting -= self.statement_waiting
        self.statement_waiting = 0

    def drop_waiting(self):
        if self.held_count:
            with cython.gil:
                self.held = None
        self.held_count = 0
        self.to = self.first
        self.statement = -1
        self.waiting = self.statement_waiting = 0

    def keep_waiting(self):
        if self.held_count:
            with cython.gil:
                self.ready.append(self.held)
                self.held = None
        self.held_count = 0
        self.first = self.to
        self.statement = -1
        self.waiting = self.statement_waiting = 0

    def hold(self, batch):
        """Copy what waits of a batch: its bytes may go before more is known."""
        i: cython.Py_ssize_t
        e: cython.pointer(Event)
        data: bytes
        if self.first == self.to:
            return
        if self.held is None or not self.held_count:
            self.held = EventBatch()
            self.held.format = batch.format
            self.held.file = batch.file
        for i in range(self.first, self.to):
            e = self.held.add()
            if e == cython.NULL:
                raise MemoryError("no memory for events that wait")
            e[0] = batch.events[i]
            data = PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, e.data), e.event_size)
            self.held.side.append(data)
            e.data = cython.cast(cython.pointer(cython.const[uint8_t]), cython.cast(cython.p_const_char, data))
        self.held_count = self.held.count
        self.to = self.first

    # ---- an event

    def judge(self, e, batch):
        kind: uint8_t = e.type
        status: cython.int
        apart: cython.bint = stands_apart(kind, batch.format.mariadb)
        gtid: MariaGtid
        if not apart and (e.boundary == START_TRANSACTION or e.boundary == SELF_CONTAINED):
            self.begin_group(e)
        if not self.inside_payload:
            status = filter_event(self, e, cython.address(batch.format))
            if status == STOPPED:
                self.ended = True
                return LEFT
            if status == CORRUPT:
                return KEPT  # whoever prints it says so
            if status != DONE:
                return LEFT
        if kind == FORMAT_DESCRIPTION:
            return STANDS_APART
        if self.servers is not None and kind != ROTATE:
            if not (self.server_in_filter if self.in_group and not apart else self.has_server(e)):
                return self.judge_foreign(e, batch)
        if kind == TABLE_MAP:
            return self.judge_table(e, batch)
        if is_rows(kind) or (batch.format.mariadb and is_compressed_rows(kind)):
            return self.judge_rows(e, batch)
        if apart:
            return STANDS_APART if not self.by_type or self.types[kind] else LEFT
        if kind == QUERY or kind == EXECUTE_LOAD_QUERY or kind == MARIA_QUERY_COMPRESSED:
            return self.judge_query(e, batch)
        if kind == TRANSACTION_PAYLOAD:
            return KEPT if self.is_named(kind) else LEFT if self.inside_payload else ASKS_PAYLOAD
        if stays(kind):
            return KEPT if not self.by_type or self.types[kind] else LEFT
        if kind == MARIA_GTID and self.threads is not None:
            if maria_gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                return KEPT
            if gtid.has_extra and gtid.extra & FL_EXTRA_THREAD_ID:
                self.thread_in_filter = self.has_thread(gtid.thread_id)
        named: cython.bint = self.is_named(kind)
        if kind == XA_PREPARE:
            self.note_prepared(e, batch, self.kept or named)
        if named:
            return KEPT
        if kind == ROWS_QUERY or kind == MARIA_ANNOTATE_ROWS or prepares(kind):
            return PREPARES
        return FRAMES

    def judge_foreign(self, e, batch):
        """An event of a server that the filter leaves out: only the end of a prepared XA transaction may be kept."""
        kind: uint8_t = e.type
        if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED or kind == MARIA_GTID:
            return FRAMES if not stands_apart(kind, batch.format.mariadb) else LEFT
        if kind == XA_PREPARE:
            self.note_prepared(e, batch, False)
        return self.judge_query(e, batch) if kind == QUERY else LEFT

    def note_prepared(self, e, batch, kept):
        """An XA_prepare event: whether something of its transaction is kept decides about its end."""
        # a first byte of 1 is ONE PHASE: no second one follows
        if self.xid is None or e.body_end <= batch.format.header_length or e.data[batch.format.header_length] != 0:
            return
        with cython.gil:
            self.prepared_xids[self.xid] = True if kept else False

    def judge_query(self, e, batch):
        """A statement, or a word of the frame."""
        parts: QueryParts
        query: Query
        kind: uint8_t = e.type
        foreign: cython.bint = self.in_group and not self.server_in_filter
        if query_parts(cython.address(parts), e, cython.address(batch.format)) < 0:
            return LEFT if foreign else KEPT  # the printer says what is wrong
        thread_id: uint32_t = read_u32(parts.fields)
        wanted: cython.bint = (not self.by_type or self.types[kind]) and self.has_thread(thread_id) and not foreign
        query.text = parts.text
        query.length = parts.length
        if kind == QUERY and query_is_transaction_keyword(cython.address(query)):
            if query_starts_group(cython.address(query)):
                self.thread_in_filter = self.has_thread(thread_id)
            if starts_with(parts.text, parts.length, "XA START") or starts_with(parts.text, parts.length, "XA END"):
                self.in_xa = True
                if starts_with(parts.text, parts.length, "XA END"):
                    self.take_xid(parts.text + 6, parts.length - 6)
            elif not self.in_xa and starts_with(parts.text, parts.length, "XA COMMIT"):
                return self.judge_second_phase(parts.text + 9, parts.length - 9, KEPT if wanted else DROPS_STATEMENT)
            elif not self.in_xa and starts_with(parts.text, parts.length, "XA ROLLBACK"):
                return self.judge_second_phase(parts.text + 11, parts.length - 11, KEPT if wanted else DROPS_STATEMENT)
            return FRAMES
        if (
            wanted
            and (self.names is None or self.names.has(parts.database, parts.database_length, cython.NULL, 0))
            and (not self.operations or self.operations & self.operation_of(cython.address(parts), e, batch))
        ):
            return KEPT
        return DROPS_STATEMENT

    def take_xid(self, text, length):
        """Keep the id of the XA transaction."""
        while length and is_space(text[0]):
            text += 1
            length -= 1
        while length and is_space(text[length - 1]):
            length -= 1
        with cython.gil:
            self.xid = PyBytes_FromStringAndSize(text, length)

    def judge_second_phase(self, text, length, otherwise):
        """The end of an XA transaction that was prepared before is kept if anything of that was; `otherwise` if the
        logs do not hold its PREPARE."""
        if length > 10 and starts_with(text + length - 9, 9, "ONE PHASE"):
            length -= 9
        self.take_xid(text, length)
        with cython.gil:
            kept = self.prepared_xids.pop(self.xid, None)
            if kept is None:
                return otherwise
            return KEPT if kept else DROPS_STATEMENT

    def judge_table(self, e, batch):
        table: StatementTable
        flags: uint16_t = 0
        after: cython.size_t = 0
        length: cython.size_t
        name: cython.size_t
        if not statement_head(
            e,
            cython.address(batch.format),
            cython.address(table.id),
            cython.address(flags),
            cython.address(after),
        ):
            return KEPT
        table.matches = True
        if self.names is not None:
            # each name with its length in a byte before it and a null byte after it
            if e.body_end <= after or e.data[after] > e.body_end - after - 1:
                return KEPT
            length = e.data[after]
            name = after + length + 2
            if e.body_end <= name or e.data[name] > e.body_end - name - 1:
                return KEPT
            table.matches = self.names.has(
                cython.cast(cython.p_const_char, e.data + after + 1),
                length,
                cython.cast(cython.p_const_char, e.data + name + 1),
                e.data[name],
            )
        put_bytes(
            cython.address(self.tables),
            cython.cast(cython.p_const_char, cython.address(table)),
            cython.sizeof(StatementTable),
        )
        if not table.matches:
            return LEFT
        if self.by_type and self.types[TABLE_MAP] and not self.operations and self.thread_matches():
            return KEPT
        return PREPARES

    def judge_rows(self, e, batch):
        flags: uint16_t = 0
        after: cython.size_t = 0
        table_id: uint64_t = 0
        i: cython.size_t = self.tables.length // cython.sizeof(StatementTable)
        table: cython.pointer(StatementTable) = cython.cast(cython.pointer(StatementTable), self.tables.data)
        if not statement_head(
            e,
            cython.address(batch.format),
            cython.address(table_id),
            cython.address(flags),
            cython.address(after),
        ):
            return KEPT
        wanted: cython.bint = self.names is None or not self.names.includes  # of a table that nobody mapped
        while i > 0:
            i -= 1
            if table[i].id == table_id:
                wanted = table[i].matches
                break
        wanted = (
            wanted
            and (not self.by_type or self.types[e.type])
            and (not self.operations or self.operations & rows_operation(e.type))
            and self.thread_matches()
        )
        if not flags & STMT_END_F:
            self.rows_kept = self.rows_kept or wanted
            return KEPT if wanted else LEFT
        ends_others: cython.bint = self.rows_kept
        self.rows_kept = False
        self.tables.length = 0
        return KEPT if wanted else ENDS_ROWS if ends_others else DROPS_STATEMENT

    def thread_matches(self):
        return self.threads is None or self.thread_in_filter

    def has_thread(self, thread_id):
        if self.threads is None:
            return True
        with cython.gil:
            return thread_id in self.threads

    def has_server(self, e):
        if self.servers is None:
            return True
        with cython.gil:
            return (e.server_id & self.options.server_id_mask) in self.servers

    def is_named(self, kind):
        """Whether an event of a frame is itself what was asked for, by its type."""
        return (
            self.by_type and self.types[kind] and self.names is None and not self.operations and self.thread_matches()
        )

    def operation_of(self, parts, e, batch):
        packed: cython.pointer(cython.const[uint8_t]) = cython.NULL
        length: cython.size_t = 0
        full: cython.size_t = 0
        if e.type == EXECUTE_LOAD_QUERY:
            return INSERTS
        if e.type != MARIA_QUERY_COMPRESSED:
            return text_operation(parts.text, parts.length)
        if not query_compressed(
            cython.address(batch.format),
            e.data,
            e.body_end,
            cython.address(packed),
            cython.address(length),
            cython.address(full),
        ):
            return OTHER_OPERATION
        with cython.gil:
            text: bytes = inflate_start(PyBytes_FromStringAndSize(cython.cast(cython.p_const_char, packed), length))
            return text_operation(text, len(text))
