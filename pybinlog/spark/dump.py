"""A dump on Spark: the text of all logs in files for each, printed on the executors, which together are the one text.

names = ["binlog.000001", "binlog.000002"]
Text(names, TextPlan(DumpOptions(), 2, "/backup/text"), warn, SparkJobs(session.sparkContext)).to_folder()

`run_apart` writes a text for each log.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing as closing_of
from dataclasses import dataclass, field, replace
from functools import partial

from pybinlog import dump
from pybinlog.dump.log import selection_of
from pybinlog.dump.options import Base64Output, DumpOptions
from pybinlog.dump.wrapping import opening
from pybinlog.errors import BinlogError, OutputError
from pybinlog.export.file import OneFile, make_folder, open_output
from pybinlog.feed.remarks import Remarks
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.kernel.text.carried_state import CarriedState
from pybinlog.source.log_series import LogName
from pybinlog.spark.dump_stages import DumpState, Printed, Run, TextPlan, print_runs, survey
from pybinlog.spark.jobs import SparkJobs

MANIFEST = "MANIFEST"
PIECE = 1 << 20


def joined_names(names: Sequence[str], plan: TextPlan) -> list[str]:
    """Return the files that `Text.to_folder` writes."""
    titles = enumerate(("opening", *names, "closing"))
    return [*(os.path.basename(plan.file(number, title).path) for number, title in titles), MANIFEST]


@dataclass
class Text:
    """The text of `pybinlog.dump.run`, by way of files for each log.

    `to_folder` and `to_output` return what there is to say of what the filters have kept and dropped. They raise the
    BinlogError that ends the text, if one does, after what comes before it; SparkError if Spark cannot do it.
    """

    names: Sequence[str]
    plan: TextPlan
    warn: Callable[[str], None]
    jobs: SparkJobs
    progress: Callable[[int], None] | None = None
    remarks: Remarks = field(default_factory=Remarks, init=False)
    error: BinlogError | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._sizes = [stored_size(name) for name in self.names]
        options = self.plan.options
        filter = selection_of(options).filter
        state = DumpState(CarriedState(options).packed(), None if filter is None else filter.packed())
        self._begin = Run((), 0, state, state)

    def to_folder(self) -> Remarks:
        """Write the files of the plan, and to MANIFEST their names in order, one a line."""
        make_folder(self.plan.folder)
        paths = list(self._written())
        with open_output(f"{self.plan.folder.rstrip('/')}/{MANIFEST}") as manifest:
            manifest.write(memoryview("".join(f"{os.path.basename(path)}\n" for path in paths).encode()))
            manifest.commit()
        return self._result()

    def to_output(self, output: dump.Writer) -> Remarks:
        """Write the text to one output. Executors and driver share the plan's folder, which is empty in the end."""
        for path in self._written():
            with open(path, "rb", buffering=0) as file:
                os.unlink(path)
                while piece := file.read(PIECE):
                    output.write(piece)
        return self._result()

    def _result(self) -> Remarks:
        if self.error is not None:
            raise self.error
        return self.remarks

    def _written(self) -> Iterator[str]:
        """Yield the paths of the files in order, each when it is written, up to the log in which the text ends.

        A log that is not what it was when it was surveyed ends in another state than was planned: what comes after it
        is planned once more, from that state.
        """
        from pybinlog import __version__

        yield self._write(0, "opening", opening(self.plan.options, __version__))
        last = Printed(self._begin)
        damage: BinlogError | None = None
        load_warnings: list[str] = []
        while last.run.end < len(self.names) and last.error is None and last.wants_more:
            names = [*self.names, None]
            runs = [replace(run, following=names[run.end]) for run in self._runs(last.run)]
            with closing_of(self._printed(runs)) as printed:
                for run, last in printed:
                    for number in range(run.first, last.reached + 1):
                        yield self.plan.file(number + 1, self.names[number]).path
                    for warning in last.warnings:
                        self.warn(warning)
                    load_warnings += last.load_warnings
                    damage = damage or last.damage
                    self.remarks = self.remarks.plus(last.remarks)
                    if last.error is not None or not last.wants_more or run.exit not in (None, last.run.exit):
                        break
        self.error = last.error or damage or last.start_missed
        for warning in (*last.ending_warnings, *load_warnings):
            self.warn(warning)
        yield self._write(len(self.names) + 1, "closing", last.ending)

    def _write(self, number: int, title: str, text: bytes) -> str:
        name = self.plan.file(number, title)
        with OneFile(name) as file:
            file.write(text)
            file.commit()
        return name.path

    def _printed(self, runs: list[Run]) -> Generator[tuple[Run, Printed], None, None]:
        """Yield the runs in order, as they are printed.

        One task prints all that write files of LOAD DATA statements, whose names depend on those before.
        """
        with_files = tuple(run for run in runs if run.needs_files)
        others = [run for run in runs if not run.needs_files]
        in_tasks = [with_files] if with_files else []
        in_tasks += map(tuple, packs(others, list(map(self._size, others)), self.jobs.cores))
        waiting: dict[int, Printed] = {}
        with closing_of(self.jobs.in_order(partial(print_runs, self.plan), in_tasks)) as results:
            for run in runs:
                while run.first not in waiting:
                    printed = next(results)
                    waiting.update((one.run.first, one) for one in printed)
                    if self.progress is not None:
                        self.progress(sum(self._size(one.run) for one in printed))
                yield run, waiting.pop(run.first)

    def _size(self, run: Run) -> int:
        return sum(self._sizes[run.first : run.end])

    def _runs(self, begin: Run) -> list[Run]:
        """Return the runs to print after `begin`, in order. The last has all logs after one that cannot be surveyed.

        Logs are surveyed before it is known what the logs before them left. If the guess was wrong, they are surveyed
        again, from the true state.
        """
        entry = begin.exit
        assert entry is not None
        guess, first_entry = usual_guess(entry, self.plan.options), entry
        survey_run = partial(survey, self.plan)
        to_survey: list[Run] = []

        def guessed() -> Iterator[Run]:
            for pack in packs(range(begin.end, len(self.names)), self._sizes[begin.end :], self.jobs.cores):
                state, log = first_entry, LogName.of(self.names[pack[0]])
                if to_survey:
                    follows = log.follows(LogName.of(self.names[pack[0] - 1]))
                    state = guess.relative(log.base if follows else None)
                to_survey.append(Run(tuple(self.names[number] for number in pack), pack[0], state))
                yield to_survey[-1]

        runs: list[Run] = []
        for number, found in enumerate(self.jobs.in_order(survey_run, guessed())):
            run = to_survey[number]
            if run.state.deciding(run.names[0]) != entry.deciding(run.names[0]):
                run = replace(run, state=entry)
                found = self.jobs.one(survey_run, run)
            for one in found:
                known = one if run.state == entry else one.after(entry)
                if runs and not known.may_begin:
                    last = runs[-1]
                    needs_files = last.needs_files or known.needs_files
                    names = (*last.names, *known.names)
                    runs[-1] = replace(last, names=names, exit=known.exit, needs_files=needs_files)
                else:
                    runs.append(known)
            if known.exit is None:
                if not known.ended:
                    runs[-1] = replace(runs[-1], names=tuple(self.names[runs[-1].first :]))
                break
            entry = guess = known.exit
        return runs


