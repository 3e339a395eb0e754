"""A dump on Spark: the text of all logs in files for each, printed on the executors, which together are the one text.

run(["binlog.000001", "binlog.000002"], DumpOptions(), "/backup/text", warn, SparkJobs(session.sparkContext))
"""

from __future__ import annotations

import os
import re
from contextlib import closing as closing_of
from dataclasses import dataclass, replace

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.parser import ParserState
from pybinlog.boundary.stream import StreamState
from pybinlog.dump.log import selection_of
from pybinlog.dump.options import Base64Output, DumpOptions
from pybinlog.dump.wrapping import closing, opening
from pybinlog.errors import BinlogError
from pybinlog.export.file import FileName, OneFile, make_folder, open_output
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.source.log_series import LogName
from pybinlog.spark.printing import Printed, print_runs
from pybinlog.spark.runs import Run, RunTask
from pybinlog.spark.state import DumpState, relative
from pybinlog.spark.survey import survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import Any

    from pybinlog.dump import Writer
    from pybinlog.kernel.filter.filter import PackedFilter
    from pybinlog.spark.jobs import SparkJobs
    from pybinlog.where.tally import Tally

AT_REST = StreamState(GroupState.NONE, True, ParserState.SELF_CONTAINED).number
SUFFIX = ".sql"
MANIFEST = "MANIFEST"
PIECE = 1 << 20
UNUSUAL = re.compile(r"[^\w.+-]")


@dataclass(frozen=True)
class TextFiles:
    """The names of the files of a text, in order: the opening, a file for each log, the closing."""

    folder: str
    names: tuple[str, ...]
    compression: str = ""

    @classmethod
    def of(cls, logs: Sequence[str], folder: str, compression: str = "") -> TextFiles:
        ending = SUFFIX + (f".{compression}" if compression else "")
        titles = ["opening", *(UNUSUAL.sub("_", os.path.basename(log)) for log in logs), "closing"]
        width = max(6, len(str(len(titles))))
        names = (f"{number:0{width}}-{title}{ending}" for number, title in enumerate(titles))
        return cls(folder.rstrip("/") or "/", tuple(names), compression)

    def path(self, number: int) -> str:
        return f"{self.folder}/{self.names[number]}"

    def of_log(self, number: int) -> FileName:
        """Return the file for the log of this number, from 0."""
        return FileName(self.path(number + 1), "sql", self.compression)

    def write(self, number: int, text: bytes) -> None:
        with OneFile(FileName(self.path(number), "sql", self.compression)) as file:
            file.write(text)
            file.commit()


def run(
    names: Sequence[str],
    options: DumpOptions,
    folder: str,
    warn: Callable[[str], None],
    jobs: SparkJobs,
    progress: Callable[[int], None] | None = None,
    compression: str = "",
) -> Tally | None:
    """Write the text of `pybinlog.dump.run` to files of a folder, and to MANIFEST their names in order, one a line.

    Raise the BinlogError that ends the text, if one does: the files then hold what comes before it. Raise SparkError if
    Spark cannot do it.
    """
    files = TextFiles.of(names, folder, compression)
    make_folder(folder)
    text = Text(names, options, files, warn, jobs, progress)
    files.write(0, text.opening)
    written = [0]
    for number in text.logs():
        written.append(number + 1)
    files.write(len(names) + 1, text.ending)
    written.append(len(names) + 1)
    with open_output(f"{files.folder}/{MANIFEST}") as manifest:
        manifest.write(memoryview("".join(f"{files.names[number]}\n" for number in written).encode()))
        manifest.commit()
    if text.error is not None:
        raise text.error
    return text.tally


def run_to_output(
    names: Sequence[str],
    options: DumpOptions,
    output: Writer,
    warn: Callable[[str], None],
    jobs: SparkJobs,
    progress: Callable[[int], None] | None = None,
) -> Tally | None:
    """Write the text to one output, by way of files in the folder that executors and driver share (`jobs.spool`)."""
    assert jobs.spool is not None
    files = TextFiles.of(names, jobs.spool)
    text = Text(names, options, files, warn, jobs, progress)
    output.write(text.opening)
    for number in text.logs():
        with open(files.of_log(number).path, "rb", buffering=0) as file:
            os.unlink(file.name)
            while piece := file.read(PIECE):
                output.write(piece)
    output.write(text.ending)
    if text.error is not None:
        raise text.error
    return text.tally


