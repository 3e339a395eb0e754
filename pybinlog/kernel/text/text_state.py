"""TextState: the text's memory between events, and the one machine that moves on by an event.

To print an event is to ask for its action, to print what that says, and to settle it; to step over an event that is
printed elsewhere is to ask and settle. So parts of a log are printed apart, each from its true entry state.
Compiled, as one pass over every event has to be done before the parts can be.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts, fields
from cython.cimports.pybinlog.kernel.scan import gtid_fields, query_fields
from cython.cimports.pybinlog.kernel.text import printer
from cython.cimports.pybinlog.kernel.text.query import session_apply


def other_action(kind: uint8_t) -> cython.int:
    """Return the action of an event without a trace, or with the trace of the slow path that prints it."""
    helped: cython.bint = (
        facts.IS_IN_PYTHON[kind]
        or kind == event.TRANSACTION_PAYLOAD
        or kind == event.BEGIN_LOAD_QUERY
        or kind == event.APPEND_BLOCK
        or kind == event.EXECUTE_LOAD_QUERY
        or kind == event.MARIA_START_ENCRYPTION  # the text ends there, with an error
    )
    return SHOWN | HELPED if helped else SHOWN


@cython.cclass
class TextState:
    """The memory of the text. `complete` says that no text waits for a later event: here another can continue."""

    def __cinit__(self):
        self.options.server_id_mask = ~self.options.server_id_mask
        self.session.lc_time_names = -1
        self.session.collation_database = -1
        self.session.default_collation_for_utf8mb4 = -1
        self.session.skip_parallel_replication = -1
        self.session.gtid_domain_id = -1
        self.session.server_id = -1
        self.inflated = InflatedEvent()
        self.session.immediate_server_version = gtid_fields.UNDEFINED_SERVER_VERSION

    def set_options(self, options: object) -> None:
        """Take the form of the text from the options of a dump (DumpOptions)."""
        o: cython.pointer(printer.Options) = cython.address(self.options)
        base64: str = options.base64_output.value
        o.short_form = options.short_form
        o.hexdump = options.hexdump
        o.fields = (printer.FIELD_TBM if options.tbm else 0) | (printer.FIELD_BITS if options.statement_bits else 0)
        o.exact = not options.tbm
        o.skip_gtids = options.skip_gtids
        o.require_row_format = options.require_row_format
        o.print_table_metadata = options.print_table_metadata
        o.verbose = 0 if options.short_form else options.verbose
        o.base64 = (
            printer.BASE64_NEVER
            if base64 == "never"
            else printer.BASE64_DECODE_ROWS
            if base64 == "decode-rows"
            else printer.BASE64_AUTO
        )
        o.server_id_mask = (1 << options.server_id_bits) - 1

    def copy(self) -> TextState:
        """Return one that continues by itself."""
        other: TextState = TextState()
        other.options = self.options
        other.assign(self)
        return other

    def assign(self, other: TextState):
        """Take the state of another, not its options."""
        self.session = other.session
        self.names = other.names
        self.progress = other.progress

    @property
    def complete(self) -> bool:
        return not (self.progress.deferred or self.progress.unflushed or self.progress.head_waits)

    # ---- what an event does

    def action_of(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        mark: cython.int = e.bits & event.MARKS
        placed: cython.int = 0 if self.options.short_form else PUTS_AT
        if mark == event.PAYLOAD_BEGIN:
            return SHOWN | placed
        if mark == event.PAYLOAD_END:
            return SHOWN
        if mark == 0 or mark == event.CUT_OUT or mark == event.INSIDE_PAYLOAD:
            action: cython.int = wanted_action(self, e, batch)
            return action if action < 0 else action | placed
        return placed if mark == event.PLACED else FLUSHES if mark == event.CLOSES_STATEMENT else 0

    def query_action(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        query: p_Query = cython.address(self.query)
        if (
            query_fields.query_parse_like(query, cython.address(self.last_status[0]), e, cython.address(batch.format))
            < 0
        ):
            return printer.CORRUPT
        if e.bits & event.MARKS == event.CUT_OUT:
            if self.progress.seen_gtid and not self.progress.in_transaction:
                # a statement that commits by itself: its GTID still wants a transaction
                return USES_DEFERRED | ADDS_COMMIT | USES_GTID
            return USES_DEFERRED | SKIPS
        shown: cython.int = SHOWN | USES_DEFERRED | SETS_SESSION
        if e.type == event.MARIA_QUERY_COMPRESSED and not self.inflate_query(e, batch):
            shown |= HELPED
        if query_fields.query_ends_group(query):
            return shown | CLOSES
        if query_fields.query_starts_group(query):
            return shown | OPENS
        return shown if self.progress.in_transaction else shown | USES_GTID

    def inflate_query(self, e: p_const_Event, batch: EventBatch) -> cython.bint:
        """Let `query` have the statement of a Query_compressed event.

        Only its first bytes, and False, if the event is not ordinary: the slow path inflates it, or says what is wrong.
        """
        query: p_Query = cython.address(self.query)
        data_at: cython.size_t = cython.cast(octets, query.text) - e.data
        ordinary: cython.bint = self.inflated.read(e, data_at, cython.address(batch.format), False)
        if not ordinary:
            data_at = 0
            self.inflated.read_statement(e.data, e.body_end, cython.address(batch.format))
        query.text = self.inflated.text.data + data_at
        query.length = self.inflated.text.length - data_at
        return ordinary

    def load_action(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        """Return the action of an Execute_load_query whose file exists."""
        if query_fields.query_parse(cython.address(self.query), e, cython.address(batch.format)) < 0:
            return printer.CORRUPT
        return SKIPS if e.bits & event.MARKS == event.CUT_OUT else SETS_SESSION

    def maria_action(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        """Judge MariaDB's own events. Its GTID is a variable like others, that no transaction need use up."""
        kind: uint8_t = e.type
        if kind == event.MARIA_GTID:
            if gtid_fields.maria_gtid_parse(cython.address(self.maria_gtid), e, cython.address(batch.format)) < 0:
                return printer.CORRUPT
            return SHOWN | TELLS_MARIA_GTID | (ADDS_COMMIT if self.progress.skipped_in_transaction else 0)
        if kind == event.MARIA_QUERY_COMPRESSED:
            return self.query_action(e, batch)
        if event.is_compressed_rows(kind):
            return self.statement_action(e, batch)
        return other_action(kind)

    def statement_action(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        """Judge a Table_map, a row event or a Rows_query."""
        if e.type == event.ROWS_QUERY:
            return SHOWN | HOLDS
        if not statement_head(cython.address(self.head), e, cython.address(batch.format)):
            return printer.CORRUPT
        ends: cython.bint = e.type != event.TABLE_MAP and self.head.flags & event.STMT_END_F
        if e.bits & event.MARKS == event.CUT_OUT:
            return SKIPS | FLUSHES if ends else SKIPS
        return SHOWN | FLUSHES if ends else SHOWN | HOLDS

    # ---- what it leaves in the state

    def trace(self, e: p_const_Event, batch: EventBatch, action: cython.int):
        """Apply the bits of TRACES; `settle` does that for a whole event."""
        p: cython.pointer(printer.Progress) = cython.address(self.progress)
        if action & FLUSHES:
            p.unflushed = False
        if action & DEFERS:
            p.deferred += 1
            return
        if action & TELLS_MARIA_GTID:
            # an XA transaction cannot be ended by ROLLBACK; its session's end does that
            p.in_transaction = not self.maria_gtid.flags & (fields.FL_STANDALONE | fields.FL_PREPARED_XA)
            if not self.options.short_form and not self.options.skip_gtids:
                self.session.skip_parallel_replication = not self.maria_gtid.flags & fields.FL_ALLOW_PARALLEL
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
                self.session.immediate_server_version = self.gtid.immediate_server_version
        elif action & (CLOSES | USES_GTID | ENDS_LOG):
            p.seen_gtid = False
        if action & SETS_SESSION:
            session_apply(
                cython.address(self.session), cython.address(self.names), p, cython.address(self.query), e.flags
            )
        elif action & BEGINS_LOG:
            self.session.mariadb = batch.format.mariadb
            if not e.flags & event.RELAY_LOG:
                p.seen_format_description = True
                if self.options.base64 != printer.BASE64_NEVER and not self.options.short_form:
                    p.printed_format_description = True

    # ---- events that are printed elsewhere

    def note_table(self, e: p_const_Event, action: cython.int):
        """Return True if the current part has the Table_map of its rows."""
        if action & SHOWN and action & (HOLDS | FLUSHES):
            if e.type == event.TABLE_MAP:
                if not self.mapped.add(self.head.table_id):
                    self.mapped.clear()  # a statement has few tables, and others' are seldom needed
                    self.mapped.add(self.head.table_id)
            elif e.type != event.ROWS_QUERY and not self.mapped.has(self.head.table_id):
                self.lacks_table = True

    def step_until_helped(self, batch: EventBatch, index: cython.pointer(cython.Py_ssize_t)) -> cython.int:
        """Step from event `index` on: go by the action of each as if it were printed.

        The action of the first that it does not go over, an error or HELPED; 0 at the batch's end.
        """
        action: cython.int = 0
        self.last_gtid = cython.NULL
        while index[0] < batch.count:
            e: p_const_Event = batch.events + index[0]
            action = self.action_of(e, batch)
            if action < 0 or action & HELPED:
                return action
            if self.mapped is not None:
                self.note_table(e, action)
            settle(self, e, batch, action)
            index[0] += 1
        if self.last_gtid != cython.NULL:
            # what a GTID says is good for its transaction only, and so that of the last one is enough
            if gtid_fields.gtid_parse(cython.address(self.gtid), self.last_gtid, cython.address(batch.format)) < 0:
                return printer.CORRUPT
            self.session.immediate_server_version = self.gtid.immediate_server_version
        return 0


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def wanted_action(state: TextState, e: p_const_Event, batch: EventBatch) -> cython.int:
    """Return the action of an event that matches, for a shown or hidden position."""
    kind: uint8_t = e.type
    if kind == event.QUERY:
        return state.query_action(e, batch)
    if kind == event.TABLE_MAP or kind == event.ROWS_QUERY or event.is_rows(kind):
        return state.statement_action(e, batch)
    if facts.KIND_OF_TYPE[kind] == facts.KIND_GTID:
        if state.options.skip_gtids:
            return 0
        if state.passes_over:
            state.last_gtid = e
        elif gtid_fields.gtid_parse(cython.address(state.gtid), e, cython.address(batch.format)) < 0:
            return printer.CORRUPT
        return SHOWN | TELLS_GTID | ADDS_COMMIT if state.progress.skipped_in_transaction else SHOWN | TELLS_GTID
    if kind == event.XID:
        return SHOWN | CLOSES
    if kind == event.PREVIOUS_GTIDS and state.options.skip_gtids:
        return 0
    if kind == event.INTVAR or kind == event.RAND or kind == event.USER_VAR:
        return SHOWN | DEFERS
    if kind == event.FORMAT_DESCRIPTION:
        action: cython.int = SHOWN | BEGINS_LOG
        if not e.flags & event.RELAY_LOG and e.end_log_pos and state.progress.seen_format_description:
            action |= ENDS_LOG
        return action
    if kind >= event.MARIA_ANNOTATE_ROWS:
        return state.maria_action(e, batch)
    return other_action(kind)
