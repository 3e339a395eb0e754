# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TextState: the text's memory between events, and a cheap way to carry it over events that are printed elsewhere.

With it parts of a log are printed apart, each from its true entry state. Compiled, as one pass over every event has to
be done before the parts can be; it reads Query events, GTIDs and the flags of row events, and nothing else.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text.text_state is not built: `pip install .` builds it, with a C compiler")

from cython.cimports.libc.stdint import uint8_t, uint16_t, uint64_t
from cython.cimports.libc.string import memcmp
from cython.cimports.pybinlog.kernel.base.batch import EventBatch
from cython.cimports.pybinlog.kernel.base.event import (
    ANONYMOUS_GTID,
    FORMAT_DESCRIPTION,
    GTID,
    GTID_TAGGED,
    HEARTBEAT,
    IGNORABLE,
    INCIDENT,
    INTVAR,
    PREVIOUS_GTIDS,
    QUERY,
    RAND,
    RELAY_LOG,
    ROTATE,
    ROWS_QUERY,
    STOP,
    TABLE_MAP,
    USER_VAR,
    XA_PREPARE,
    XID,
    Event,
    is_rows,
)
from cython.cimports.pybinlog.kernel.rows.rows import STATEMENT_END, statement_head
from cython.cimports.pybinlog.kernel.scan.gtid_fields import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.scan.query_fields import (
    LastStatus,
    Query,
    query_ends_group,
    query_is_transaction_keyword,
    query_parse_like,
    query_starts_group,
)
from cython.cimports.pybinlog.kernel.text.printer import BASE64_NEVER
from cython.cimports.pybinlog.kernel.text.query import session_take