class Text:
    """The text of logs on its way to its files. Iterate `logs()`, then look at `ending`, `error` and `tally`."""

    def __init__(
        self,
        names: Sequence[str],
        options: DumpOptions,
        files: TextFiles,
        warn: Callable[[str], None],
        jobs: SparkJobs,
        progress: Callable[[int], None] | None,
    ):
        from pybinlog import __version__

        self._names = names
        self._options = options
        self._files = files
        self._warn = warn
        self._jobs = jobs
        self._progress = progress
        self._sizes = [stored_size(name) for name in names]
        self.opening = opening(options, __version__)
        state = DumpState.of(CarriedState(options).packed(), selection_of(options).filter)
        self._begin = Run((), 0, state, None, exit=state)
        self.ending = b""
        self.error: BinlogError | None = None
        self.tally: Tally | None = None

    def logs(self) -> Iterator[int]:
        """Yield the numbers of the logs, each when its file is written, up to the one in which the text ends.

        A log that is not what it was when it was surveyed ends in another state than was planned: what comes after it
        is planned once more, from that state.
        """
        last = Printed(self._begin)
        damage: BinlogError | None = None
        files: list[str] = []
        while last.run.end < len(self._names) and last.error is None and last.wants_more:
            with closing_of(self._printed(self._runs(last.run))) as printed:
                for run, last in printed:
                    yield from range(run.first, last.reached + 1)
                    for warning in last.warnings:
                        self._warn(warning)
                    files += last.load_warnings
                    damage = damage or last.damage
                    self.tally = self.tally if last.tally is None else last.tally.plus(self.tally)
                    if last.error is not None or not last.wants_more or run.exit not in (None, last.run.exit):
                        break
        self.error = last.error or damage or last.start_missed
        for warning in (*last.ending_warnings, *files):
            self._warn(warning)
        self.ending = last.ending + closing(self._options)

    def _printed(self, runs: list[Run]) -> Generator[tuple[Run, Printed], None, None]:
        """Yield the runs in order, as they are printed.

        One task prints all that write files of LOAD DATA statements, whose names depend on those before.
        """
        with_files = tuple(run for run in runs if run.needs_files)
        others = [run for run in runs if not run.needs_files]
        in_tasks = [with_files] if with_files else []
        in_tasks += map(tuple, packs(others, list(map(self._size, others)), self._jobs.cores))
        waiting: dict[int, Printed] = {}
        with closing_of(self._jobs.in_order(print_runs, map(self._task, in_tasks))) as results:
            for run in runs:
                while run.first not in waiting:
                    task, printed = next(results)
                    waiting.update((one.run.first, one) for one in printed)
                    if self._progress is not None:
                        self._progress(sum(map(self._size, task.runs)))
                yield run, waiting.pop(run.first)

    def _size(self, run: Run) -> int:
        return sum(self._sizes[run.first : run.end])

    def _task(self, runs: tuple[Run, ...]) -> RunTask:
        return RunTask(self._options, len(self._names), runs, self._files.of_log)

    def _runs(self, begin: Run) -> list[Run]:
        """Return the runs to print after `begin`, in order. The last has all logs after one that cannot be surveyed.

        Logs are surveyed before it is known what the logs before them left. If the guess was wrong, they are surveyed
        again, from the true state.
        """
        runs: list[Run] = []
        before = begin
        assert before.exit is not None
        guess = usual_guess(before.exit, self._options)

        def tasks() -> Iterator[RunTask]:
            for pack in packs(range(begin.end, len(self._names)), self._sizes[begin.end :], self._jobs.cores):
                names, first = tuple(self._names[number] for number in pack), pack[0]
                state, boundary = relative(guess), None
                if first == begin.end:
                    assert begin.exit is not None
                    state, boundary = begin.exit, begin.boundary_of(names[0])
                elif LogName.of(names[0]).follows(LogName.of(self._names[first - 1])):
                    boundary = AT_REST
                yield self._task((Run(names, first, state, boundary),))

        for task, found in self._jobs.in_order(survey, tasks()):
            (run,), entry = task.runs, before.exit
            boundary = before.boundary_of(run.names[0])
            if run.boundary != boundary or run.state.guess != entry.guess:
                run = replace(run, state=entry, boundary=boundary)
                found = self._jobs.one(survey, self._task((run,)))
            for one in found:
                known = one if run.state == entry else one.after(entry)
                if runs and not known.may_begin:
                    last = runs[-1]
                    needs_files = last.needs_files or known.needs_files
                    names = (*last.names, *known.names)
                    runs[-1] = replace(last, names=names, exit=known.exit, needs_files=needs_files)
                else:
                    runs.append(known)
            before = known
            if before.exit is None:
                if not before.ended:
                    runs[-1] = replace(runs[-1], names=tuple(self._names[runs[-1].first :]))
                break
            guess = before.exit.guess
        return runs


def usual_guess(fresh: DumpState, options: DumpOptions) -> tuple[dict[str, Any], PackedFilter | None]:
    """Return the state between two logs that were both closed in order."""
    places = {
        **fresh.text.places,
        "thread_id_known": True,
        "printed_format_description": options.base64_output is not Base64Output.NEVER and not options.short_form,
        "seen_format_description": True,
    }
    return places, None if fresh.filter is None else fresh.filter._replace(offset_waits=False)
