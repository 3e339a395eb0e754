"""Stage 1 of a dump: what logs do to the state of the text, without printing them."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.boundary.stream import continues
from pybinlog.dump.log import selection_of
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.boundary_state import boundary_number, restore_boundary
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.log.payload import batches_inside, last_event
from pybinlog.log.reader import Reader
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import open_source
from pybinlog.spark.state import DumpState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.recover import Damage


@dataclass(frozen=True)
class SurveyTask:
    """Logs that follow each other in the text, and what is known or guessed of those before them.

    `first` is the number of the first of them in the text, `count` that of all its logs. `known` False: the state is
    `relative`, and so will be the states that are found.
    """

    options: DumpOptions
    names: tuple[str, ...]
    first: int
    count: int
    state: DumpState
    known: bool
    boundary: int | None
    """The boundaries' state, if the first log continues the stream of the one before it."""


@dataclass
class LogSurvey:
    """The effect of one log."""

    entry: DumpState
    """The state before it."""
    boundary: int | None
    """As in SurveyTask."""
    may_begin: bool = True
    """Another process may print from here on: nothing in the log needs what was read before it but the states."""
    needs_files: bool = False
    """It writes files of LOAD DATA statements."""
    exit: DumpState | None = None
    """The state after the log; None if only printing it tells."""
    exit_boundary: int = 0
    ended: bool = False
    """The text ends inside this log, with an error or at the end of the chosen range."""
    rotates_to: str | None = None


def survey(task: SurveyTask) -> list[LogSurvey]:
    """Survey logs one after the other, up to one after which the state is not known, or the text has ended.

    Nothing is raised for what is wrong with a log: printing it meets the same.
    """
    return Surveyor(task).run()


class Surveyor:
    """Logs on their way past the state."""

    def __init__(self, task: SurveyTask):
        options = task.options
        self._task = task
        self._scanner = Scanner()
        self._scanner.force_read = options.force_read
        self._scanner.statement_bits = self._scanner.parse_bits = options.statement_bits
        self._scanner.last_in_payload = last_event
        self.state = CarriedState(options)
        self.state.unpack(task.state.text)
        self._payloads = PayloadReader(options.force_read)
        self._is_damaged = False
        self._rewrite = None
        if options.rewrite_db:
            from pybinlog.dump.rewrite import DatabaseRewrite

            self._rewrite = DatabaseRewrite(options.rewrite_db)
        self._selection = selection_of(options)
        if self._selection.filter is not None:
            self._selection.filter.unpack(task.state.filter)
        self._filter_inside = self._selection.payload_filter()

    def run(self) -> list[LogSurvey]:
        found: list[LogSurvey] = []
        boundary = self._task.boundary
        for number, name in enumerate(self._task.names, self._task.first):
            if found:
                boundary = found[-1].exit_boundary if continues(found[-1].rotates_to, name) else None
            entry = DumpState.of(self.state.packed(), self._selection.filter)
            if boundary is None:
                self._scanner.reset()
                self._selection.begin_stream()
            else:
                restore_boundary(self._scanner, boundary)
            log = LogSurvey(entry, boundary, self.state.complete and self._selection.at_rest)
            found.append(log)
            try:
                self._log(name, number, log)
            except BinlogError:
                log.ended = True
            log.may_begin = log.may_begin and not self.state.lacks_table
            log.needs_files = self.state.needs_files
            if log.exit is None:
                break
        return found

    def _log(self, name: str, number: int, log: LogSurvey) -> None:
        options, state, selection = self._task.options, self.state, self._selection
        selection.begin_log(last=number == self._task.count - 1)
        state.begin_part()
        with open_source(name) as source:
            start = options.start_position if number == 0 else 4
            reader = (
                RecoveringReader(source, self._scanner, start, on_damage=self._damaged)
                if options.recover
                else Reader(source, self._scanner, start)
            )
            batches = iter(reader) if self._rewrite is None else self._rewrite.batches(iter(reader))
            for batch in selection.batches(batches):
                if not self.advance(batch):
                    return
                del batch  # its bytes go before the next are read
        log.ended = selection.ended
        if not (selection.ended or self._is_damaged) and selection.at_rest:
            log.exit = DumpState.of(state.packed(), selection.filter)
            log.exit_boundary = boundary_number(self._scanner)
            log.rotates_to = reader.rotates_to

    def _damaged(self, damage: Damage) -> None:
        """--recover continues here, in its own way."""
        self._is_damaged = True

    def advance(self, batch: EventBatch) -> bool:
        """Step over a batch; False if the text ends in it, or the state after it is not known."""
        state = self.state
        index = state.advance_from(batch, 0)
        while index < batch.count:
            if not state.needs_python(batch, index) or not self._step(batch, index):
                return False
            state.event_done(batch, index)
            index = state.advance_from(batch, index + 1)
        return True

    def _step(self, batch: EventBatch, index: int) -> bool:
        """Carry it over an event that the compiled loop omits. Raise BinlogError if it is corrupt."""
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
        for inner in batches_inside(self._payloads, batch, index):
            if self._rewrite is not None:
                self._rewrite.batch(inner)
            earlier = self._filter_inside.apply(inner) if self._filter_inside is not None else ()
            if not all(map(self.advance, (*earlier, inner))):
                return False
            del inner
        return True
