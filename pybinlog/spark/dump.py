"""A dump on Spark: the parts of all logs printed on the executors, their texts written in order.

run(["binlog.000001", "binlog.000002"], DumpOptions(), output, warn, Jobs(session.sparkContext))
"""

from __future__ import annotations

from pybinlog.dump.wrapping import closing, opening
from pybinlog.errors import BinlogError
from pybinlog.spark.plan import Plan
from pybinlog.spark.render import LIMIT, Rendered, RenderTask, TaskDump, pieces, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pybinlog.dump import Writer
    from pybinlog.dump.load_data import LoadFiles
    from pybinlog.dump.options import DumpOptions
    from pybinlog.spark.jobs import Jobs

PART_SIZE = 32 << 20
"""Bytes of a log whose text comes as one result. It is several times as large, and passes through the driver."""


def run(
    names: Sequence[str],
    options: DumpOptions,
    output: Writer,
    warn: Callable[[str], None],
    jobs: Jobs,
    progress: Callable[[int], None] | None = None,
    part_size: int = PART_SIZE,
    limit: int = LIMIT,
) -> None:
    """Write the logs of these names, in order, as one text: that of `pybinlog.dump.run`, with its errors.

    `limit` bounds the text of one result, in bytes. SparkError where Spark cannot do it.
    """
    from pybinlog import __version__

    plan = Plan(names, options, jobs, part_size, limit)
    output.write(opening(options, __version__))
    text = Text(plan, options, output, warn, jobs, progress)
    try:
        text.write()
        output.write(text.ending)
        for warning in text.ending_warnings:
            warn(warning)
        output.write(closing(options))
    finally:
        if text.load_files is not None:
            text.load_files.end(warn)
    if text.error is not None:
        raise text.error


class Text:
    """The text of all parts on its way to the output."""

    def __init__(
        self,
        plan: Plan,
        options: DumpOptions,
        output: Writer,
        warn: Callable[[str], None],
        jobs: Jobs,
        progress: Callable[[int], None] | None,
    ):
        self._plan = plan
        self._options = options
        self._output = output
        self._warn = warn
        self._jobs = jobs
        self._progress = progress
        self._written = 0
        self._warned = 0
        self.load_files: LoadFiles | None = None
        self.error: BinlogError | None = None
        self.ending = b""
        self.ending_warnings: list[str] = []

    def write(self) -> None:
        """Write until the logs, or the text, come to their end."""
        last: Rendered | None = None
        for task, result in self._jobs.in_order(render, self._plan.render_tasks(), lambda task: not task.local):
            last = self._task(task, result)
            if self._progress is not None:
                self._progress(task.size)
            if last.error is not None or not last.wants_more:
                break
            if task.exit is not None and (last.state != task.exit or last.damage is not None):
                # The log is another than it was, or an event did what nobody could foresee: what follows is planned
                # from a wrong state.
                last = self._alone(task)
                break
        if self.error is None and last is not None:
            self.error = last.damage or last.start_missed

    def _task(self, task: RenderTask, result: Rendered | None) -> Rendered:
        """Write the text of a task, all of it; returns what is known after it."""
        self._written = self._warned = 0
        while True:
            if result is None or result.too_large:
                result = self._here(task)
            else:
                self._put(result)
            self._take_end(result)
            if result.rest is None:
                return result
            task = result.rest
            result = self._jobs.one(render, task)

    def _put(self, result: Rendered) -> None:
        for text in pieces(result):
            self._output.write(text)
            self._written += len(text)
        for warning in result.warnings:
            self._warn(warning)
        self._warned += len(result.warnings)

    def _here(self, task: RenderTask, written: int = 0, warned: int = 0) -> Rendered:
        """Print a task in this process, with the files of LOAD DATA statements; so much of it is written already."""
        result = Rendered()
        if self.load_files is None:
            from pybinlog.dump.load_data import LoadFiles

            self.load_files = LoadFiles(self._options.local_load)

        def write(piece: bytes) -> None:
            nonlocal written
            dropped = min(written, len(piece))
            written -= dropped
            if dropped:
                piece = bytes(piece)[dropped:]
            if piece:
                self._output.write(piece)
                self._written += len(piece)

        def warn(text: str) -> None:
            nonlocal warned
            if warned:
                warned -= 1
            else:
                self._warn(text)
                self._warned += 1

        TaskDump(task, write, warn, self.load_files).print(result)
        return result

    def _alone(self, task: RenderTask) -> Rendered:
        """Write all the rest here, from the beginning of a task whose text is written."""
        if task.local:
            # its files are written, and must not be again
            raise BinlogError(
                "the log changed while it was read", file=task.parts[-1].part.name, hint="Dump a copy of it"
            )
        result = self._here(self._plan.rest_of(task), self._written, self._warned)
        self._take_end(result)
        return result

    def _take_end(self, result: Rendered) -> None:
        self.error = result.error
        self.ending, self.ending_warnings = result.ending, result.ending_warnings
