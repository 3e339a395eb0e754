"""A part of a log through the rules of `check`, before it is known what the logs before it hold.

What a rule finds by itself is a finding; what depends on other logs (Previous_gtids, XA transactions, which logs are
there) is written down as it comes, to be played again where all before it is known (`pybinlog.spark.check`).
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

from pybinlog.boundary.composition import StreamState
from pybinlog.check.contents import ContentRules
from pybinlog.check.finding import Severity
from pybinlog.check.gtids import GtidSet, gtid_list, previous_gtids
from pybinlog.check.history import History, SeriesFlags
from pybinlog.check.log import LogCheck
from pybinlog.check.options import CheckOptions
from pybinlog.check.xa import XaHistory, prepared_xid
from pybinlog.errors import SourceError
from pybinlog.event_types import EventFlag, EventType
from pybinlog.kernel.check.carried_check import check_state, restore_check, state_at_cut
from pybinlog.kernel.scan.scanner_state import boundary_number, restore_boundary
from pybinlog.log.recover import RecoveringReader
from pybinlog.source import open_source
from pybinlog.source.log_name import log_name
from pybinlog.source.log_series import LogName
from pybinlog.spark.parts import LogPart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pybinlog.check.bodies import BodyRules
    from pybinlog.check.finding import Report
    from pybinlog.event_header import EventHeader
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.check.carried_check import CheckState
    from pybinlog.log.recover import Damage
    from pybinlog.source import Source


@dataclass(frozen=True)
class Entry:
    """The state before a log, as far as its own rules depend on it."""

    fresh: bool
    """It is the first of its series."""
    scan: CheckState | None = None
    """Where it continues with the stream of the log before; None where a stream begins with it."""
    boundary: int = 0


@dataclass(frozen=True)
class CheckTask:
    """One part of a log to be checked; `entry` counts where it begins the log."""

    part: LogPart
    next_name: str | None
    entry: Entry
    options: CheckOptions


@dataclass
class PartFindings:
    """What was found, step by step, to be played to the rules of the whole series in order."""

    task: CheckTask
    steps: list[Step] = field(default_factory=list)
    gtids: GtidSet = field(default_factory=GtidSet)
    """All GTIDs of the part."""
    xids: array[int] = field(default_factory=lambda: array("Q"))
    """The numbers of its transactions, where it is not the whole log."""
    scan: CheckState | None = None
    boundary: int = 0
    rotates_to: str | None = None
    fresh: bool = False
    events: int = 0
    bytes: int = 0
    failure: SourceError | None = None
    damaged: bool = False
    in_order: bool = True
    """Nothing is under way at the part's end but what `scan` tells."""


@dataclass
class HistoryState:
    """A History as plain values."""

    scan: CheckState
    boundary: int
    seen: GtidSet
    before: GtidSet | None
    excused: GtidSet
    xa: XaHistory
    fresh: bool
    rotates_to: str | None
    series: SeriesFlags

    @classmethod
    def of(cls, history: History) -> HistoryState:
        gtids = history.gtids
        gtids.settle()
        return cls(
            check_state(history.scan),
            boundary_number(history.scanner),
            gtids.seen,
            gtids.before,
            gtids.excused,
            history.xa,
            history.fresh,
            history.rotates_to,
            history.series,
        )

    def history(self) -> History:
        history = History()
        restore_check(history.scan, self.scan)
        restore_boundary(history.scanner, self.boundary)
        history.gtids.seen, history.gtids.before, history.gtids.excused = self.seen, self.before, self.excused
        history.xa = self.xa
        history.fresh, history.rotates_to = self.fresh, self.rotates_to
        history.series = self.series
        return history


class RecordedHistory(History):
    """A History of one part, which writes down what it learns of the series."""

    def __init__(self, steps: list[Step]):
        super().__init__()
        self._steps = steps

    def tell(self, **flags: bool) -> None:
        self._steps.append(Told(flags))
        super().tell(**flags)


class OneEvent:
    """An event by itself, for rules that look at one of a batch."""

    def __init__(self, header: EventHeader, body: bytes):
        self._header = header
        self._body = body

    @classmethod
    def of(cls, batch: EventBatch, index: int) -> OneEvent:
        return cls(batch.header(index), batch.body(index))

    def header(self, index: int) -> EventHeader:
        return self._header

    def body(self, index: int) -> bytes:
        return self._body

    def __reduce__(self) -> tuple[Any, ...]:
        return OneEvent, (self._header, self._body)


class Said(NamedTuple):
    """A finding."""

    code: str
    position: int
    event_type: int | None
    message: str
    severity: Severity | None

    def play(self, rules: ContentRules, history: History, report: Report) -> None:
        report(*self)


class Told(NamedTuple):
    """What is known of the series from here on."""

    flags: dict[str, bool]

    def play(self, rules: ContentRules, history: History, report: Report) -> None:
        history.tell(**self.flags)


class PreviousGtids(NamedTuple):
    """A Previous_gtids or Gtid_list, and the GTIDs of the part before it."""

    event: OneEvent
    so_far: GtidSet
    is_relay_log: bool

    def play(self, rules: ContentRules, history: History, report: Report) -> None:
        history.gtids.seen.unite(self.so_far)
        rules.is_relay_log = self.is_relay_log
        rules.previous_gtids(self.event, 0)