def usual_guess(fresh: DumpState, options: DumpOptions) -> DumpState:
    """Return the state between two logs that were both closed in order."""
    places = {
        **fresh.text.places,
        "thread_id_known": True,
        "printed_format_description": options.base64_output is not Base64Output.NEVER and not options.short_form,
        "seen_format_description": True,
    }
    filter = None if fresh.filter is None else fresh.filter._replace(offset_waits=False)
    return fresh._replace(text=fresh.text._replace(places=places), filter=filter)


# ---- a text for each log


def own_names(names: Sequence[str], plan: TextPlan) -> list[str]:
    """Return the files that `run_apart` writes. Raise OutputError if two logs have the same."""
    taken: dict[str, str] = {}
    for name in names:
        base = os.path.basename(plan.own_file(name).path)
        if base in taken:
            raise OutputError(
                f"{taken[base]} and {name} would both be written to {base}",
                file=plan.folder,
                hint="Give logs of the same name to commands with folders of their own, or add --joined",
            )
        taken[base] = name
    return list(taken)


def run_apart(
    names: Sequence[str],
    plan: TextPlan,
    warn: Callable[[str], None],
    fail: Callable[[BinlogError], None],
    jobs: SparkJobs,
    progress: Callable[[int], None] | None = None,
) -> tuple[bool, Remarks]:
    """Write a text for each log, which is that of a dump of this log alone.

    Return False if a log could not be read to its end, and what there is to say of what the filters have kept.

    `fail` is given the error of each such log, whose file holds the text before the error. Raise BinlogError if the
    folder cannot be made.
    """
    sizes = [stored_size(name) for name in names]
    make_folder(plan.folder)
    good, remarks, size = True, Remarks(), iter(sizes)
    for results in jobs.in_order(partial(write_texts, plan), packs(names, sizes, jobs.cores)):
        for warnings, counted, error in results:
            for warning in warnings:
                warn(warning)
            remarks = remarks.plus(counted)
            if error is not None:
                good = False
                fail(error)
            if progress is not None:
                progress(next(size))
    return good, remarks


def write_texts(plan: TextPlan, names: list[str]) -> list[tuple[list[str], Remarks, BinlogError | None]]:
    """Dump logs into their files, on an executor.

    Return for each what was said of it, what there is to say of its filters, and what ended it early.
    """
    results = []
    for name in names:
        warnings: list[str] = []
        remarks, found = Remarks(), None
        with OneFile(plan.own_file(name)) as file:
            try:
                remarks = dump.run([name], plan.options, file, warnings.append)
            except BinlogError as error:
                found = error
            file.commit()
        results.append((warnings, remarks, found))
    return results
