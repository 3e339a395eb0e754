"""ContentRules: rows, GTIDs, XA transactions and payloads (rules R, G, X and E)."""

from pybinlog.check.bodies import BodyRules, shown
from pybinlog.check.finding import ReportFinding, Severity
from pybinlog.check.history import History, Prepared, prepared_xid, xid_of_statement
from pybinlog.check.replicas import ReplicaRules
from pybinlog.errors import CorruptEventError
from pybinlog.event_types import EventFlag, EventType
from pybinlog.gtid_intervals import GtidSet, Source, gtid_text, set_text
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.fields import COMPRESSION_NONE
from pybinlog.kernel.check import event_body
from pybinlog.kernel.check.check_scan import CheckScan
from pybinlog.kernel.check.event_rules import CHANGED_TEMPORARY
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.log.payload import Payload
from pybinlog.log.previous_gtids import gtid_list, previous_gtids

LARGEST_PAYLOAD = 1 << 40
"""Bytes; no server writes a transaction of that size as one payload."""


class ContentRules:
    """Fed with the notes of one log's events, and of those inside its payloads."""

    def __init__(
        self,
        file: str,
        history: History,
        report: ReportFinding,
        bodies: BodyRules,
        replicas: ReplicaRules | None = None,
    ):
        self._file = file
        self._bodies = bodies
        self._replicas = replicas
        self._history = history
        self._report = report
        self._payloads = PayloadReader(True)
        self.is_relay_log = False
        self._repeated: tuple[str, int, int] | None = None  # the first GTID of a run of repeated ones, and its event
        self._repeated_source: Source = b"", None
        self._last_repeated = ""
        self._repeated_count = 0

    def on_event(self, scan: CheckScan, batch: EventBatch, index: int, place: int) -> None:
        """`place` is the position to report: that of the payload for an event inside one."""
        notes = scan.notes
        kind = batch.header(index).type
        if notes & event_body.NOTE_NO_TABLE_MAP:
            self._report("R001", place, kind, "No Table_map event of this statement tells the table of these rows.")
        if notes & event_body.NOTE_NO_STATEMENT_END:
            message = "The last rows event of a statement lacks the flag STMT_END_F."
            self._report("R002", place if scan.inside else scan.rows_position, scan.rows_type, message)
        if notes & event_body.NOTE_NO_END:
            self._statement_without_end(scan, place)
        if notes & event_body.NOTE_EMPTY:
            self._report("B009", place, kind, "The transaction that ends here holds no statement.")
        if notes & event_body.NOTE_CLOCK:
            self._report("G003", place, kind, "The transaction's last_committed is not below its sequence_number.")
        if notes & event_body.NOTE_GTID:
            self.finished_gtid(*scan.finished_gtid)
        if notes & event_body.NOTE_PREVIOUS_GTIDS:
            self.previous_gtids(batch, index)
        if notes & event_body.NOTE_XA_PREPARE:
            self.xa_prepare(batch, index, place)
        if notes & event_body.NOTE_XA_END:
            self.xa_end(self._history.scanner.statement(batch, index), kind, place)
        if notes & event_body.NOTE_ROLLBACK:
            kept = "its non-transactional changes"
            if scan.changes & CHANGED_TEMPORARY:
                kept = "the temporary tables that it made or dropped, and its non-transactional changes if it has any,"
            self._report("E001", place, kind, f"The transaction ends in ROLLBACK: {kept} were kept.")
        if notes & event_body.NOTE_XID_TWICE and self._repeated is None:  # else its GTID says it
            self._report("X005", place, kind, f"Xid = {scan.xids.again} committed another transaction of this log.")
        if notes & event_body.NOTE_PAYLOAD and not scan.inside:
            self._payload(batch, index, place)

    def _statement_without_end(self, scan: CheckScan, place: int) -> None:
        """Report a statement without an end, when the next one or the transaction's end comes."""
        where = place if scan.inside else scan.statement_position
        if scan.names_tables_only:
            message = "The statement that begins here names its tables, but no rows follow."
            self._report("B008", where, scan.statement_type, message, Severity.INFO)
        else:
            self._report("B008", where, scan.statement_type, "The statement that begins here has no end.")

    # ---- GTIDs

    def finished_gtid(self, uuid: bytes, tag: bytes | None, number: int, position: int, kind: int) -> None:
        """Note the end of a group with this GTID."""
        source = uuid, tag
        again = self._repeated is not None and self._history.scan.runs.pop_repeated()
        if again:
            self._repeated_count += again[1] - again[0]
            self._last_repeated = gtid_text(self._repeated_source, again[1] - 1)
        if self._history.gtids.add(source, number):
            self._report_repeated()
        elif self._repeated is None:
            self._repeated = gtid_text(source, number), position, kind
        self._repeated_source = source

    def finish_repeated(self) -> None:
        """End a run of GTIDs that were there already."""
        if self._repeated is not None:
            start, end = self._history.scan.runs.pop_repeated()
            self._repeated_count += end - start
            if end:
                self._last_repeated = gtid_text(self._repeated_source, end - 1)
            self._report_repeated()

    def _report_repeated(self) -> None:
        repeated, self._repeated = self._repeated, None
        if repeated is None:
            return
        text, position, kind = repeated
        if self._repeated_count == 1:
            message = f"The GTID {text} was there already."
        else:
            message = f"{self._repeated_count} GTIDs were there already, from {text} to {self._last_repeated}."
        self._repeated_count = 0
        self._report("G001", position, kind, message)

    def previous_gtids(self, batch: EventBatch, index: int) -> None:
        """Check a Previous_gtids or Gtid_list against the logs before it."""
        header = batch.header(index)
        if self.is_relay_log and not header.flags & EventFlag.RELAY_LOG:
            return  # the source's: it is about the source's logs
        self.finish_repeated()
        history = self._history
        told = (gtid_list if header.type == EventType.MARIA_GTID_LIST else previous_gtids)(batch.body(index))
        gtids = history.gtids
        first = gtids.before is None
        if first and told:
            history.note(complete=False)
        if first:
            gtids.before = told
            return
        expected = gtids.expected()
        if header.type == EventType.MARIA_GTID_LIST:
            self._compare_list(told, expected, header.position)
            return
        lacking, beyond = expected.minus(told).minus(gtids.excused), told.minus(expected)
        if lacking:
            gtids.excused.unite(lacking)
        if lacking and not history.series.out_of_order:
            message = f"Previous_gtids lacks what the logs before hold: {set_text(lacking)}."
            self._report("G002", header.position, header.type, message)
        if beyond:
            assert gtids.before is not None
            gtids.before.unite(beyond)
            if not history.series.pieces_missing:
                message = f"Previous_gtids tells of transactions that the logs before do not hold: {set_text(beyond)}."
                self._report("G002", header.position, header.type, message, self._severity_of_surplus)
        history.note(pieces_missing=False, lost=False, out_of_order=False)

    def _compare_list(self, told: GtidSet, expected: GtidSet, position: int) -> None:
        """MariaDB's Gtid_list has the last number of each domain and server; numbers may come out of order there."""
        history = self._history
        beyond = told.minus(expected)
        lacking: list[Source] = [source for source in expected if source not in told]
        if lacking and not history.series.out_of_order:
            names = ", ".join(gtid_text(source, 0).rpartition("-")[0] for source in lacking)
            message = f"Gtid_list lacks domains and servers that the logs before hold: {names}."
            self._report("G002", position, EventType.MARIA_GTID_LIST, message)
        if beyond and not history.series.pieces_missing:
            message = f"Gtid_list tells of transactions that the logs before do not hold: {set_text(beyond)}."
            self._report("G002", position, EventType.MARIA_GTID_LIST, message, self._severity_of_surplus)
        history.gtids.before = told
        history.note(pieces_missing=False, lost=False, out_of_order=False)

    @property
    def _severity_of_surplus(self) -> Severity | None:
        """Return the severity of GTIDs that no log before has: a server may have learned them without a transaction."""
        return None if self._history.series.lost else Severity.WARNING

    # ---- XA

    def xa_prepare(self, batch: EventBatch, index: int, place: int) -> None:
        """Check an XA_prepare."""
        xid, one_phase = prepared_xid(batch.body(index))
        prepared = self._history.xa.get(xid)
        if prepared is not None:
            message = (
                f"The XA transaction {xid} was prepared at {prepared.position} of {prepared.file} and not finished "
                "since."
            )
            self._report("X003", place, EventType.XA_PREPARE, message)
        if one_phase:
            self._history.xa.pop(xid, None)
        else:
            self._history.xa[xid] = Prepared(self._file, place)

    def xa_end(self, statement: bytes, kind: int, place: int) -> None:
        """Check a statement that ends a prepared XA transaction."""
        try:
            found = xid_of_statement(statement)
        except CorruptEventError:
            self._report("X004", place, kind, f"The xid of {shown(statement[:200])} cannot be read.")
            return
        if found is None:
            return
        xid, word = found
        if self._history.xa.pop(xid, None) is not None:
            return
        if self._history.series.complete:
            self._report("X002", place, kind, f"XA {word} of {xid}, which is not prepared.")
        else:
            message = f"XA {word} of {xid}, which no log given prepares; it may have been prepared before them."
            self._report("X002", place, kind, message, Severity.WARNING)

    # ---- payloads

    def _payload(self, batch: EventBatch, index: int, place: int) -> None:
        try:
            wrong = self._fault_of(batch, index, place)
        except CorruptEventError as error:
            wrong = f"{error.beginning}."
        if wrong is not None:
            self._report("R003", place, EventType.TRANSACTION_PAYLOAD, wrong)

    def _fault_of(self, batch: EventBatch, index: int, place: int) -> str | None:
        """Return the fault of a payload, as a sentence: it must contain exactly one whole transaction. None for none.

        Raise CorruptEventError if a length lies or the data cannot be decompressed. Memory does not grow with the
        events inside; data that inflate to more than the payload's header says are refused.
        """
        payloads, inner = self._payloads, self._history.scan.payload()
        ordinary = payloads.events(batch, index, False)
        if ordinary is not None:
            self._scan_inside(inner, ordinary, place)
            holds = True
        else:
            payload = Payload(batch.body(index))
            size = payload.uncompressed_size
            if size > LARGEST_PAYLOAD:
                raise CorruptEventError(f"the payload says it inflates to {size} bytes")
            for events in payload.batches(payloads.scanner, batch, checksums=False):
                self._scan_inside(inner, events, place)
                del events
            total = payloads.scanner.position
            if total != size and payload.compression_type != COMPRESSION_NONE:
                raise CorruptEventError(f"the payload inflates to {total} bytes, not the {size} it says")
            holds = total > 0
        if inner.ends == 0:
            return "The payload holds a transaction without its end." if holds else "The payload holds no transaction."
        if inner.surplus:
            return "The payload holds more than one transaction, or events that belong to none."
        return None

    def _scan_inside(self, inner: CheckScan, events: EventBatch, place: int) -> None:
        """Apply the rules to events inside a payload that have notes."""
        at = inner.scan(events, 0)
        while at >= 0:
            if inner.notes & event_body.NOTE_FORMAT_DESCRIPTION:
                raise CorruptEventError("the payload holds a Format_description")
            if inner.notes & event_body.NOTE_CORRUPT or events.header(at).type == EventType.UNKNOWN:
                raise CorruptEventError(f"an event inside (type {events.code(at)}) is corrupt")
            if inner.notes & event_body.NOTE_WATCHED and self._replicas is not None:
                self._replicas.on_event(events, at, place)
            self._bodies.on_event(inner, events, at, place)
            self.on_event(inner, events, at, place)
            at = inner.scan(events, at + 1)
