"""LogCheck: one log through reader and rules."""

from collections.abc import Callable

from pybinlog import errors
from pybinlog.boundary.stream import continues
from pybinlog.check.bodies import BodyRules, shown
from pybinlog.check.contents import ContentRules
from pybinlog.check.finding import ReportFinding, Severity
from pybinlog.check.history import History
from pybinlog.check.replicas import Replica, ReplicaRules
from pybinlog.check.transactions import TransactionRules
from pybinlog.event_types import EventFlag, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.check import event_body
from pybinlog.kernel.scan import scan
from pybinlog.log.gap import Gap, LogEnd
from pybinlog.log.gap_watch import GapWatch
from pybinlog.log.log_head import LogHead
from pybinlog.log.recover import Damage, RecoveringReader
from pybinlog.source import Source
from pybinlog.source.log_series import LogName

CODE_OF_ERROR = {
    scan.SCAN_NEED_MORE: "S003",
    scan.SCAN_BAD_SIZE: "S002",
    scan.SCAN_TOO_BIG: "S002",
    scan.SCAN_BAD_FORMAT_DESCRIPTION: "S008",
    scan.SCAN_BAD_CHECKSUM: "S001",
    scan.SCAN_BAD_PARTS: "S009",
}
TRANSACTION_NOTES = (
    event_body.NOTE_REFUSED
    | event_body.NOTE_IN_STEP
    | event_body.NOTE_GTID_ALONE
    | event_body.NOTE_CONTRADICTION
    | event_body.NOTE_RESERVED
)


