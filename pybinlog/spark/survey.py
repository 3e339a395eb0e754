"""Stage 1 of a dump: what logs do to the state of the text, without printing them."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.errors import BinlogError
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.boundary_state import boundary_number
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.log.payload import batches_inside
from pybinlog.spark.runs import Run, RunDump, RunTask
from pybinlog.spark.state import DumpState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source


def survey(task: RunTask) -> list[Run]:
    """Return each log of a run as one, up to that after which the state is unknown, or the text has ended.

    Nothing is raised for what is wrong with a log: printing it meets the same.
    """
    (run,) = task.runs
    return Surveyor(task, run).runs()


class Surveyor(RunDump):
    """A Dump that steps the text's state over the events and prints none."""

    def __init__(self, task: RunTask, run: Run):
        super().__init__(task, run, lambda piece: None, lambda warning: None)
        self.state = CarriedState(task.options)
        self.state.unpack(run.state.text)
        self._payloads = PayloadReader(task.options.force_read)
        self._filter_inside = self._selection.payload_filter()
        self._is_damaged = False
        self._boundary: int | None = None

    def runs(self) -> list[Run]:
        found: list[Run] = []
        for number, name in enumerate(self._run.names, self._run.first):
            before, may_begin = self._packed(), self.state.complete and self._selection.at_rest
            self.state.begin_part()
            try:
                is_whole, ended = self.number(name, number), self._selection.ended
            except BinlogError:
                is_whole, ended = False, True
            log = Run(
                (name,),
                number,
                before,
                self._boundary,
                ended=ended,
                may_begin=may_begin and not self.state.lacks_table,
                needs_files=self.state.needs_files,
            )
            if is_whole and not self._is_damaged and self._selection.at_rest:
                boundary = boundary_number(self._scanner)
                log = replace(log, exit=self._packed(), exit_boundary=boundary, rotates_to=self._rotates_to)
            found.append(log)
            if log.exit is None:
                break
        return found

    def _packed(self) -> DumpState:
        return DumpState.of(self.state.packed(), self._selection.filter)

    def _continues(self, name: str) -> bool:
        is_same_stream = super()._continues(name)
        self._boundary = boundary_number(self._scanner) if is_same_stream else None
        return is_same_stream

    def _verify_checksums(self, source: Source) -> None:
        """Leave that to the printing."""

    def _passed_over(self, damage: Damage, live: bool) -> None:
        """--recover continues here, in its own way."""
        self._is_damaged = True

    def _render(self, batch: EventBatch) -> bool:
        return self.advance(batch)

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