class XaPrepare(NamedTuple):
    event: OneEvent
    place: int

    def play(self, rules: ContentRules, history: History, report: Report) -> None:
        rules.xa_prepare(self.event, 0, self.place)


class XaEnd(NamedTuple):
    statement: bytes
    event_type: int
    place: int

    def play(self, rules: ContentRules, history: History, report: Report) -> None:
        rules.xa_end(self.statement, self.event_type, self.place)


Step = Said | Told | PreviousGtids | XaPrepare | XaEnd


class RecordedContents(ContentRules):
    """ContentRules that leave to later what depends on other logs."""

    def __init__(self, file: str, history: History, report: Report, bodies: BodyRules, steps: list[Step]):
        super().__init__(file, history, report, bodies)
        self._steps = steps

    @property
    def has_repeated(self) -> bool:
        """Whether a run of GTIDs that were there already may continue."""
        return self._repeated is not None

    def previous_gtids(self, batch: EventBatch, index: int) -> None:
        header = batch.header(index)
        if self.is_relay_log and not header.flags & EventFlag.RELAY_LOG:
            return
        self.finish_repeated()
        (gtid_list if header.type == EventType.MARIA_GTID_LIST else previous_gtids)(batch.body(index))  # is it corrupt?
        self._history.gtids.settle()
        so_far = GtidSet()
        so_far.unite(self._history.gtids.seen)
        self._steps.append(PreviousGtids(OneEvent.of(batch, index), so_far, self.is_relay_log))

    def xa_prepare(self, batch: EventBatch, index: int, place: int) -> None:
        prepared_xid(batch.body(index))  # is it corrupt?
        self._steps.append(XaPrepare(OneEvent.of(batch, index), place))

    def xa_end(self, statement: bytes, kind: int, place: int) -> None:
        self._steps.append(XaEnd(statement, kind, place))


class PartCheck(LogCheck):
    """LogCheck for one part."""

    def __init__(self, source: Source, history: History, report: Report, task: CheckTask, found: PartFindings):
        super().__init__(source, history, report, task.next_name)
        self._part = task.part
        self._found = found
        self._reader = RecoveringReader(
            task.part.of(source), self._scanner, on_damage=self._damaged, resume=task.part.scanner
        )
        self._recorded = self._contents = RecordedContents(source.name, history, report, self._bodies, found.steps)

    def run(self) -> None:
        if self._part.scanner is None:
            super().run()
            return
        self._began = True
        self._read()
        self._history.rotates_to = self._reader.rotates_to
        self._end(LogName.of(self._source.name))

    def _end(self, name: LogName) -> None:
        if self._part.end is None:
            super()._end(name)
            return
        transactions = self._transactions
        self._found.in_order = not (self._recorded.has_repeated or transactions.is_waiting or self._rotate is not None)

    def _damaged(self, damage: Damage) -> None:
        self._found.damaged = True
        super()._damaged(damage)


def check_parts(tasks: list[CheckTask]) -> list[PartFindings]:
    """Parts, each by itself."""
    return [check_part(task) for task in tasks]


def check_part(task: CheckTask) -> PartFindings:
    """Check a part from the state that it is supposed to begin with."""
    found = PartFindings(task)
    history = RecordedHistory(found.steps)
    part, entry = task.part, task.entry
    history.scan.xids.keep = part.scanner is not None or part.end is not None
    if part.scanner is not None:
        state = StreamState.of_number(part.scanner.boundary)
        restore_check(history.scan, state_at_cut(state.group, state.always_gtid))
        history.fresh = False
    else:
        history.fresh = entry.fresh
        if entry.scan is not None:
            restore_check(history.scan, entry.scan)
            restore_boundary(history.scanner, entry.boundary)
            history.rotates_to = log_name(part.name)
    check_into(found, history, lambda source, report: PartCheck(source, history, report, task, found))
    history.gtids.settle()
    found.gtids = history.gtids.seen
    if history.scan.xids.keep:
        found.xids = array("Q", history.scan.xids.numbers())
    found.scan = check_state(history.scan)
    found.boundary = boundary_number(history.scanner)
    found.rotates_to, found.fresh = history.rotates_to, history.fresh
    return found


def check_whole(task: tuple[CheckTask, HistoryState]) -> tuple[PartFindings, HistoryState]:
    """Check a whole log from its true history, and what the history is then."""
    wanted, state = task
    found = PartFindings(wanted)
    history = state.history()
    check_into(found, history, lambda source, report: LogCheck(source, history, report, wanted.next_name))
    return found, HistoryState.of(history)


def check_into(found: PartFindings, history: History, make: Callable[[Source, Report], LogCheck]) -> None:
    """Run a check; what it says becomes a step."""

    def report(
        code: str, position: int, event_type: int | None, message: str, severity: Severity | None = None
    ) -> None:
        if found.task.options.wants(code):
            found.steps.append(Said(code, position, event_type, message, severity))

    before = history.scan.events
    try:
        with open_source(found.task.part.name) as source:
            try:
                make(source, report).run()
            finally:
                found.bytes = source.position - found.task.part.start
    except SourceError as error:
        history.tell(pieces_missing=True, complete=False)
        history.rotates_to = None
        found.failure = error
    found.events = history.scan.events - before
