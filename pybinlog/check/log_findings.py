"""One log through the rules of `check`, before it is known what the logs before it hold.

A rule that needs only this log reports its finding. Results that depend on other logs (Previous_gtids, XA transactions,
the list of logs) are recorded in order, and `ParallelChecker` plays them when it knows the logs before.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.stream import StreamState
from pybinlog.check.contents import ContentRules
from pybinlog.check.history import History, prepared_xid
from pybinlog.check.log import LogCheck
from pybinlog.check.options import CheckOptions
from pybinlog.errors import BinlogError, SourceError
from pybinlog.event_header import EventHeader
from pybinlog.event_types import GTID_TYPES, EventFlag, EventType
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.boundary_state import stream_number
from pybinlog.log.previous_gtids import gtid_list, previous_gtids
from pybinlog.log.recover import Damage
from pybinlog.source import open_source

Step = tuple[str, tuple[Any, ...]]
"""A finding (`report`), a flag of the series (`tell`), or a rule's method; and the arguments."""


class Edge(NamedTuple):
    """The state that a log leaves to the next one of its stream."""

    at_rest: bool = False
    """Nothing is under way."""
    always_gtid: bool = False


UNKNOWN = Edge()


@dataclass(frozen=True)
class CheckTask:
    """A log to check, as the first of a stream unless `before` are logs that it continues.

    `seen` are GTIDs of earlier logs that come again in it.
    """

    name: str
    next_name: str | None
    options: CheckOptions
    before: tuple[str, ...] = ()
    seen: GtidSet | None = None


@dataclass
class LogFindings:
    """The findings of a log, step by step, to be played to the rules of the whole series in order."""

    steps: list[Step] = field(default_factory=list)
    gtids: GtidSet = field(default_factory=GtidSet)
    """All GTIDs of the log, with those of `CheckTask.seen`."""
    opened: bool = False
    first_type: int = 0
    """The type of the first event that a transaction can contain; 0 if there is none."""
    needs_past: bool = False
    """True if the finding about that event depends on the log before."""
    exit: Edge = UNKNOWN
    settled: bool = False
    """Without `CheckTask.before`: the exit is the same whatever the log before has left."""
    rotates_to: str | None = None
    events: int = 0
    bytes: int = 0
    failure: SourceError | None = None

    def fits(self, edge: Edge) -> bool:
        """Return True if the findings for a stream's first log hold for one that continues a log with this exit."""
        if not edge.at_rest or self.needs_past:
            return False
        return self.first_type in GTID_TYPES or not (self.first_type and edge.always_gtid)


class OneEvent(NamedTuple):
    """An event by itself, for rules that look at one of a batch."""

    event_header: EventHeader
    data: bytes

    def header(self, index: int) -> EventHeader:
        return self.event_header

    def body(self, index: int) -> bytes:
        return self.data


class RecordedHistory(History):
    """A History that records what it learns of the series."""

    def __init__(self, steps: list[Step]):
        super().__init__()
        self.steps = steps
        self.fresh = False

    def note(self, **flags: bool) -> None:
        self.steps.append(("note", tuple(flags.items())))


class RecordedContents(ContentRules):
    """ContentRules that record what depends on other logs."""

    _history: RecordedHistory

    def previous_gtids(self, batch: EventBatch, index: int) -> None:
        header = batch.header(index)
        if self.is_relay_log and not header.flags & EventFlag.RELAY_LOG:
            return
        self.finish_repeated()
        (gtid_list if header.type == EventType.MARIA_GTID_LIST else previous_gtids)(batch.body(index))  # is it corrupt?
        self._history.gtids.settle()
        so_far = GtidSet()
        so_far.unite(self._history.gtids.seen)
        self._history.steps.append(("previous_gtids", (OneEvent(header, batch.body(index)), so_far, self.is_relay_log)))

    def xa_prepare(self, batch: EventBatch, index: int, place: int) -> None:
        prepared_xid(batch.body(index))  # is it corrupt?
        self._history.steps.append(("xa_prepare", (OneEvent(batch.header(index), batch.body(index)), 0, place)))

    def xa_end(self, statement: bytes, kind: int, place: int) -> None:
        self._history.steps.append(("xa_end", (statement, kind, place)))


class RecordedCheck(LogCheck):
    """A LogCheck whose rules record."""

    contents = RecordedContents

    def __init__(self, found: LogFindings, *values: Any, **named: Any):
        super().__init__(*values, **named)
        self._found = found

    def run(self) -> None:
        self._found.opened = True
        super().run()

    def _damaged(self, damage: Damage) -> None:
        self._found.needs_past = self._found.needs_past or not self._scan.first_type
        super()._damaged(damage)


def check_logs(tasks: list[CheckTask]) -> list[LogFindings]:
    """Check logs, each by itself."""
    return [check_log(task) for task in tasks]


def check_log(task: CheckTask) -> LogFindings:
    """Check a log; what is wrong with its file is in the result."""
    found = LogFindings()
    history = RecordedHistory(found.steps)
    for name, next_name in pairwise((*task.before, task.name)):
        try:
            with open_source(name) as source:
                LogCheck(source, history, lambda *_: None, next_name).run()
        except BinlogError:
            history.rotates_to = None
    found.steps.clear()
    history.gtids.settle()
    history.gtids.seen = task.seen or GtidSet()

    def report(code: str, *finding: Any) -> None:
        if task.options.wants(code):
            found.steps.append(("report", (code, *finding)))

    scan = history.scan
    before = scan.events
    try:
        with open_source(task.name) as source:
            try:
                RecordedCheck(found, source, history, report, task.next_name, replicas=task.options.replicas).run()
            finally:
                found.bytes = source.position
    except SourceError as error:
        history.note(pieces_missing=True, complete=False)
        history.rotates_to = None
        found.failure = error
    history.gtids.settle()
    found.gtids = history.gtids.seen
    found.events = scan.events - before
    found.first_type, found.needs_past = scan.first_type, found.needs_past or scan.needs_past
    stream = StreamState.of_number(stream_number(history.scanner))
    found.exit = Edge(scan.at_rest and stream.group is GroupState.NONE, scan.always_gtid)
    found.settled = scan.is_settled
    found.rotates_to = history.rotates_to
    return found
