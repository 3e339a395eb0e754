"""Stage 1 of a dump: what a log does to the state of the text, and where it may be cut, without printing it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybinlog.dump.log import selection_of
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan import scan
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.scan.scanner_state import boundary_number, restore_boundary, scanner_state
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.log.payload import Payload, last_event
from pybinlog.log.reader import Reader
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import open_source
from pybinlog.spark.parts import GroupReader
from pybinlog.spark.state import DumpState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.scan.scanner_state import ScannerState
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source


@dataclass(frozen=True)
class SurveyTask:
    """A log to survey, and the state of the text and of the boundaries before it.

    `known` False: the text's state is `relative`, and so will be the states that are found.
    """

    options: DumpOptions
    name: str
    first: bool
    last: bool
    state: DumpState
    known: bool
    boundary: int
    part_size: int


@dataclass(frozen=True)
class PartStart:
    """A place where another process can continue."""

    position: int
    scanner: ScannerState
    state: DumpState


@dataclass
class Survey:
    """What was found."""

    task: SurveyTask
    starts: list[PartStart] = field(default_factory=list)
    needs_files: list[bool] = field(default_factory=lambda: [False])
    """For each part (one more than starts): whether it writes files of LOAD DATA statements."""
    sealed: bool = False
    """Rows at the log's beginning may need tables that an earlier log maps: no cut before it."""
    state: DumpState | None = None
    """After the log; None where only printing it tells."""
    ended: bool = False
    """The text ends inside this log, with an error or because no more was asked for."""
    boundary: int = 0
    rotates_to: str | None = None
    size: int = 0
    """Bytes of the uncompressed log."""


def surveys(tasks: list[SurveyTask]) -> list[Survey]:
    """Several logs, each by itself."""
    return [survey(task) for task in tasks]


def survey(task: SurveyTask) -> Survey:
    """Survey a log. Nothing is raised for what is wrong with it: printing it meets the same."""
    found = Survey(task)
    try:
        with open_source(task.name) as source:
            Surveyor(task, found).run(source)
    except BinlogError:
        found.ended = True
    return found


class Surveyor:
    """One log on its way past the state."""

    def __init__(self, task: SurveyTask, found: Survey):
        options = task.options
        self._task = task
        self._found = found
        self._scanner = Scanner()
        self._scanner.force_read = options.force_read
        self._scanner.statement_bits = self._scanner.parse_bits = options.statement_bits
        self._scanner.last_in_payload = last_event
        restore_boundary(self._scanner, task.boundary)
        self.state = CarriedState(options)
        self.state.unpack(task.state.text)
        self._payloads = PayloadReader(options.force_read)
        self._scanner_inside: Scanner | None = None
        self._is_damaged = False
        self._rewrite = None
        if options.rewrite_db:
            from pybinlog.dump.rewrite import DatabaseRewrite

            self._rewrite = DatabaseRewrite(options.rewrite_db)
        self._selection = selection_of(options)
        self._selection.begin_log(last=task.last)
        if self._selection.filter is not None:
            self._selection.filter.unpack(task.state.filter)
        self._filter_inside = self._selection.payload_filter()

    def run(self, source: Source) -> None:
        task, found, state = self._task, self._found, self.state
        start = task.options.start_position if task.first else 4
        reader: Reader
        if task.options.recover:
            reader = RecoveringReader(source, self._scanner, start, on_damage=self._damaged)
        else:
            reader = GroupReader(source, self._scanner, task.part_size, start)
        # the checks of a log that continue from event to event have no state that travels
        may_cut = source.seekable and not (task.options.recover or task.options.require_row_format)
        before = max(start, 4)  # the last cut
        state.begin_part()
        batches = iter(reader) if self._rewrite is None else self._rewrite.batches(iter(reader))
        for batch in self._selection.batches(batches):
            if not self.advance(batch):
                found.needs_files[-1] |= state.needs_files
                return
            found.needs_files[-1] |= state.needs_files
            if state.lacks_table:
                found.starts, found.needs_files, found.sealed = [], [any(found.needs_files)], True
            state.lacks_table = False
            position = self._scanner.position
            if not self._selection.at_rest:
                continue
            if may_cut and position - before >= task.part_size and (packed := state.packed()).places.complete:
                entry = DumpState.of(packed, self._selection.filter)
                found.starts.append(PartStart(position, scanner_state(self._scanner), entry))
                found.needs_files.append(False)
                state.begin_part()
                before = position
        if self._selection.ended:
            found.ended = True
            return
        if found.starts and before == self._scanner.position:
            found.starts.pop()  # nothing comes after it
            found.needs_files.pop()
        if not self._is_damaged and self._selection.at_rest:
            found.state = DumpState.of(state.packed(), self._selection.filter)
        found.boundary = boundary_number(self._scanner)
        found.rotates_to = reader.rotates_to
        found.size = self._scanner.position

    def _damaged(self, damage: Damage) -> None:
        """--recover continues here, in its own way."""
        self._is_damaged = True

    def advance(self, batch: EventBatch) -> bool:
        """Step over a batch; False where the text ends in it, or the state after it is not known."""
        state = self.state
        index = state.advance_from(batch, 0)
        while index < batch.count:
            if not state.needs_python(batch, index) or not self._step(batch, index):
                return False
            state.event_done(batch, index)
            index = state.advance_from(batch, index + 1)
        return True

    def _step(self, batch: EventBatch, index: int) -> bool:
        """Carry it over an event that the compiled loop leaves out. BinlogError where it is corrupt."""
        kind = batch.type(index)
        if kind == EventType.TRANSACTION_PAYLOAD:
            return self._payload(batch, index)
        if kind == EventType.BEGIN_LOAD_QUERY:
            self.state.begin_file(int.from_bytes(batch.body(index)[:4], "little"))
            return True
        return bool(self.state.execute_load(batch, index))

    def _payload(self, batch: EventBatch, index: int) -> bool:
        """The events inside a Transaction_payload."""
        if self._filter_inside is not None:
            self._filter_inside.begin_stream()
        ordinary = self._payloads.events(batch, index, True)
        return self._inside_payload(ordinary) if ordinary is not None else self._other_payload(batch, index)

    def _inside_payload(self, inner: EventBatch) -> bool:
        if self._rewrite is not None:
            self._rewrite.batch(inner)
        earlier = self._filter_inside.apply(inner) if self._filter_inside is not None else ()
        return all(map(self.advance, (*earlier, inner)))

    def _other_payload(self, batch: EventBatch, index: int) -> bool:
        """A large one, or one that something is wrong with."""
        scanner = self._scanner_inside
        if scanner is None:
            scanner = self._scanner_inside = Scanner()
            scanner.force_read = self._task.options.force_read
        scanner.begin_payload(batch)
        for events in Payload(batch.body(index)).log_events(batch.checksum_algorithm == 1):
            at = 0
            while at < len(events):
                inner = scanner.scan(events, at, len(events), batch.file)
                at += scanner.consumed
                if not self._inside_payload(inner) or scanner.error_code not in (scan.SCAN_NEED_MORE, scan.SCAN_RESCAN):
                    return False
        return True
