"""RowScope: marks the events that give no rows of a view; compiled, as it looks at every event.

Each condition is one on the row's columns: an event whose column is null does not match. The marks say

- nothing: the event gives its rows;
- CUT_OUT: it gives none; others of its transaction may;
- UNCERTAIN: the same, and it is a statement that may change rows for which the conditions are met;
- RESPELLED: the same, if its server takes names in any case;
- OTHER_NAMES: the same, and its table or operation alone does not match;
- LEFT_OUT: nothing of its transaction does, by its GTID, or its place if rows are transactions.

A view follows every event, marked or not: rows count, tables are mapped and transactions end nevertheless. When a
transaction was committed is known at its end only, so that condition is the view's, as any on what it works out.
"""

import cython
from cython.cimports.pybinlog.kernel.base import event, facts, fields
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.filter.event_conditions import KEPT
from cython.cimports.pybinlog.kernel.rows import table_map
from cython.cimports.pybinlog.kernel.rows.rows import StatementHead, statement_head
from cython.cimports.pybinlog.kernel.scan import classify, gtid_fields
from cython.cimports.pybinlog.kernel.scan.operation import OTHER_OPERATION, rows_operation
from cython.cimports.pybinlog.kernel.scan.query_fields import Query, query_starts_group

LAST_TIME = cython.declare(int64_t, 0x7FFFFFFFFFFFFFFF)
LAST_POSITION = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
MICROSECONDS = cython.declare(int64_t, 1000000)


