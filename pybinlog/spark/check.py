"""A check on Spark: the parts of all logs through the rules on the executors, joined in order here.

checker = SparkChecker(["binlog.000001", "binlog.000002"], CheckOptions(), Jobs(session.sparkContext))
for result in checker.results(): ...
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.composition import StreamState
from pybinlog.boundary.parser import ParserState
from pybinlog.boundary.stream import continues
from pybinlog.check.bodies import BodyRules
from pybinlog.check.checker import Checker, LogResult
from pybinlog.check.contents import ContentRules
from pybinlog.check.finding import Severity
from pybinlog.check.gtids import GtidSet
from pybinlog.check.history import History
from pybinlog.check.options import CheckOptions
from pybinlog.errors import BinlogError
from pybinlog.kernel.check.carried_check import check_state, state_at_cut
from pybinlog.kernel.scan.scanner_state import boundary_number
from pybinlog.log.relay_log import looks_like_relay_log
from pybinlog.source.log_series import LogName
from pybinlog.spark.check_part import CheckTask, Entry, HistoryState, PartFindings, check_parts, check_whole
from pybinlog.spark.jobs import grouped, stored_size
from pybinlog.spark.parts import LogPart, cut_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pybinlog.spark.jobs import Jobs
    from pybinlog.spark.process_jobs import ProcessJobs

PART_SIZE = 128 << 20
CHECKED_AT_ONCE = 256 << 20
"""Bytes of small logs that one task checks."""


class SparkChecker(Checker):
    """A Checker whose logs are read by the executors; findings, order and totals are those of a Checker.

    Each part is checked from a guess of what comes before it, which holds for logs that are in order. A log for which
    it does not hold is checked again as a whole, from what the logs before it have truly left.
    """

    def __init__(
        self,
        names: Sequence[str],
        options: CheckOptions,
        jobs: Jobs | ProcessJobs,
        part_size: int = PART_SIZE,
        progress: Callable[[int], None] | None = None,
    ):
        super().__init__(names, options, progress=progress)
        self._jobs = jobs
        self._part_size = part_size
        self._found: Iterator[PartFindings] = iter(())
        self._always_gtid = True

    def results(self) -> Iterator[LogResult]:
        self._found = self._stream()
        return super().results()

    def _stream(self) -> Iterator[PartFindings]:
        tasks = grouped(self._tasks(), min(CHECKED_AT_ONCE, 2 * self._part_size))
        for _, found in self._jobs.in_order(check_parts, tasks):
            assert found is not None
            yield from found

    # ---- the tasks

    def _tasks(self) -> Iterator[tuple[CheckTask, int]]:
        """Each part to be checked, and bytes of its log that it stands for."""
        series: set[str] = set()
        before: str | None = None
        cuts = self._jobs.in_order(cut_for_check, self._cut_tasks(), lambda task: task.size > task.part_size)
        for (task, parts), following in zip(cuts, [*self._names[1:], None], strict=True):
            entry = self._guess(before, task.name, series)
            before = task.name
            for part in parts or [LogPart(task.name)]:
                yield CheckTask(part, following, entry, self._options), min(task.size, self._part_size)

    def _cut_tasks(self) -> Iterator[CutTask]:
        for name in self._names:
            yield CutTask(name, stored_size(name), self._part_size)

    def _guess(self, before: str | None, name: str, series: set[str]) -> Entry:
        """What a log begins with if the one before it was closed in order."""
        log = LogName.of(name)
        fresh = log.series not in series
        series.add(log.series)
        if fresh or before is None or not log.follows(LogName.of(before)):
            return Entry(fresh)
        state = StreamState(GroupState.NONE, self._always_gtid, ParserState.SELF_CONTAINED)
        return Entry(fresh, state_at_cut(GroupState.NONE, self._always_gtid), state.number)

    # ---- joined

    def _log(self, name: str, following: str | None) -> LogResult:
        result = LogResult(name)
        series = LogName.of(name).series
        history = self._histories.setdefault(series, History())
        parts = [next(self._found)]
        while parts[-1].task.part.end is not None:
            parts.append(next(self._found))
        if not self._holds(history, name, parts):
            task = CheckTask(LogPart(name), following, parts[0].task.entry, self._options)
            whole, state = self._jobs.one(check_whole, (task, HistoryState.of(history)))
            self._histories[series] = state.history()
            self._replay(result, history, [whole])
            return result
        self._replay(result, history, parts)
        last = parts[-1]
        self._always_gtid = StreamState.of_number(last.boundary).always_gtid
        state = HistoryState.of(history)
        state.scan, state.boundary = last.scan, last.boundary
        state.rotates_to, state.fresh = last.rotates_to, last.fresh
        self._histories[series] = state.history()
        return result

    def _holds(self, history: History, name: str, parts: list[PartFindings]) -> bool:
        """Whether the parts were begun with what is true, and nothing in them was there before that comes once."""
        same_stream = continues(history.rotates_to, name)
        truth = Entry(
            history.fresh,
            check_state(history.scan) if same_stream else None,
            boundary_number(history.scanner) if same_stream else 0,
        )
        if parts[0].task.entry != truth:
            return False
        for before, part in pairwise(parts):
            scanner = part.task.part.scanner
            assert scanner is not None
            state = StreamState.of_number(scanner.boundary)
            if (
                before.failure is not None
                or not before.in_order
                or before.boundary != scanner.boundary
                or before.scan != state_at_cut(state.group, state.always_gtid)
            ):
                return False
        if len(parts) > 1 and any(part.damaged or part.failure is not None for part in parts):
            return False
        seen = GtidSet()
        xids: set[int] = set()
        for part in parts:
            if overlap(history.gtids.seen, part.gtids) or overlap(seen, part.gtids):
                return False
            if len(parts) > 1:
                seen.unite(part.gtids)
                if not xids.isdisjoint(part.xids):
                    return False
                xids.update(part.xids)
        return True

    def _replay(self, result: LogResult, history: History, parts: list[PartFindings]) -> None:
        """Tell what was found, and what follows for the history of the series."""

        def report(
            code: str, position: int, event_type: int | None, message: str, severity: Severity | None = None
        ) -> None:
            self._add(result, code, position, event_type, message, severity)

        rules = ContentRules(result.file, history, report, BodyRules(report))
        for part in parts:
            for step in part.steps:
                step.play(rules, history, report)
            history.gtids.seen.unite(part.gtids)
            result.events += part.events
            result.bytes += part.bytes
            if self._progress is not None:
                self._progress(part.bytes)
            result.failure = part.failure


def overlap(seen: GtidSet, new: GtidSet) -> bool:
    """Whether a GTID is in both."""
    return any(source in seen and list(numbers.minus(seen[source])) != list(numbers) for source, numbers in new.items())


@dataclass(frozen=True)
class CutTask:
    name: str
    size: int
    part_size: int


def cut_for_check(task: CutTask) -> list[LogPart]:
    """The parts of a log. A relay log stays whole: its transactions may begin in the one before, and end after it."""
    try:
        if looks_like_relay_log(task.name):
            return [LogPart(task.name)]
        return cut_log(task.name, task.part_size)
    except BinlogError:
        return [LogPart(task.name)]