@cython.cclass
class TextState:
    """The state of a Renderer between two events (`Renderer.state()` makes it, `Renderer.resume(state)` takes it).

    `advance(batch)` carries it over a batch as if it were printed; False, and the state is of no more use, where the
    batch holds an event that only the renderer itself can go over, rows of a table that was mapped before the batch, or
    an event that is corrupt. `complete` tells that no text waits for a later event: here another renderer can
    continue.
    """

    def copy(self) -> TextState:
        other: TextState = TextState()
        other.options = self.options
        other.session = self.session
        other.progress = self.progress
        other.deferred = self.deferred
        other.head_waits = self.head_waits
        other.ignored_count = self.ignored_count
        return other

    @property
    def complete(self) -> bool:
        return self.deferred == 0 and not self.progress.unflushed and not self.head_waits and self.ignored_count == 0

    def knows_table(self, table_id):
        i: cython.int = self.table_count
        while i > 0:
            i -= 1
            if self.tables[i] == table_id:
                return True
        return False

    def ignores(self, table_id):
        i: cython.int
        for i in range(self.ignored_count):
            if self.ignored[i] == table_id:
                return True
        return False

    def leaves_out(self, name, length):
        """Whether --database leaves an event of this database out."""
        if self.options.database == cython.NULL:
            return False
        return length != self.options.database_length or memcmp(name, self.options.database, length) != 0

    def shows_table(self, batch, e):
        """Whether a Table_map is one that the text takes note of, which --database may leave out."""
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        if not statement_head(
            e, cython.address(batch.format), cython.address(table_id), cython.address(flags), cython.address(behind)
        ):
            return False
        return self.options.database == cython.NULL or (
            e.size > behind
            and e.data[behind] < e.size - behind
            and not self.leaves_out(cython.cast(cython.p_const_char, e.data + behind + 1), e.data[behind])
        )

    def step_statement(self, batch, e):
        """A Table_map or row event."""
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        if not statement_head(
            e, cython.address(batch.format), cython.address(table_id), cython.address(flags), cython.address(behind)
        ):
            return False
        if e.type == TABLE_MAP:
            if self.options.database != cython.NULL:
                if e.size <= behind or e.data[behind] > e.size - behind - 1:
                    return False
                if self.leaves_out(cython.cast(cython.p_const_char, e.data + behind + 1), e.data[behind]):
                    if not self.ignores(table_id):
                        if self.ignored_count == 64:
                            return False
                        self.ignored[self.ignored_count] = table_id
                        self.ignored_count += 1
                    self.progress.skipped_in_transaction = True
                    self.head_waits = True
                    return True
            if self.options.verbose and not self.knows_table(table_id):
                if self.table_count == 256:
                    return False
                self.tables[self.table_count] = table_id
                self.table_count += 1
            self.progress.unflushed = True
            return True
        if self.ignores(table_id):
            self.progress.skipped_in_transaction = True
            self.head_waits = not flags & STATEMENT_END
            if flags & STATEMENT_END:
                self.ignored_count = 0
                self.progress.unflushed = False
            return True
        if flags & STATEMENT_END:
            self.ignored_count = 0
        if self.options.verbose and not self.knows_table(table_id):
            return False
        self.progress.unflushed = not flags & STATEMENT_END
        return True

    def step_query(self, batch, e):
        query: Query
        last: cython.pointer(LastStatus) = cython.address(self.last_status[0])
        if query_parse_like(cython.address(query), last, e, cython.address(batch.format)) < 0:
            return False
        self.deferred = 0
        ends: cython.bint = query_ends_group(cython.address(query))
        starts: cython.bint = query_starts_group(cython.address(query))
        if self.leaves_out(query.database, query.database_length) and not query_is_transaction_keyword(
            cython.address(query)
        ):
            if self.progress.seen_gtid and not self.progress.in_transaction and not starts and not ends:
                self.progress.skipped_in_transaction = False
                self.progress.seen_gtid = False
            else:
                self.progress.skipped_in_transaction = True
            self.head_waits = True
            return True
        if ends:
            self.progress.in_transaction = False
            self.progress.skipped_in_transaction = False
            self.progress.seen_gtid = False
        elif starts:
            self.progress.in_transaction = True
        elif not self.progress.in_transaction:
            self.progress.seen_gtid = False
        session_take(cython.address(self.session), cython.address(query), e.flags)
        return True

    def take_gtid(self, batch, e):
        gtid: Gtid
        if gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
            return False
        self.progress.immediate_server_version = gtid.immediate_server_version
        return True

    def step(self, batch, e):
        """One event, as EventText has it; the GTID filters aside."""
        kind: uint8_t = e.type
        self.head_waits = False
        if kind == TABLE_MAP or is_rows(kind):
            if not self.step_statement(batch, e):
                return False
        elif kind == ROWS_QUERY:
            self.progress.unflushed = True
        elif kind == QUERY:
            if not self.step_query(batch, e):
                return False
        elif self.options.skip_gtids and (
            kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED or kind == PREVIOUS_GTIDS
        ):
            self.head_waits = True
        elif kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            if not self.take_gtid(batch, e):
                return False
            self.progress.seen_gtid = True
            self.progress.skipped_in_transaction = False
        elif kind == XID:
            self.progress.in_transaction = False
            self.progress.skipped_in_transaction = False
            self.progress.seen_gtid = False
        elif kind == INTVAR or kind == RAND or kind == USER_VAR:
            self.deferred += 1
        elif kind == FORMAT_DESCRIPTION:
            self.progress.mariadb = batch.format.mariadb
            if not e.flags & RELAY_LOG:
                if e.end_log_pos and self.progress.seen_format_description:
                    self.progress.seen_gtid = False
                    self.progress.in_transaction = False
                self.progress.seen_format_description = True
                if self.options.base64 != BASE64_NEVER and not self.options.short_form:
                    self.progress.printed_format_description = True
        elif not (
            kind == ROTATE
            or kind == STOP
            or kind == PREVIOUS_GTIDS
            or kind == XA_PREPARE
            or kind == INCIDENT
            or kind == HEARTBEAT
            or kind == IGNORABLE
        ):
            return False
        self.progress.events += 1
        return True

    def advance(self, batch: EventBatch) -> bool:
        """Carry it over the whole batch."""
        i: cython.Py_ssize_t
        e: cython.pointer(Event)
        last_gtid: cython.pointer(Event) = cython.NULL
        known: cython.bint = True
        self.table_count = 0
        with cython.nogil:
            for i in range(batch.count):
                e = batch.events + i
                if (e.type == GTID or e.type == ANONYMOUS_GTID) and not self.options.skip_gtids:
                    # what a GTID says is good for its transaction only, and so that of the last one is enough; printing
                    # the batch finds one that is corrupt
                    last_gtid = e
                    self.head_waits = False
                    self.progress.seen_gtid = True
                    self.progress.skipped_in_transaction = False
                    self.progress.events += 1
                elif not self.step(batch, e):
                    known = False
                    break
            if known and last_gtid != cython.NULL:
                known = self.take_gtid(batch, last_gtid)
        return known
