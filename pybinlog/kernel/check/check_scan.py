"""CheckScan: the rules of `pybinlog check` that ask something of every event; compiled, it runs over all of them.

It stops only at an event that breaks a rule, or whose type Python code has to look into.
"""

import cython
from cython.cimports.pybinlog.kernel.base.batch import EventBatch, bytes_of
from cython.cimports.pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, QUERY, Event, octets, p_Event
from cython.cimports.pybinlog.kernel.base.memory import raise_interrupt
from cython.cimports.pybinlog.kernel.base.text import p_Text
from cython.cimports.pybinlog.kernel.check.event_body import NOTE_CORRUPT, NOTE_RARE
from cython.cimports.pybinlog.kernel.check.gtid_runs import gtid_tuple
from cython.cimports.pybinlog.kernel.scan import classify


@cython.cclass
class CheckScan(EventRules):
    """Looks over batch after batch of one series of logs.

    `scan(batch, start)` continues from the event of that index and returns the index of the next event with `notes`, or
    -1 where the batch has no more. The attributes say what is known of that event.
    """

    def scan(self, batch: EventBatch, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
        index: cython.Py_ssize_t = start
        count: cython.Py_ssize_t = batch.count
        notes: uint32_t = 0
        events: p_Event = batch.events
        with cython.nogil:
            while index < count and notes == 0:
                if events[index].type >= MARIA_QUERY_COMPRESSED:
                    notes = self.step_compressed(cython.address(events[index]), cython.address(batch.format))
                else:
                    notes = self.step(cython.address(events[index]), cython.address(batch.format), cython.NULL, 0)
                index += 1
        raise_interrupt()
        self.notes = notes
        return index - 1 if notes else -1

    def step_compressed(self, e: p_const_Event, format: p_const_Format) -> uint32_t:
        """Do `step` for an event that may be a compressed one of MariaDB; its data are read here where they can be."""
        text: p_Text = cython.address(self.body.inflated.text)
        at: cython.size_t = self.body.inflate(e, format)
        notes: uint32_t = 0
        if e.type != MARIA_QUERY_COMPRESSED:
            if at:
                self.body.content = cython.cast(octets, text.data) + at
                self.body.content_size = text.length - at
            notes = self.step(e, format, cython.NULL, 0)
            self.body.content = cython.NULL
        else:
            if at:
                notes = self.step(e, format, text.data + at, min(text.length - at, classify.TEXT_ENOUGH))
            elif self.body.inflated.read_statement(e.data, e.body_end, format):
                notes = self.step(e, format, text.data, text.length)
            else:
                notes = self.step(e, format, cython.NULL, 0) | NOTE_CORRUPT
        return notes & ~cython.cast(uint32_t, NOTE_RARE) if at else notes

    # ---- streams

    def new_stream(self) -> None:
        """Begin another stream of events, with the next file."""
        self.forget_stream()
        self.formatted = False

    def new_log(self, check_positions: cython.bint) -> None:
        """Begin another log, at position 0; the caller says whether its events carry positions of their own."""
        self.check_positions = check_positions
        self.xids.forget()
        self.base = 0
        self.delta = 0
        self.first_type = 0
        self.gtid_accepted = False

    def excuse(self) -> None:
        """Note nothing that follows from skipped events until the stream is in step again."""
        always_gtid: uint8_t = self.content.always_gtid
        self.forget_stream()
        self.content.always_gtid = always_gtid
        self.excused = True
        self.formatted = True  # it may have been among them
        self.delta = 0

    def excuse_refusals(self) -> None:
        """Ignore the next run of refusals: its cause was reported already."""
        self.excused = True

    def stands_for(self, batch: EventBatch, index: cython.Py_ssize_t, plain: bytes, rows: object = None) -> int:
        """Return the notes of `plain`, the event that a compressed one of MariaDB stands for.

        A row event may end before its rows, if these are given as well.
        """
        e: Event = batch.at(index)[0]
        data: cython.p_const_char = plain
        e.data = cython.cast(octets, data)
        e.body_end = len(plain)
        e.type = QUERY if e.type == MARIA_QUERY_COMPRESSED else e.data[4]
        if rows is not None:
            self.body.content = cython.cast(octets, bytes_of(rows))
            self.body.content_size = len(rows)
        notes: uint32_t = self.body.read(cython.address(e), cython.address(batch.format))
        self.body.content = cython.NULL
        raise_interrupt()
        return notes

    @property
    def inside_transaction(self) -> bool:
        """Return True if the boundary parser knows an open transaction."""
        return self.content.group != classify.GROUP_NONE and not self.out_of_step

    @property
    def at_rest(self) -> bool:
        """True if nothing is under way: no transaction, GTID, statement or run of refusals that a later event ends."""
        return (
            self.content.group == classify.GROUP_NONE
            and self.content.statement == classify.STATEMENT_NONE
            and self.tables.count == 0
            and not (self.rows_open or self.too_many_tables or self.missing_noted)
            and not (self.has_pending or self.gtid_is_alone or self.empty or self.out_of_step or self.excused)
        )

    @property
    def always_gtid(self) -> bool:
        """True if a GTID event opens every group of the stream."""
        return self.content.always_gtid != 0

    @property
    def is_settled(self) -> bool:
        """True if the scan would be in the same state now, whatever the streams before this log had left."""
        return self.gtid_accepted and self.formatted and self.content.always_gtid

    @property
    def inside_statement(self) -> bool:
        """Return True if a statement is open in an open transaction."""
        return self.content.statement != classify.STATEMENT_NONE and self.inside_transaction

    @property
    def names_tables_only(self) -> bool:
        """Return True if the statement before the event had Table_maps, but no rows yet."""
        return self.statement_before == classify.STATEMENT_MAPPED

    def pop_pending(self):
        """Return the GTID of the group that is not finished, as `finished_gtid`, or None if it has none."""
        if not self.has_pending:
            return None
        self.has_pending = False
        return gtid_tuple(cython.address(self.pending))

    @property
    def finished_gtid(self):
        """(uuid, tag, number, position of its event, type of its event) of the group that the last event finished.

        MariaDB's has domain and server id, four bytes each, in the uuid, and None for the tag.
        """
        return gtid_tuple(cython.address(self.done)) if self.has_done else None

    # ---- payloads

    def payload(self) -> CheckScan:
        """Return a CheckScan for the events inside a Transaction_payload that just came."""
        inner: CheckScan = CheckScan(self.body)
        inner.inside = True
        inner.formatted = self.formatted
        inner.check_positions = False
        inner.xids = self.xids
        inner.in_own_log = self.check_positions
        classify.boundary_enter_payload(cython.address(inner.content), cython.address(self.content))
        return inner
