# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""TextState: the text's memory between events, and a cheap way to carry it over events that are printed elsewhere.

With it parts of a log are printed apart, each from its true entry state. Compiled, as one pass over every event has to
be done before the parts can be; it reads Query events, GTIDs and the flags of row events, and nothing else.
"""

import cython

if not cython.compiled:
    raise ImportError("pybinlog.kernel.text_state is not built; install pybinlog with pip (it needs a C compiler)")

from cython.cimports.libc.stdint import uint8_t, uint16_t, uint64_t
from cython.cimports.pybinlog.kernel.batch import EventBatch
from cython.cimports.pybinlog.kernel.event import (
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
from cython.cimports.pybinlog.kernel.gtid import Gtid, gtid_parse
from cython.cimports.pybinlog.kernel.printer import BASE64_NEVER
from cython.cimports.pybinlog.kernel.query import (
    Query,
    query_ends_group,
    query_parse,
    query_starts_group,
    session_take,
)
from cython.cimports.pybinlog.kernel.rows import STATEMENT_END
from cython.cimports.pybinlog.kernel.statement import statement_head


@cython.cclass
class TextState:
    """The state of a Renderer between two events (`Renderer.state()` makes it, `Renderer.resume(state)` takes it).

    `advance(batch)` goes on over a batch as if it were printed; False, and the state is of no more use, where the batch
    holds an event that only the renderer itself can go over, rows of a table that was mapped before it, or an event that
    is corrupt. `complete` tells that no text
    waits for a later event: here another renderer can go on.
    """

    def copy(self) -> TextState:
        other: TextState = TextState()
        other.options = self.options
        other.session = self.session
        other.progress = self.progress
        other.deferred = self.deferred
        return other

    @property
    def complete(self) -> bool:
        return self.deferred == 0 and not self.progress.unflushed

    def knows_table(self, table_id):
        i: cython.int = self.table_count
        while i > 0:
            i -= 1
            if self.tables[i] == table_id:
                return True
        return False

    def step(self, batch, e):
        """One event, as Renderer.event_text has it for a dump without filters."""
        query: Query
        gtid: Gtid
        kind: uint8_t = e.type
        table_id: uint64_t = 0
        flags: uint16_t = 0
        behind: cython.size_t = 0
        if is_rows(kind) or kind == TABLE_MAP:
            if not statement_head(
                e, cython.address(batch.format), cython.address(table_id), cython.address(flags), cython.address(behind)
            ):
                return False
            self.progress.unflushed = True
            if kind != TABLE_MAP:
                self.progress.unflushed = not flags & STATEMENT_END
                if self.options.verbose and not self.knows_table(table_id):
                    return False
            elif self.options.verbose and not self.knows_table(table_id):
                if self.table_count == 256:
                    return False
                self.tables[self.table_count] = table_id
                self.table_count += 1
        elif kind == ROWS_QUERY:
            self.progress.unflushed = True
        elif kind == QUERY:
            if query_parse(cython.address(query), e, cython.address(batch.format)) < 0:
                return False
            self.deferred = 0
            if query_ends_group(cython.address(query)):
                self.progress.in_transaction = False
                self.progress.seen_gtid = False
            elif query_starts_group(cython.address(query)):
                self.progress.in_transaction = True
            elif not self.progress.in_transaction:
                self.progress.seen_gtid = False
            session_take(cython.address(self.session), cython.address(query), e.flags)
        elif kind == GTID or kind == ANONYMOUS_GTID or kind == GTID_TAGGED:
            if gtid_parse(cython.address(gtid), e, cython.address(batch.format)) < 0:
                return False
            self.progress.seen_gtid = True
            self.progress.immediate_server_version = gtid.immediate_server_version
        elif kind == XID:
            self.progress.in_transaction = False
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
        """Go on over the whole batch."""
        i: cython.Py_ssize_t
        known: cython.bint = True
        self.table_count = 0
        with cython.nogil:
            for i in range(batch.count):
                if not self.step(batch, batch.events + i):
                    known = False
                    break
        return known