@cython.final
@cython.cclass
class RowScope:
    """None stands for "all". Times are microseconds since 1970 UTC; a start is in the range, a stop is not.

    Mark the events of a log, in order; `inside` is a scope of the same conditions for those in its payloads.
    """

    def __cinit__(self):
        table_map.table_maps_init(cython.address(self.maps))
        self.inflated = InflatedEvent()

    def __dealloc__(self):
        table_map.table_maps_free(cython.address(self.maps))

    def __init__(
        self,
        conditions: Conditions,
        of: int,
        *,
        include_gtids: gtid_fields.GtidFilter = None,
        exclude_gtids: gtid_fields.GtidFilter = None,
        start_time: object = None,
        stop_time: object = None,
        start_position: object = None,
        stop_position: object = None,
        inside: RowScope = None,
    ):
        self.conditions = conditions
        self.of = of
        self.include_gtids = include_gtids
        self.exclude_gtids = exclude_gtids
        self.by_time = start_time is not None or stop_time is not None
        self.start_time = -LAST_TIME if start_time is None else start_time
        self.stop_time = LAST_TIME if stop_time is None else stop_time
        self.start_position = 0 if start_position is None else start_position
        self.stop_position = LAST_POSITION if stop_position is None else stop_position
        self.inside = inside
        self.thread = -1
        self.wanted = include_gtids is None

    @property
    def answers(self):
        """Return the function that compares names; None if the filter has none."""
        return None if self.conditions.names is None else self.conditions.names.ask_for

    def begin_payload(self, batch: EventBatch, index: cython.Py_ssize_t) -> None:
        """Judge the events inside a payload, which is marked."""
        e: p_Event = batch.at(index)
        self.is_inside = True
        self.payload_position = e.position
        self.wanted = e.bits & event.MARKS != event.LEFT_OUT
        self.thread = -1

    def finish(self) -> None:
        """Note a loss: the next events may belong to the same transaction or to another."""
        self.open = self.over = False

    def mark(self, batch: EventBatch, start: cython.Py_ssize_t = 0) -> None:
        """Mark the events from index `start` on, anew if they are marked."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(start, batch.count):
                batch.events[i].bits = (batch.events[i].bits & ~event.MARKS) | self.judge(
                    batch.events + i, cython.address(batch.format)
                )

    def judge(self, e: p_const_Event, format: p_const_Format) -> cython.int:
        """Return KEPT or a mark."""
        belongs: cython.bint = self.follow(e, format)
        if e.type == event.TABLE_MAP and self.conditions.names is not None:
            table_map.table_maps_put(cython.address(self.maps), format, e.data, e.body_end)
        if not (self.wanted if belongs else self.include_gtids is None):
            return event.LEFT_OUT
        if self.of == OF_TRANSACTIONS:
            if not belongs or not (self.is_inside or self.match_position(self.group_position)):
                return event.LEFT_OUT
            return self.match(e, format, belongs)
        if self.of == OF_ROWS and e.type == event.TABLE_MAP:
            return KEPT if self.match_table(e, format) else event.CUT_OUT
        if self.by_time and not (e.timestamp and self.start_time <= e.timestamp * MICROSECONDS < self.stop_time):
            return event.CUT_OUT
        if not self.match_position(self.payload_position if self.is_inside else e.position):
            return event.CUT_OUT
        if self.of == OF_DEFINITIONS:
            return KEPT if e.type == event.TABLE_MAP and self.match_table(e, format) else event.CUT_OUT
        return self.match(e, format, belongs)

    def follow(self, e: p_const_Event, format: p_const_Format) -> cython.bint:
        """Continue the transaction; True if the event belongs to one."""
        gtid: gtid_fields.Gtid
        maria: gtid_fields.MariaGtid
        query: Query
        parts: classify.QueryParts
        boundary: uint8_t = e.boundary
        kind: uint8_t = e.type
        belongs: cython.bint = self.is_inside or classify.is_of_group(e)
        if not self.is_inside:
            if self.over:
                self.over = self.open = False
            if belongs:
                if boundary == classify.START_TRANSACTION or boundary == classify.SELF_CONTAINED:
                    self.open = False
                if not self.open:
                    self.open = True
                    self.group_position = e.position
                    self.wanted = self.include_gtids is None
                    self.thread = -1
                self.over = (
                    boundary == classify.END_TRANSACTION
                    or boundary == classify.SELF_CONTAINED
                    or kind == event.TRANSACTION_PAYLOAD
                )
        by_gtid: cython.bint = self.include_gtids is not None or self.exclude_gtids is not None
        if facts.KIND_OF_TYPE[kind] == facts.KIND_GTID:
            if by_gtid and gtid_fields.gtid_parse(cython.address(gtid), e, format) == 0:
                self.wanted = self.match_gtid(cython.address(gtid))
        elif kind == event.MARIA_GTID:
            if by_gtid and gtid_fields.maria_gtid_name(cython.address(gtid), e, format) == 0:
                self.wanted = self.match_gtid(cython.address(gtid))
            if (
                self.conditions.threads is not None
                and gtid_fields.maria_gtid_parse(cython.address(maria), e, format) == 0
            ):
                if maria.has_extra and maria.extra & fields.FL_EXTRA_THREAD_ID:
                    self.thread = maria.thread_id
        elif self.conditions.threads is not None and event.is_statement(kind):
            if classify.query_parts(cython.address(parts), format, e.data, e.body_end) == 0:
                query.text = parts.text
                query.length = parts.length
                if query_starts_group(cython.address(query)):
                    self.thread = fields.query_thread_id(parts.fields)
        return belongs

    def match(self, e: p_const_Event, format: p_const_Format, belongs: cython.bint) -> cython.bint:
        """Match type, operation, server, thread and names."""
        parts: classify.QueryParts
        kind: uint8_t = e.type
        thread: int64_t = self.thread if belongs else -1
        operation: cython.int = OTHER_OPERATION
        mark: uint8_t = event.CUT_OUT
        statement: cython.bint = (
            event.is_statement(kind) and classify.query_parts(cython.address(parts), format, e.data, e.body_end) == 0
        )
        if statement:
            thread = fields.query_thread_id(parts.fields)
        if (self.conditions.by_type and not self.conditions.types[kind]) or not self.conditions.match_server(e):
            return event.CUT_OUT
        if self.conditions.threads is not None and (thread < 0 or not self.conditions.match_thread(thread)):
            return event.CUT_OUT
        if statement:
            if (
                self.conditions.names is not None
                and not self.conditions.by_columns
                and is_frame_word(self.inflated, cython.address(parts), e, format)
            ):
                return event.CUT_OUT  # BEGIN and COMMIT are about no table
            if self.conditions.match_statement(self.inflated, e, format, cython.address(mark)):
                return KEPT
            if mark == event.UNCERTAIN and self.of == OF_TRANSACTIONS and self.conditions.statements.changed_known:
                return KEPT  # the transaction's tables are those of its statements, too
            return mark
        if event.is_rows(kind) or event.is_compressed_rows(kind):
            operation = rows_operation(kind)
            mark = event.OTHER_NAMES
        return KEPT if self.conditions.match_operation(operation) and self.match_table(e, format) else mark

    def match_table(self, e: p_const_Event, format: p_const_Format) -> cython.bint:
        """Match the names of the table of a Table_map or row event; the rest has no names."""
        map: p_TableMap = cython.NULL
        head: StatementHead
        if self.conditions.names is None:
            return True
        if e.type == event.TABLE_MAP or event.is_rows(e.type) or event.is_compressed_rows(e.type):
            if statement_head(cython.address(head), e, format):
                map = table_map.table_maps_get(cython.address(self.maps), head.table_id)
        if map == cython.NULL:
            return not self.conditions.names.includes
        if not map.judged:
            map.judged = True
            map.matches = self.conditions.match_names(
                cython.cast(cython.p_const_char, map.fields.database),
                map.fields.database_length,
                cython.cast(cython.p_const_char, map.fields.table),
                map.fields.table_length,
            )
        return map.matches

    def match_gtid(self, gtid: cython.pointer(cython.const[gtid_fields.Gtid])) -> cython.bint:
        if self.exclude_gtids is not None and not gtid.anonymous and self.exclude_gtids.contains(gtid):
            return False
        return self.include_gtids is None or (not gtid.anonymous and self.include_gtids.contains(gtid))

    def match_position(self, position: uint64_t) -> cython.bint:
        return self.start_position <= position < self.stop_position
