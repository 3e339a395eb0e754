"""Stage 2 of a dump: the text of logs, printed on an executor from its true state, a file for each log."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybinlog.dump.load_data import LoadFiles
from pybinlog.dump.log import Dump
from pybinlog.dump.options import DumpOptions
from pybinlog.errors import BinlogError
from pybinlog.export.one_file import FileName, OneFile
from pybinlog.kernel.scan.boundary_state import boundary_number, restore_boundary
from pybinlog.kernel.text.carried_state import packed_state, restore_state
from pybinlog.spark.state import DumpState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pybinlog.where.tally import Tally


@dataclass(frozen=True)
class Run:
    """Logs that one process prints one after the other; what the text before them has set."""

    names: tuple[str, ...]
    first: int
    """The number of the first of them in the text."""
    state: DumpState
    boundary: int | None
    """The boundaries' state, if the first log continues the stream of the one before it."""
    exit: DumpState | None
    """The state that is expected after them; None if it is unknown, or nothing follows."""
    needs_files: bool = False
    """They write files of LOAD DATA statements."""


@dataclass(frozen=True)
class PrintTask:
    """Runs to print, each log to the file that `target` names; `count` logs are in the text."""

    options: DumpOptions
    runs: tuple[Run, ...]
    count: int
    target: Callable[[int], FileName]


@dataclass
class Printed:
    """The result of a run."""

    reached: int = 0
    """The number of the last log that has a file."""
    warnings: list[str] = field(default_factory=list)
    error: BinlogError | None = None
    wants_more: bool = True
    state: DumpState | None = None
    """The state after it, that of the boundaries, and the log that a Rotate at its end names."""
    boundary: int = 0
    rotates_to: str | None = None
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


def print_runs(task: PrintTask) -> list[Printed]:
    """Print runs. A log's fault is in its run's result; BinlogError if a file cannot be written."""
    files = LoadFiles(task.options.local_load) if any(run.needs_files for run in task.runs) else None
    results: list[Printed] = []
    try:
        for run in task.runs:
            results.append(result := Printed(run.first))
            RunDump(task, run, result, files).print()
    finally:
        if files is not None:
            files.end(results[-1].load_warnings.append)
    return results


class RunDump(Dump):
    """A Dump of one run."""

    def __init__(self, task: PrintTask, run: Run, result: Printed, files: LoadFiles | None):
        self._out: Callable[[bytes], object] = lambda piece: None
        super().__init__(task.options, lambda piece: self._out(piece), result.warnings.append)
        self._task = task
        self._run = run
        self._result = result
        self._files = files
        self._is_first = True
        if files is not None:
            self._renderer.slow_path.use_load_files(files)
        restore_state(self._renderer.state, run.state.text)
        if self._selection.filter is not None:
            self._selection.filter.unpack(run.state.filter)

    def print(self) -> None:
        """Print all logs; the result gets everything but the text and the warnings."""
        result = self._result
        for number, name in enumerate(self._run.names, self._run.first):
            if not self._to_file(name, number):
                result.wants_more = False
                break
        load_ids = self._run.state.text.places["load_ids"] if self._files is None else self._files.waiting
        result.state = DumpState.of(packed_state(self._renderer.state, load_ids), self._selection.filter)
        result.boundary, result.rotates_to = boundary_number(self._scanner), self._rotates_to
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
        with OneFile(self._task.target(number)) as file:
            self._out = file.write
            try:
                wants_more = self.log(name, first=number == 0, last=number == self._task.count - 1)
            except BinlogError as error:
                self._result.error = error
            file.commit()  # what could not be written is an error here
        self._result.reached = number
        return wants_more

    def _continues(self, name: str) -> bool:
        if not self._is_first:
            return super()._continues(name)
        self._is_first = False
        if self._run.boundary is not None:
            restore_boundary(self._scanner, self._run.boundary)
        return self._run.boundary is not None
