"""Stage 2 of a dump: the text of logs, printed on an executor from its true state, a file for each log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pybinlog.dump.load_data import LoadFiles
from pybinlog.errors import BinlogError
from pybinlog.export.file import OneFile
from pybinlog.kernel.scan.boundary_state import boundary_number
from pybinlog.kernel.text.carried_state import packed_state, restore_state
from pybinlog.spark.runs import Run, RunDump, RunTask
from pybinlog.spark.state import DumpState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.where.tally import Tally


@dataclass
class Printed:
    """The result of a run, which has its true exit state now."""

    run: Run
    reached: int = 0
    """The number of the last log that has a file."""
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    wants_more: bool = True
    ending: bytes = b""
    """The end of the last log, if the text ends here, and the warnings about what is dropped then."""
    ending_warnings: list[str] = field(default_factory=list)
    damage: BinlogError | None = None
    """The damage that --recover skipped."""
    start_missed: BinlogError | None = None
    """The fault of the start position, if the text ends here."""
    load_warnings: list[str] = field(default_factory=list)
    tally: Tally | None = None
    """The rows that a condition kept and dropped."""


def print_runs(task: RunTask) -> list[Printed]:
    """Print runs. A log's fault is in its run's result; BinlogError if a file cannot be written."""
    files = LoadFiles(task.options.local_load) if any(run.needs_files for run in task.runs) else None
    results: list[Printed] = []
    try:
        for run in task.runs:
            results.append(result := Printed(run))
            Printer(task, result, files).print()
    finally:
        if files is not None:
            files.end(results[-1].load_warnings.append)
    return results


class Printer(RunDump):
    """A Dump of one run; the result gets everything but the text."""

    def __init__(self, task: RunTask, result: Printed, files: LoadFiles | None):
        self._out: Callable[[bytes], object] = lambda piece: None
        super().__init__(task, result.run, lambda piece: self._out(piece), result.warnings.append)
        self._target = task.target
        self._result = result
        self._files = files
        if files is not None:
            self._renderer.slow_path.use_load_files(files)
        restore_state(self._renderer.state, result.run.state.text)

    def print(self) -> None:
        run, result = self._run, self._result
        for number, name in enumerate(run.names, run.first):
            if not self._to_file(name, number):
                result.wants_more = False
                break
        load_ids = run.state.text.places["load_ids"] if self._files is None else self._files.waiting
        state = DumpState.of(packed_state(self._renderer.state, load_ids), self._selection.filter)
        result.run = replace(run, exit=state, exit_boundary=boundary_number(self._scanner), rotates_to=self._rotates_to)
        result.damage = self.damage
        result.start_missed = self.start_missed
        result.tally = self.tally
        ending: list[bytes] = []
        self._out = lambda piece: ending.append(bytes(piece))
        self._warn = result.ending_warnings.append
        if self._recovery is not None:
            self._recovery.finish(self._renderer)
        self._warn_of_rest()
        self._renderer.finish()
        result.ending = b"".join(ending)

    def _to_file(self, name: str, number: int) -> bool:
        """Write the text of a log, up to an error if there is one; False if the text ends in it."""
        wants_more = False
        with OneFile(self._target(number)) as file:
            self._out = file.write
            try:
                wants_more = self.number(name, number)
            except BinlogError as error:
                self._result.error = error
            file.commit()  # what could not be written is an error here
        self._result.reached = number
        return wants_more
