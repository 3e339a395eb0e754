"""TransactionScope: keeps whole transactions with their frames; compiled, as it looks at every event.

If any event of a transaction matches the conditions, its frame (GTID, BEGIN, Table_map, COMMIT ...) is kept with it;
else all of it is dropped. The events of a frame wait until the first event that matches comes (`Frame`). They are few,
so nothing else has to be held back or read twice. Batches that come out are like any other.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts, fields
from cython.cimports.pybinlog.kernel.base.memory import PyBytes_FromStringAndSize
from cython.cimports.pybinlog.kernel.condition.row_condition import RowCondition
from cython.cimports.pybinlog.kernel.filter import frame
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head, table_names
from cython.cimports.pybinlog.kernel.scan import classify
from cython.cimports.pybinlog.kernel.scan.event_fields import LONGEST_XID, write_xid
from cython.cimports.pybinlog.kernel.scan.operation import rows_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_is_transaction_keyword, query_starts_group


def begins_group(e: p_const_Event) -> cython.bint:
    return e.boundary == classify.START_TRANSACTION or e.boundary == classify.SELF_CONTAINED


def ends_group(e: p_const_Event) -> cython.bint:
    return e.boundary == classify.END_TRANSACTION or e.boundary == classify.SELF_CONTAINED


@cython.final
@cython.cclass
class TransactionScope:
    """Decides which events to keep in the batches of one stream, in their order.

    `conditions` are what is asked for. `events` are EventConditions, which come first; None inside payloads.
    `warn(batch, index)` is told of each event that the boundary parser refused, before it may be dropped. `inside` is
    another scope of the same conditions, for the events of payloads; `payloads` reads them, and
    `slow_path.match(batch, index, inside)` tells of those that it cannot read whether something of them is kept.
    Row events keep the rows that `values` matches, a RowCondition of this scope alone; nothing else meets one.
    With `resolves`, drop the events of a group whose beginning was not read, and XA COMMIT and XA ROLLBACK of a
    transaction whose XA PREPARE was not (`undecidable` has these statements).
    """

    def __cinit__(self):
        self.inflated = InflatedEvent()
        self.prepared_xids = {}
        self.undecidable = []
        self.server_in_filter = True

    def __dealloc__(self):
        text_free(cython.address(self.tables))

    def __init__(
        self,
        conditions: Conditions,
        events: EventConditions = None,
        warn: object = None,
        inside: TransactionScope = None,
        payloads: PayloadReader = None,
        slow_path: object = None,
        resolves: bool = False,
        values: RowCondition = None,
    ):
        self.conditions = conditions
        self.events = events
        self.warn = warn
        self.inside = inside
        if inside is not None:
            inside.prepared_xids = self.prepared_xids  # a payload may end with XA PREPARE
        self.payloads = payloads
        self.slow_path = slow_path
        self.resolves = resolves
        self.keeps_all = conditions.everything and values is None
        if values is not None:
            self.rows = frame.MatchingRows(values, slow_path)
        self.frame = frame.Frame()

    def begin_stream(self) -> None:
        """Begin another stream of events: what waits never matches."""
        self.end_group()

    @property
    def at_rest(self) -> bool:
        """True between transactions, where another scope can continue."""
        return not self.in_group and not self.frame.kept and not self.frame.held_count

    @property
    def open_xa(self):
        """The id of the XA transaction that is kept as far as it was read, and whether its XA END was; else None."""
        return (self.xid, bool(self.xa_ended)) if self.in_xa and self.frame.kept else None

    # ---- a batch

    def apply(self, batch: EventBatch) -> list:
        """Leave in the batch what is kept. Return batches of earlier events that are kept and come before it.

        `ended`: nothing after this batch is kept; raise `raised` then, unless it is None.
        """
        i: cython.Py_ssize_t = 0
        self.judges_events = self.events is not None and not self.events.is_empty()
        self.frames_wait = self.conditions.asks_rows_only and not (
            self.judges_events or self.resolves or self.keeps_all
        )
        self.frame.begin_batch(batch)
        while i < batch.count and not self.ended:
            if batch.refusals and batch.events[i].refused_from != event.NOT_REFUSED:
                if self.warn is not None:
                    self.warn(batch, i)
                batch.events[i].refused_from = event.NOT_REFUSED
            with cython.nogil:
                asks: cython.bint = self.run(batch, cython.address(i))
            if asks:
                self.carry_out(batch, i, frame.MATCHES if self.payload_matches(batch, i) else frame.DROPPED)
                i += 1
        batch.refusals = 0
        if self.ended:
            self.frame.drop_waiting()
        return self.frame.end_batch(batch)

    def keeps(self, batch: EventBatch) -> bool:
        """Return True if something of the batch, or of earlier ones with it, is kept."""
        return bool(self.apply(batch)) or batch.count > 0

    def run(self, batch: EventBatch, index: cython.pointer(cython.Py_ssize_t)) -> cython.bint:
        """Continue from event `index`, to the batch's end, or the last event that is kept, or the next one that the
        parser refused; True at a payload that has to be read."""
        start: cython.Py_ssize_t = index[0]
        i: cython.Py_ssize_t
        for i in range(start, batch.count):
            e: p_Event = batch.events + i
            if i > start and batch.refusals and e.refused_from != event.NOT_REFUSED:
                index[0] = i
                return False
            role: uint8_t = facts.ROLE_OF_TYPE[e.type]
            if (
                self.frames_wait
                and (role == facts.PREPARES_STATEMENT or role == facts.FRAMES_GROUP)
                and e.type != event.XA_PREPARE
            ):
                if begins_group(e):
                    self.begin_group(e)
                verdict: cython.int = frame.PREPARES if role == facts.PREPARES_STATEMENT else frame.FRAMES
            else:
                verdict = self.judge(e, batch)
                if self.ended or verdict == frame.ASKS_PAYLOAD:
                    index[0] = i
                    return not self.ended
            self.carry_out(batch, i, verdict)
        index[0] = batch.count
        return False

    def carry_out(self, batch: EventBatch, index: cython.Py_ssize_t, verdict: cython.int):
        """Do with an event what the verdict says; its transaction may end with it."""
        ends: cython.bint = facts.ROLE_OF_TYPE[batch.events[index].type] > facts.OF_LOG and ends_group(
            batch.events + index
        )
        if verdict == frame.FRAMES or verdict == frame.PREPARES:
            frame.frame_wait(self.frame, batch, index, verdict == frame.PREPARES)
        elif verdict == frame.DROPS_STATEMENT:
            self.frame.drop_statement()
        elif verdict != frame.DROPPED:
            self.frame.carry_out(batch, index, verdict)
        if ends:
            self.end_group()

    def payload_matches(self, batch: EventBatch, index: cython.Py_ssize_t) -> cython.bint:
        """Return True if something of a payload matches."""
        self.inside.begin_stream()
        inner: EventBatch = None
        if self.payloads is not None:
            inner = self.payloads.events(batch, index, False)
        if inner is None:
            found: cython.bint = self.slow_path.match(batch, index, self.inside)
        else:
            found = self.inside.keeps(inner)
        if self.inside.raised is not None:
            self.fail(self.inside.raised)
        return found

    def fail(self, error: object):
        """End with an error."""
        self.raised = error
        self.ended = True

    def begin_group(self, e: p_const_Event):
        self.end_group()
        self.in_group = True
        self.server_in_filter = self.conditions.servers is None or self.conditions.match_server(e)

    def end_group(self):
        """End the transaction: what waits of it is dropped."""
        self.frame.drop_waiting()
        self.frame.kept = False
        self.in_group = False
        self.in_xa = False
        self.xa_ended = False
        self.thread_in_filter = False
        self.rows_kept = False
        self.tables.length = 0

    # ---- an event

    def judge(self, e: p_Event, batch: EventBatch) -> cython.int:
        kind: uint8_t = e.type
        role: uint8_t = facts.ROLE_OF_TYPE[kind]
        gtid: MariaGtid
        if role > facts.OF_LOG:
            if begins_group(e):
                self.begin_group(e)
            elif self.resolves and not self.in_group:
                return frame.DROPPED
        if self.judges_events:
            status: cython.int = self.events.judge(e, cython.address(batch.format))
            if status == ENDS:
                self.ended = True
            if status != KEPT:
                return frame.DROPPED
        if kind == event.FORMAT_DESCRIPTION:
            return frame.STANDS_APART
        if self.conditions.servers is not None and kind != event.ROTATE:
            if not (
                self.server_in_filter if self.in_group and role > facts.OF_LOG else self.conditions.match_server(e)
            ):
                return self.judge_foreign(e, batch)
        if role == facts.MAPS_TABLE:
            return self.judge_table(e, batch)
        if role == facts.CHANGES_ROWS:
            return self.judge_rows(e, batch)
        if role <= facts.OF_LOG:
            return frame.STANDS_APART if self.conditions.match_type(kind) else frame.DROPPED
        if role == facts.STATES:
            return self.judge_query(e, batch)
        if role == facts.HOLDS_EVENTS:
            return (
                frame.MATCHES if self.is_named(kind) else frame.DROPPED if self.inside is None else frame.ASKS_PAYLOAD
            )
        if role == facts.CHANGES_UNKNOWN:
            return frame.MATCHES if self.conditions.match_type(kind) else frame.DROPPED
        if kind == event.MARIA_GTID and (self.conditions.threads is not None or self.resolves):
            if maria_gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                return frame.MATCHES
            if gtid.has_extra and gtid.extra & fields.FL_EXTRA_THREAD_ID:
                self.thread_in_filter = self.conditions.match_thread(gtid.thread_id)
            if gtid.flags & fields.FL_PREPARED_XA:
                self.in_xa = True
                self.keep_maria_xid(cython.address(gtid))
        named: cython.bint = self.is_named(kind) or (self.keeps_all and (kind == event.XID or kind == event.XA_PREPARE))
        if kind == event.XA_PREPARE:
            self.note_prepared(e, batch, self.frame.kept or named)
        if named:
            return frame.MATCHES
        return frame.PREPARES if role == facts.PREPARES_STATEMENT else frame.FRAMES

    def judge_foreign(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        """Judge an event of a server that the filter drops: only the end of a prepared XA transaction may be kept."""
        kind: uint8_t = e.type
        if event.is_gtid(kind):
            return frame.FRAMES
        if kind == event.XA_PREPARE:
            self.note_prepared(e, batch, False)
        return self.judge_query(e, batch) if kind == event.QUERY else frame.DROPPED

    def note_prepared(self, e: p_const_Event, batch: EventBatch, kept: cython.bint):
        """Note an XA_prepare event: its end is kept if a part of its transaction is."""
        # a first byte of 1 is ONE PHASE: no second one follows
        if self.xid is None or e.body_end <= batch.format.header_length or e.data[batch.format.header_length] != 0:
            return
        with cython.gil:
            self.prepared_xids[self.xid] = True if kept else False

    def judge_query(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        """Judge a statement, or a word of the frame."""
        parts: classify.QueryParts
        query: Query
        mark: uint8_t = 0
        kind: uint8_t = e.type
        foreign: cython.bint = self.in_group and not self.server_in_filter
        if classify.query_parts(cython.address(parts), cython.address(batch.format), e.data, e.body_end) < 0:
            return frame.DROPPED if foreign else frame.MATCHES  # the printer says what is wrong
        thread_id: uint32_t = fields.query_thread_id(parts.fields)
        wanted: cython.bint = (
            not foreign and self.conditions.match_type(kind) and self.conditions.match_thread(thread_id)
        )
        query.text = parts.text
        query.length = parts.length
        if kind == event.QUERY and query_is_transaction_keyword(cython.address(query)):
            if query_starts_group(cython.address(query)):
                self.thread_in_filter = self.conditions.match_thread(thread_id)
            if classify.starts_with(parts.text, parts.length, "XA START") or classify.starts_with(
                parts.text, parts.length, "XA END"
            ):
                self.in_xa = True
                self.xa_ended = classify.starts_with(parts.text, parts.length, "XA END")
                at: cython.size_t = 6 if self.xa_ended else 8
                self.keep_xid(parts.text + at, parts.length - at)
            elif not self.in_xa and classify.starts_with(parts.text, parts.length, "XA COMMIT"):
                return self.judge_second_phase(
                    parts.text + 9, parts.length - 9, frame.MATCHES if wanted else frame.DROPS_STATEMENT
                )
            elif not self.in_xa and classify.starts_with(parts.text, parts.length, "XA ROLLBACK"):
                return self.judge_second_phase(
                    parts.text + 11, parts.length - 11, frame.MATCHES if wanted else frame.DROPS_STATEMENT
                )
            return frame.MATCHES if self.keeps_all else frame.FRAMES
        if (
            wanted
            and self.rows is None
            and self.conditions.match_statement(self.inflated, e, cython.address(batch.format), cython.address(mark))
        ):
            return frame.MATCHES
        if mark == event.RESPELLED:
            self.conditions.note_respelled()
        return frame.DROPS_STATEMENT

    def keep_xid(self, text: cython.p_const_char, length: cython.size_t):
        """Keep the id of the XA transaction."""
        while length and classify.is_space(text[0]):
            text += 1
            length -= 1
        while length and classify.is_space(text[length - 1]):
            length -= 1
        with cython.gil:
            self.xid = PyBytes_FromStringAndSize(text, length)

    def keep_maria_xid(self, gtid: cython.pointer(cython.const[MariaGtid])):
        """Keep the id of the XA transaction that a Gtid of MariaDB starts, as XA END has it."""
        xid: cython.char[LONGEST_XID]
        self.keep_xid(xid, write_xid(xid, cython.address(gtid.xid)) - xid)

    def judge_second_phase(self, text: cython.p_const_char, length: cython.size_t, otherwise: cython.int) -> cython.int:
        """Keep the end of a prepared XA transaction if anything of that was kept; return `otherwise` if the
        logs do not hold its PREPARE."""
        if length > 10 and classify.starts_with(text + length - 9, 9, "ONE PHASE"):
            length -= 9
        self.keep_xid(text, length)
        with cython.gil:
            kept = self.prepared_xids.pop(self.xid, None)
            if kept is None:
                if self.resolves:
                    self.undecidable.append(self.xid)
                    return frame.DROPS_STATEMENT
                return otherwise
            return frame.MATCHES if kept else frame.DROPS_STATEMENT

    def judge_table(self, e: p_const_Event, batch: EventBatch) -> cython.int:
        table: StatementTable
        head: StatementHead
        database: octets = cython.NULL
        name: octets = cython.NULL
        if not statement_head(cython.address(head), e, cython.address(batch.format)):
            return frame.MATCHES
        if self.rows is not None and not self.rows.map_table(e, batch):
            if self.rows.raised is not None:
                with cython.gil:
                    self.fail(self.rows.raised)
            return frame.MATCHES  # the printer says what is wrong
        if self.conditions.names is not None:
            if not table_names(e, head.after, cython.address(database), cython.address(name)):
                return frame.MATCHES
            table.id = head.table_id
            table.matches = self.conditions.match_names(
                cython.cast(cython.p_const_char, database + 1),
                database[0],
                cython.cast(cython.p_const_char, name + 1),
                name[0],
            )
            put_memory(cython.address(self.tables), cython.address(table), cython.sizeof(StatementTable))
            if not table.matches:
                return frame.DROPPED
        return frame.MATCHES if self.is_named(event.TABLE_MAP) else frame.PREPARES

    def judge_rows(self, e: p_Event, batch: EventBatch) -> cython.int:
        head: StatementHead
        i: cython.size_t = self.tables.length // cython.sizeof(StatementTable)
        table: cython.pointer(StatementTable) = cython.cast(cython.pointer(StatementTable), self.tables.data)
        if not statement_head(cython.address(head), e, cython.address(batch.format)):
            return frame.MATCHES
        wanted: cython.bint = self.conditions.names is None or not self.conditions.names.includes  # without a Table_map
        while i > 0:
            i -= 1
            if table[i].id == head.table_id:
                wanted = table[i].matches
                break
        wanted = (
            wanted
            and (not self.conditions.by_type or self.conditions.types[e.type])
            and (not self.conditions.operations or self.conditions.match_operation(rows_operation(e.type)))
            and self.thread_matches()
            and (self.rows is None or self.rows.match(e, batch, head.table_id))
        )
        if self.rows is not None and self.rows.raised is not None:
            with cython.gil:
                self.fail(self.rows.raised)
        if not head.flags & event.STMT_END_F:
            self.rows_kept = self.rows_kept or wanted
            return frame.MATCHES if wanted else frame.DROPPED
        ends_others: cython.bint = self.rows_kept
        self.rows_kept = False
        self.tables.length = 0
        return frame.MATCHES if wanted else frame.ENDS_ROWS if ends_others else frame.DROPS_STATEMENT

    def thread_matches(self) -> cython.bint:
        return self.conditions.threads is None or self.thread_in_filter

    def is_named(self, kind: uint8_t) -> cython.bint:
        """Return True for an event of a frame that matches by its type, if it can meet all other conditions."""
        return (
            self.conditions.by_type
            and self.rows is None
            and self.conditions.types[kind]
            and not self.conditions.operations
            and (kind == event.TABLE_MAP or self.conditions.names is None)
            and self.thread_matches()
        )

    # ---- travel

    def packed(self) -> tuple:
        """Return the ids of XA transactions that were prepared, each with whether something of it was kept."""
        return tuple(self.prepared_xids.items())

    def unpack(self, packed: tuple) -> None:
        """Continue between transactions with them."""
        self.prepared_xids.clear()
        self.prepared_xids.update(packed)