class LogCheck:
    """The rules over one log, which `next_name` follows on the command line; `history` is that of its series.

    `run()` raises SourceError if the file cannot be read or is no binary log.
    """

    contents = ContentRules

    def __init__(
        self,
        source: Source,
        history: History,
        report: ReportFinding,
        next_name: str | None,
        progress: Callable[[int], None] | None = None,
        replicas: tuple[Replica, ...] = (),
    ):
        self._source = source
        self._progress = progress
        self._history = history
        self._report = report
        self._next_name = next_name
        self._scan = history.scan
        self._scanner = history.scanner
        self._scanner.many_logs = source.name == "-"
        self._reader = RecoveringReader(source, self._scanner, on_damage=self._damaged)
        self._transactions = TransactionRules(history, report)
        self._bodies = BodyRules(report)
        self._replicas: ReplicaRules | None = None
        if replicas:
            self._replicas = ReplicaRules(replicas, report, self._scan.body)
        self._contents = self.contents(source.name, history, report, self._bodies, self._replicas)
        self._gaps = FoundGap()
        self._began = False
        self._base = 0
        self._rotate: tuple[int, int, str] | None = None
        """The last Rotate of the log itself: its position, that of its end, and the log it names."""

    def run(self) -> None:
        history = self._history
        name = LogName.of(self._source.name)
        if not continues(history.rotates_to, self._source.name):
            self._scanner.reset()
            self._scan.new_stream()
        if history.fresh:
            history.note(complete=name.number == 1)
        history.fresh = False
        history.rotates_to = None
        self._scan.new_log(True)
        try:
            self._read()
        except MemoryError as error:
            raise errors.OutOfMemory.of(error, self._source.name, self._reader.position) from None
        except errors.EmptyFileError as error:
            self._report("S003", 0, None, f"The log {error.message}.")
            history.note(pieces_missing=True, complete=False)
            self._compare_names(name, None)
            return
        except errors.SourceError:
            self._transactions.finish_run(None)
            self._contents.finish_repeated()
            raise
        history.rotates_to = self._reader.rotates_to
        self._end(name)

    def _read(self) -> None:
        batches = self._reader if self._progress is None else self._reader.counted(self._progress)
        for batch in self._gaps.batches(self._reader, batches, self._next_name):
            if not self._began:
                self._begin(batch)
            elif self._reader.base != self._base:
                self._begin_another(batch)
            elif self._reader.is_relay_log and not self._contents.is_relay_log:
                self._note_relay_log()
            index = self._scan.scan(batch, 0)
            while index >= 0:
                self._on_event(batch, index)
                index = self._scan.scan(batch, index + 1)
            del batch  # its bytes go before the next are read

    # ---- one event that has notes

    def _on_event(self, batch: EventBatch, index: int) -> None:
        notes = self._scan.notes
        header = batch.header(index)
        if notes & event_body.NOTE_ENCRYPTED:
            raise errors.EncryptedError(
                errors.EVENTS_ENCRYPTED, file=self._source.name, position=header.position, hint=errors.KEYRING_HINT
            )
        if notes & event_body.NOTE_STREAM:
            self._transactions.stream_changes()
        if (
            notes & event_body.NOTE_REFUSED
            and header.type == EventType.ROTATE
            and self._reader.is_relay_log
            and self._is_own(batch, index)
        ):
            # not marked as the replica's own, it looks like an event that no transaction holds
            self._scan.excuse_refusals()
            notes &= ~TRANSACTION_NOTES
        if notes & TRANSACTION_NOTES:
            self._transactions.on_event(batch, index, notes)
        if notes & event_body.NOTE_FORMAT_DESCRIPTION:
            self._format_description(batch, index)
        if notes & event_body.NOTE_ROTATE and not notes & event_body.NOTE_STREAM:
            self._note_rotate(batch, index)
        if notes & event_body.NOTE_WATCHED and self._replicas is not None:
            self._replicas.on_event(batch, index, header.position)
        if notes & event_body.NOTE_UNKNOWN_TYPE:
            self._unknown_type(header.position, header.type, batch.code(index))
        if notes & event_body.NOTE_END_LOG_POS:
            ends = header.end - self._reader.base
            wrapped = "" if ends < 1 << 32 else f", which end_log_pos holds as {ends & 0xFFFFFFFF}"
            message = f"end_log_pos is {header.end_log_pos}, but the event ends at {ends}{wrapped}."
            self._report("S007", header.position, header.type, message)
        try:
            self._bodies.on_event(self._scan, batch, index, header.position)
            self._contents.on_event(self._scan, batch, index, header.position)
        except errors.CorruptEventError as error:
            name = printed_name(header.type)
            what = error.message.removeprefix("the event is corrupt: ").removeprefix(f"{name}: ")
            self._report("S009", header.position, header.type, f"The {name} event is corrupt: {what}.")

    def _begin(self, batch: EventBatch) -> None:
        """Begin a log, whose first event is known."""
        self._began = True
        header = batch.header(0)
        self._contents.is_relay_log = False
        self._scan.new_log(True)
        if self._reader.is_relay_log:
            self._note_relay_log()
        if header.type != EventType.FORMAT_DESCRIPTION and header.position == MAGIC_LENGTH:
            message = f"The log begins with a {printed_name(header.type)} event, not a Format_description."
            self._report("S008", header.position, header.type, message)
            self._scan.formatted = True

    def _note_relay_log(self) -> None:
        self._contents.is_relay_log = True
        self._history.note(complete=False)
        self._scan.check_positions = False

    def _begin_another(self, batch: EventBatch) -> None:
        """Begin another log on standard input, as a stream of its own."""
        position = batch.header(0).position
        rotate = self._rotate if self._rotate is not None and self._rotate[1] == position else None
        self._transactions.end(position, rotate[2] if rotate is not None else None, self._contents.is_relay_log)
        self._contents.finish_repeated()
        self._scan.new_stream()
        self._begin(batch)
        self._base = self._scan.base = self._reader.base

    def _format_description(self, batch: EventBatch, index: int) -> None:
        header = batch.header(index)
        version = batch.server_version.encode("latin-1")
        if not batch.has_server_version:
            message = f"The Format_description's server version has no number: {shown(version)}."
            self._report("S008", header.position, EventType.FORMAT_DESCRIPTION, message)
        self._bodies.name(version, "server version", header.position, EventType.FORMAT_DESCRIPTION)
        own = bool(header.flags & EventFlag.RELAY_LOG) or header.position in (MAGIC_LENGTH, self._base)
        self._transactions.format_description(header.position, batch.data(index), own)
        if header.flags & EventFlag.BINLOG_IN_USE:
            message = "The log's in-use flag is set: its server is writing it, or stopped without closing it."
            self._report("S006", header.position, EventType.FORMAT_DESCRIPTION, message)

    def _note_rotate(self, batch: EventBatch, index: int) -> None:
        header = batch.header(index)
        self._bodies.name(batch.body(index)[8:], "file name of the next log", header.position, EventType.ROTATE)
        if self._reader.is_relay_log and not self._is_own(batch, index):
            return  # the source's: it names the source's next log
        name = batch.body(index)[8:].decode("utf-8", "surrogateescape")
        self._rotate = header.position, header.end, LogName.of(name).base

    def _is_own(self, batch: EventBatch, index: int) -> bool:
        """Return True if the replica wrote this Rotate: if it does not mark its events, the position tells."""
        header = batch.header(index)
        if self._reader.sign.is_marked:
            return bool(header.flags & EventFlag.RELAY_LOG)
        return header.end_log_pos == header.end - self._reader.base & 0xFFFFFFFF

    def _unknown_type(self, position: int, kind: int, code: int) -> None:
        if kind == EventType.IGNORABLE:
            self._report(
                "S005", position, kind, f"The event's type {code} is not known; it may be ignored.", Severity.INFO
            )
        else:
            self._report("S005", position, kind, f"The event's type {code} is not known.")

    # ---- damage

    def _damaged(self, damage: Damage) -> None:
        """Note a part of the log that is skipped; its consequences are not findings of their own."""
        inside = self._scan.inside_transaction
        at_end = damage.end is None
        code = CODE_OF_ERROR.get(damage.error_code, "S002")
        if at_end and damage.zeros and damage.error_code != scan.SCAN_BAD_CHECKSUM:
            code, message = "S004", f"The log ends in {damage.length} zero bytes{damage.of_holes}"
        elif code == "S003" and at_end and damage.cut:
            message = damage.error.beginning
        elif code == "S003":
            code, message = "S002", "The event says that it reaches beyond the end of the log"
        else:
            message = damage.error.beginning
        if inside:
            message += ", inside a transaction"
        passed = "" if code in ("S003", "S004") else f" {damage.message[:1].upper()}{damage.message[1:]}."
        pending = self._scan.pop_pending()
        if pending is not None:
            self._contents.finished_gtid(*pending)
        self._transactions.finish_run(damage.end)
        kind = None if code == "S004" else damage.event_type
        self._report(code, damage.start, kind, f"{message}.{passed}")
        self._gaps.note_damage()
        self._scan.excuse()
        self._history.note(pieces_missing=True, complete=False)

    # ---- the end

    def _end(self, name: LogName) -> None:
        end = self._reader.position
        if not self._began and end == MAGIC_LENGTH:
            self._report("S008", end, None, "The log holds no events, not even the Format_description that opens it.")
        rotate = self._rotate if self._rotate is not None and self._rotate[1] == end else None
        self._contents.finish_repeated()
        if continues(self._reader.rotates_to, self._next_name):
            self._transactions.finish_run(None)
        else:
            rotates_to = rotate[2] if rotate is not None else None
            self._transactions.end(end, rotates_to, self._reader.is_relay_log)
        self._compare_names(name, rotate)

    def _compare_names(self, name: LogName, rotate: tuple[int, int, str] | None) -> None:
        """Compare the log with the next one that is given."""
        gap = self._gaps.gap
        if self._next_name is None:
            return
        place = rotate[0] if rotate is not None else self._reader.position
        kind = EventType.ROTATE if rotate is not None else None
        following = LogName.of(self._next_name)
        given = f"The next log given is {following.base}"
        if gap is None:
            if rotate is None or rotate[2] == following.base or not following.follows(name):
                return
            message = f"The Rotate names {rotate[2]}, but the next log given is {following.base}."
            self._report("F001", place, kind, message)
        elif gap.lacks and following.follows(name):
            self._history.note(lost=gap.stops)  # the rule about GTIDs tells it
            return
        elif gap.lacks:
            severity = None if gap.stops else Severity.WARNING
            self._report("F002", place, kind, f"{given}: {gap.reason}{gap.more}.", severity)
        elif gap.stops:
            again = following.base == name.base
            may_be_copy = following.number is not None and following.series != name.series
            message = f"{given}, {'the same log again' if again else 'an earlier log'}."
            self._report("F003", place, kind, message, Severity.INFO if may_be_copy else None)
            self._history.note(out_of_order=True)
        else:
            return
        self._history.note(pieces_missing=True, complete=False)


class FoundGap(GapWatch):
    """Keeps what is wrong between a log and the next one."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.gap: Gap | None = None

    def found(self, gap: Gap, end: LogEnd, head: LogHead) -> None:
        self.gap = gap
