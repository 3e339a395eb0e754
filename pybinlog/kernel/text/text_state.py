# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TextState: the text's memory between events, and the one machine that moves on by an event.

To print an event is to ask for its action, to print what that says, and to settle it; to step over an event that is
printed elsewhere is to ask and settle. So parts of a log are printed apart, each from its true entry state.
Compiled, as one pass over every event has to be done before the parts can be.

MappedTables says whether a part of a log maps the tables of its rows, which every row event asks.
"""

import cython

from cython.cimports.libc.stdint import uint8_t, uint16_t, uint64_t
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    DELETE_FILE,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    IGNORABLE,
    INCIDENT,
    INTVAR,
    LEFT_OUT,
    MARIA_ANNOTATE_ROWS,
    MARIA_GTID,
    MARIA_GTID_LIST,
    MARIA_QUERY_COMPRESSED,
    PREVIOUS_GTIDS,
    QUERY,
    RAND,
    RELAY_LOG,
    ROTATE,
    ROWS_QUERY,
    STMT_END_F,
    STOP,
    TABLE_MAP,
    UNKNOWN,
    USER_VAR,
    XA_PREPARE,
    XID,
    Event,
    octets,
)
from cython.cimports.pybinlog.kernel.base.event_kind import encrypts, is_compressed_rows, is_rows
from cython.cimports.pybinlog.kernel.base.text import put_bytes, text_free, text_grow, text_init
from cython.cimports.pybinlog.kernel.rows.rows import statement_head
from cython.cimports.pybinlog.kernel.scan.classify import TEXT_ENOUGH, query_compressed
from cython.cimports.pybinlog.kernel.scan.gtid_fields import (
    FL_ALLOW_PARALLEL,
    FL_PREPARED_XA,
    FL_STANDALONE,
    UNDEFINED_SERVER_VERSION,
    gtid_parse,
    maria_gtid_parse,
)
from cython.cimports.pybinlog.kernel.scan.inflated_event import InflatedEvent
from cython.cimports.pybinlog.kernel.scan.query_fields import (
    query_ends_group,
    query_is_transaction_keyword,
    query_parse,
    query_parse_like,
    query_starts_group,
)
from cython.cimports.pybinlog.kernel.text.event_filter import EventFilter, filter_event
from cython.cimports.pybinlog.kernel.text.printer import (
    BASE64_NEVER,
    CORRUPT,
    DONE,
    FILTERED,
    NO_MEMORY,
    SKIPPED,
    STOPPED,
    Progress,
)
from cython.cimports.pybinlog.kernel.text.query import session_take

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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def other_action(kind: uint8_t) -> cython.int:
    """An event that leaves no trace, or only what the slow path that prints it leaves."""
    if (
        kind == ROTATE
        or kind == STOP
        or kind == PREVIOUS_GTIDS
        or kind == XA_PREPARE
        or kind == INCIDENT
        or kind == DELETE_FILE
        or kind == IGNORABLE
        or kind == UNKNOWN
    ):
        return SHOWN
    return SHOWN | HELPED


@cython.cclass
class TextState(EventFilter):
    """What the text remembers. `complete` says that no text waits for a later event: here another can continue."""

    def __cinit__(self):
        text_init(cython.address(self.ignored))
        self.options.server_id_mask = ~self.options.server_id_mask
        self.session.lc_time_names = -1
        self.session.collation_database = -1
        self.session.default_collation_for_utf8mb4 = -1
        self.session.skip_parallel_replication = -1
        self.session.gtid_domain_id = -1
        self.session.server_id = -1
        self.inflated = InflatedEvent()
        self.progress.immediate_server_version = UNDEFINED_SERVER_VERSION

    def __dealloc__(self):
        text_free(cython.address(self.ignored))

    def copy(self) -> TextState:
        """One that continues by itself."""
        other: TextState = TextState()
        other.filter_as(self)
        other.take(self)
        return other

    def take(self, other):
        """Take the state of another; what is asked for stays, but for what of it is used up."""
        self.session = other.session
        self.progress = other.progress
        self.options.offset = other.options.offset
        self.options.start_datetime = other.options.start_datetime
        self.window = None if other.window is None else other.window.copy()
        self.ignored.length = 0
        put_bytes(cython.address(self.ignored), other.ignored.data, other.ignored.length)

    @property
    def complete(self) -> bool:
        return not (
            self.progress.deferred or self.progress.unflushed or self.progress.head_waits or self.ignored.length
        )

    # ---- what an event does

    def action_of(self, e, batch):
        placed: cython.int = 0 if self.options.short_form else PLACED
        action: cython.int = DONE if self.passes_over else filter_event(self, e, cython.address(batch.format))
        if action == DONE:
            action = wanted_action(self, e, batch)
            return action if action < 0 or e.bits & LEFT_OUT else action | placed
        return placed if action == FILTERED else STOPS if action == STOPPED else 0 if action == SKIPPED else action

    def query_action(self, e, batch):
        query: cython.pointer(Query) = cython.address(self.query)
        if query_parse_like(query, cython.address(self.last_status[0]), e, cython.address(batch.format)) < 0:
            return CORRUPT
        shown: cython.int = SHOWN | USES_DEFERRED | SETS_SESSION
        if e.type == MARIA_QUERY_COMPRESSED and not self.inflate_query(e, batch):
            shown |= HELPED
        ends: cython.bint = query_ends_group(query)
        starts: cython.bint = query_starts_group(query)
        if self.skips_database(query.database, query.database_length) and not query_is_transaction_keyword(query):
            if self.progress.seen_gtid and not self.progress.in_transaction and not starts and not ends:
                # a statement that commits by itself: its GTID still wants a transaction
                return USES_DEFERRED | ADDS_COMMIT | USES_GTID
            return USES_DEFERRED | SKIPS
        if ends:
            return shown | CLOSES
        if starts:
            return shown | OPENS
        return shown if self.progress.in_transaction else shown | USES_GTID

    def inflate_query(self, e, batch):
        """Let `query` have the statement of a Query_compressed event.

        Only its first bytes, and False, if the event is not ordinary: the slow path inflates it, or says what is wrong.
        """
        query: cython.pointer(Query) = cython.address(self.query)
        data_at: cython.size_t = cython.cast(octets, query.text) - e.data
        packed: octets = cython.NULL
        length: cython.size_t = 0
        full: cython.size_t = 0
        ordinary: cython.bint = self.inflated.read(e, data_at, cython.address(batch.format), False)
        if not ordinary:
            data_at = 0
            query_compressed(
                cython.address(batch.format),
                e.data,
                e.body_end,
                cython.address(packed),
                cython.address(length),
                cython.address(full),
            )
            self.inflated.read_start(packed, length, TEXT_ENOUGH)
        query.text = self.inflated.text.data + data_at
        query.length = self.inflated.text.length - data_at
        return ordinary

    def load_action(self, e, batch):
        """An Execute_load_query whose file is there."""
        if query_parse(cython.address(self.query), e, cython.address(batch.format)) < 0:
            return CORRUPT
        return SKIPS if self.skips_database(self.query.database, self.query.database_length) else SETS_SESSION

    def maria_action(self, e, batch):
        """MariaDB's own events. Its GTID is a variable like others, that no transaction need use up."""
        kind: uint8_t = e.type
        if kind == MARIA_GTID:
            if maria_gtid_parse(cython.address(self.maria_gtid), e, cython.address(batch.format)) < 0:
                return CORRUPT
            return SHOWN | TELLS_MARIA_GTID | (ADDS_COMMIT if self.progress.skipped_in_transaction else 0)
        if kind == MARIA_QUERY_COMPRESSED:
            return self.query_action(e, batch)
        if is_compressed_rows(kind):
            return self.statement_action(e, batch)
        # the text may end with an error at these
        if encrypts(e) or (kind == MARIA_GTID_LIST and self.window is not None):
            return SHOWN | HELPED
        return SHOWN

    def ignores(self, table_id):
        """Whether --database leaves this table's rows out; the tables of one statement are few."""
        ids: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), self.ignored.data)
        i: cython.size_t = self.ignored.length // cython.sizeof(uint64_t)
        while i > 0:
            i -= 1
            if ids[i] == table_id:
                return True
        return False

    def statement_action(self, e, batch):
        """Table_map, row events, Rows_query."""
        flags: uint16_t = 0
        after: cython.size_t = 0
        if e.type == ROWS_QUERY:
            return SHOWN | HOLDS
        if not statement_head(
            e,
            cython.address(batch.format),
            cython.address(self.table_id),
            cython.address(flags),
            cython.address(after),
        ):
            return CORRUPT
        if e.type == TABLE_MAP:
            if self.options.database != cython.NULL:
                # the database's name comes next, its length in a byte before it
                if e.body_end <= after or e.data[after] > e.body_end - after - 1:
                    return CORRUPT
                if self.skips_database(cython.cast(cython.p_const_char, e.data + after + 1), e.data[after]):
                    if self.ignores(self.table_id):
                        return SKIPS
                    if not text_grow(cython.address(self.ignored), cython.sizeof(uint64_t)):
                        return NO_MEMORY
                    return SKIPS | IGNORES_TABLE
            return SHOWN | HOLDS
        if e.bits & LEFT_OUT:
            return FLUSHES
        if self.ignores(self.table_id):
            return SKIPS | FLUSHES if flags & STMT_END_F else SKIPS
        return SHOWN | FLUSHES if flags & STMT_END_F else SHOWN | HOLDS

    # ---- what it leaves in the state

    def trace(self, e, batch, action):
        """The bits of TRACES; `settle` does that for a whole event."""
        p: cython.pointer(Progress) = cython.address(self.progress)
        if action & FLUSHES:
            p.unflushed = False
            self.ignored.length = 0
        if action & DEFERS:
            p.deferred += 1
            return
        if action & TELLS_MARIA_GTID:
            # an XA transaction cannot be ended by ROLLBACK; its session's end does that
            p.in_transaction = not self.maria_gtid.flags & (FL_STANDALONE | FL_PREPARED_XA)
            if not self.options.short_form and not self.options.skip_gtids:
                self.session.skip_parallel_replication = not self.maria_gtid.flags & FL_ALLOW_PARALLEL
                self.session.gtid_domain_id = self.maria_gtid.domain
                self.session.server_id = e.server_id
        if action & USES_DEFERRED:
            p.deferred = 0
        if action & SKIPS:
            p.skipped_in_transaction = True
        elif action & (ADDS_COMMIT | CLOSES):
            p.skipped_in_transaction = False
        if action & OPENS:
            p.in_transaction = True
        elif action & (CLOSES | ENDS_LOG):
            p.in_transaction = False
        if action & TELLS_GTID:
            p.seen_gtid = True
            if not self.passes_over:
                p.immediate_server_version = self.gtid.immediate_server_version
        elif action & (CLOSES | USES_GTID | ENDS_LOG):
            p.seen_gtid = False
        if action & SETS_SESSION:
            session_take(cython.address(self.session), cython.address(self.query), e.flags)
        elif action & IGNORES_TABLE:
            put_bytes(
                cython.address(self.ignored),
                cython.cast(cython.p_const_char, cython.address(self.table_id)),
                cython.sizeof(uint64_t),
            )
        elif action & BEGINS_LOG:
            p.mariadb = batch.format.mariadb
            if not e.flags & RELAY_LOG:
                p.seen_format_description = True
                if self.options.base64 != BASE64_NEVER and not self.options.short_form:
                    p.printed_format_description = True

    # ---- events that are printed elsewhere

    def note_table(self, e, action):
        """Whether the current part holds what its rows are shown by."""
        if action & SHOWN and action & (HOLDS | FLUSHES):
            if e.type == TABLE_MAP:
                self.mapped.add(self.table_id)
            elif e.type != ROWS_QUERY and not self.mapped.has(self.table_id):
                self.lacks_table = True

    def step_until_helped(self, batch, index):
        """Step from event `index` on: go by the action of each as if it were printed.

        The action of the first that it does not go over, an error, HELPED or STOPS; 0 at the batch's end.
        """
        action: cython.int = 0
        e: cython.pointer(cython.const[Event])
        self.last_gtid = cython.NULL
        while index[0] < batch.count:
            e = batch.events + index[0]
            action = self.action_of(e, batch)
            if action < 0 or action & (HELPED | STOPS):
                return action
            if self.mapped is not None:
                self.note_table(e, action)
            settle(self, e, batch, action)
            index[0] += 1
        if self.last_gtid != cython.NULL:
            # what a GTID says is good for its transaction only, and so that of the last one is enough
            if gtid_parse(cython.address(self.gtid), self.last_gtid, cython.address(batch.format)) < 0:
                return CORRUPT
            self.progress.immediate_server_version = self.gtid.immediate_server_version
        return 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def wanted_action(state: TextState, e: cython.pointer(cython.const[Event]), batch: EventBatch) -> cython.int:
    """That of an event that is asked for, whether its position is shown or not."""
    kind: uint8_t = e.type
    action: cython.int
    if kind == QUERY:
        return state.query_action(e, batch)
    if kind == TABLE_MAP or kind == ROWS_QUERY or is_rows(kind):
        return state.statement_action(e, batch)
    if kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
        if state.passes_over:
            state.last_gtid = e
        elif gtid_parse(cython.address(state.gtid), e, cython.address(batch.format)) < 0:
            return CORRUPT
        return SHOWN | TELLS_GTID | ADDS_COMMIT if state.progress.skipped_in_transaction else SHOWN | TELLS_GTID
    if kind == XID:
        return SHOWN | CLOSES
    if kind == INTVAR or kind == RAND or kind == USER_VAR:
        return SHOWN | DEFERS
    if kind == FORMAT_DESCRIPTION:
        action = SHOWN | BEGINS_LOG
        if not e.flags & RELAY_LOG and e.end_log_pos and state.progress.seen_format_description:
            action |= ENDS_LOG
        return action
    if kind >= MARIA_ANNOTATE_ROWS:
        return state.maria_action(e, batch)
    return other_action(kind)
