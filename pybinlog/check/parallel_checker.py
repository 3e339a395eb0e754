"""A check by several processes: each log goes through the rules in one of them; rules that cross logs apply here.

checker = ParallelChecker(["binlog.000001", "binlog.000002"], CheckOptions(), ProcessJobs(2))
for result in checker.results(): ...
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from pybinlog.boundary.stream import continues
from pybinlog.check.bodies import BodyRules
from pybinlog.check.checker import Checker, LogResult
from pybinlog.check.contents import ContentRules
from pybinlog.check.history import History
from pybinlog.check.log_findings import UNKNOWN, CheckTask, Edge, LogFindings, check_log, check_logs
from pybinlog.check.options import CheckOptions
from pybinlog.jobs.job_threads import Jobs
from pybinlog.jobs.packs import packs, stored_size
from pybinlog.source.log_series import LogName


@dataclass
class Series:
    """The state that the logs of a series have left so far."""

    history: History = field(default_factory=History)
    exit: Edge = UNKNOWN
    before: tuple[str, ...] = ()
    """The logs that tell what a stream is in the middle of: the last one that settled it, and those after that."""


class ParallelChecker(Checker):
    """A Checker whose logs other processes read; findings, order and totals are those of a Checker.

    Each log is checked as the first of a stream, which gives the same findings if the log before it was closed in
    order. Otherwise, and if GTIDs come again in it, it is checked once more, from what the logs before have left.
    """

    def __init__(
        self, names: Sequence[str], options: CheckOptions, jobs: Jobs, progress: Callable[[int], None] | None = None
    ):
        super().__init__(names, options, progress=progress)
        self._jobs = jobs
        self._found: Iterator[LogFindings] = iter(())
        self._series: dict[str, Series] = {}

    def results(self) -> Iterator[LogResult]:
        self._found = self._findings()
        return super().results()

    def _findings(self) -> Iterator[LogFindings]:
        """Yield the findings of each log by itself."""
        tasks = [
            CheckTask(name, following, self._options)
            for name, following in zip(self._names, [*self._names[1:], None], strict=True)
        ]
        sizes = [stored_size(name) for name in self._names]
        for found in self._jobs.in_order(check_logs, packs(tasks, sizes, self._jobs.cores)):
            yield from found

    def _log(self, name: str, following: str | None) -> LogResult:
        result = LogResult(name)
        series = self._series.setdefault(LogName.of(name).series, Series())
        history = self._histories[LogName.of(name).series] = series.history
        found = next(self._found)
        same_stream = continues(history.rotates_to, name)
        settled, holds_groups = found.settled or not same_stream, found.first_type or not same_stream
        again = found.gtids.overlaps(history.gtids.seen)
        if again or (same_stream and not found.fits(series.exit)):
            before = series.before if same_stream else ()
            seen = history.gtids.seen if again else None
            found = self._jobs.one(check_log, CheckTask(name, following, self._options, before, seen))
        if holds_groups:
            series.exit = found.exit
            series.before = (name,) if settled else (*series.before, name)
        self._play(result, history, found)
        return result

    def _play(self, result: LogResult, history: History, found: LogFindings) -> None:
        """Report what was found, and let the history of the series learn from it."""
        report = partial(self._add, result)
        if found.opened:
            if history.fresh:
                history.note(complete=LogName.of(result.file).number == 1)
            history.fresh = False
        rules = ContentRules(result.file, history, report, BodyRules(report))
        for step, arguments in found.steps:
            if step == "report":
                report(*arguments)
            elif step == "note":
                history.note(**dict(arguments))
            elif step == "previous_gtids":
                event, so_far, rules.is_relay_log = arguments
                history.gtids.seen.unite(so_far)
                rules.previous_gtids(event, 0)
            else:
                getattr(rules, step)(*arguments)
        history.gtids.seen.unite(found.gtids)
        history.rotates_to = found.rotates_to
        result.events, result.bytes, result.failure = found.events, found.bytes, found.failure
        if self._progress is not None:
            self._progress(found.bytes)
