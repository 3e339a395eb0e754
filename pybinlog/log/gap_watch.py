"""GapWatch: looks for missing logs while logs are read one after the other.

watch = GapWatch(warn)
for name in names:
    with open_source(name) as source:
        reader = Reader(source)
        for batch in watch.batches(reader, reader): ...

It holds the first events of a log back until they tell if the log continues the one before. A task that reads one log
compares it with the beginning of the `following` one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from pybinlog.errors import BinlogError, GapError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import FORMAT_DESCRIPTION
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.log.gap import Gap, LogEnd, Range, gap_between, gap_of_numbers
from pybinlog.log.log_head import LogHead, read_head
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName

MANY = 4096
"""Runs of GTIDs after which those that are closed become a set."""


class GapWatch:
    """Is given the batches of log after log. `warn` receives a sentence about each gap that does not end the reading.

    With `allows`, none does; without `orders`, the order of the logs does not count. Raise GapError before a batch of a
    log that does not continue the one before, unless all that is missing is beyond the `range`.
    """

    def __init__(
        self, warn: Callable[[str], object], *, allows: bool = False, orders: bool = True, range: Range | None = None
    ):
        self._ends: dict[str, LogEnd] = {}
        """The last log of each numbered series."""
        self._warn = warn
        self._allows = allows
        self._orders = orders
        self._range = range or Range()
        self._end: LogEnd | None = None
        self._reading: LogRead | None = None
        self._told: set[str] = set()
        self._is_damaged = False

    def begin(self) -> None:
        """Begin another run of logs, such as the same logs once more."""
        self._end = self._reading = None
        self._ends.clear()

    def check_names(self, names: Sequence[str]) -> None:
        """Raise GapError for logs that others are going to read, if a log is missing by their names.

        Only a log that another one does not follow by its number is read here.
        """
        for name, following in pairwise(names):
            if gap_of_numbers(LogName.of(name), None, LogName.of(following)) is None:
                continue
            self.begin()
            try:
                with open_source(name) as source:
                    for _ in self.batches(reader := Reader(source), reader, following):
                        pass
            except GapError:
                raise
            except BinlogError:
                continue  # its reader says so
        self.begin()

    def note_damage(self) -> None:
        """Note that a part of the log that is being read was skipped."""
        self._is_damaged = True

    def batches(
        self, reader: Reader, batches: Iterable[EventBatch], following: str | None = None
    ) -> Iterator[EventBatch]:
        """Yield the batches of the next log. `following` is the log after it, if this watch will not be given that."""
        if self._reading is not None:  # it was not read to its end
            self._ended(self._reading.end(None, is_whole=False))
        before, self._end = self._ends.get(LogName.of(reader.source.name).series, self._end), None
        found = self._reading = LogRead(reader.source.name)
        waiting: list[EventBatch] = []
        is_open = before is None
        source = reader.source
        self._is_damaged = False
        each = iter(batches)
        try:
            while (batch := next(each, None)) is not None:
                if found.is_another(batch):
                    before, is_open = found.end(None), False
                    found = self._reading = LogRead(source.name)
                found.read(batch)
                if is_open:
                    yield batch
                else:
                    waiting.append(batch)
                del batch  # its bytes go before the next are read
                if not is_open and (found.is_begun or (source.live and not source.ready(0))):
                    assert before is not None
                    self.judge(before, found.head)
                    is_open = True
                    while waiting:
                        yield waiting.pop(0)
            if not is_open:
                assert before is not None
                self.judge(before, found.head)
                while waiting:
                    yield waiting.pop(0)
        except BaseException as error:
            self._is_damaged = True
            if isinstance(error, BinlogError) and not isinstance(error, GapError):
                while waiting:
                    yield waiting.pop(0)
            raise
        finally:
            if self._reading is found:
                is_whole = not self._is_damaged and source.sent_from is None  # a server leaves GTIDs out on request
                self._ended(found.end(reader.rotates_to, is_whole=is_whole))
        if following is not None and self._end is not None:
            end = self._end
            self.begin()
            try:
                head = read_head(following)
            except BinlogError:
                return  # its reader says so
            self.judge(end, head)

    def judge_whole(self, batch: EventBatch) -> None:
        """Compare the next log, of which a batch has all events, with the end of the log before."""
        before = self._ends.get(LogName.of(batch.file).series, self._end)
        if before is not None:
            found = LogRead(batch.file)
            found.read(batch)
            self.judge(before, found.head)

    def end_whole(self, batch: EventBatch, rotates_to: str | None) -> None:
        """Note that a log was read of which a batch has all events."""
        found = LogRead(batch.file)
        found.read(batch)
        self._ended(found.end(rotates_to))

    def _ended(self, end: LogEnd) -> None:
        self._end, self._reading = end, None
        name = LogName.of(end.head.name)
        if name.number is not None:
            self._ends[name.series] = end

    def judge(self, end: LogEnd, head: LogHead) -> None:
        """Look at a log's end and the next one's head; `found` gets what is wrong between them."""
        gap = gap_between(end, head)
        if gap is not None and (gap.lacks or self._orders):
            self.found(gap, end, head)

    def found(self, gap: Gap, end: LogEnd, head: LogHead) -> None:
        """Warn of what is wrong between two logs, or raise GapError."""
        if gap.stops and not self._allows and not self._range.is_beyond(gap, end, head):
            raise gap.error(end.head.name, head.name)
        sentence = f"{head.name}: {gap.message(end.head.name)}"
        if sentence not in self._told:
            self._told.add(sentence)
            self._warn(sentence)


class KeptGap(GapWatch):
    """A GapWatch that keeps what it finds."""

    gap: Gap | None = None

    def found(self, gap: Gap, end: LogEnd, head: LogHead) -> None:
        self.gap = gap


def gap_of_contents(name: str, following: str) -> Gap | None:
    """Read a log, and return what is wrong between it and the next one; None if it is unreadable."""
    watch = KeptGap(lambda sentence: None)
    try:
        with open_source(name) as source:
            for _ in watch.batches(reader := Reader(source), reader, following):
                pass
    except BinlogError:
        return None  # its reader says so
    return watch.gap


class LogRead:
    """A log as far as its batches were read."""

    def __init__(self, name: str):
        self.head = LogHead(name)
        self.is_begun = False
        """The head is complete."""
        self._held = HeldGtids()
        self._gtids = GtidSet()
        self._is_empty = True

    def is_another(self, batch: EventBatch) -> bool:
        """Return True if another log begins with the batch: standard input may hold several."""
        return (
            self.head.name == "-"
            and self.is_begun
            and not self.head.is_relay_log
            and batch.count > 0
            and batch.type(0) == FORMAT_DESCRIPTION
        )

    def read(self, batch: EventBatch) -> None:
        self._held.read(batch)
        if not self.is_begun:
            try:
                self.is_begun = self.head.read(batch)
            except BinlogError:  # its reader says so
                self.is_begun = True
        if len(self._held.closed) > MANY:
            for source, tag, first, end in self._held.closed:
                self._gtids.add((source, tag), first, end)
            self._held.closed.clear()

    def end(self, rotates_to: str | None, *, is_whole: bool = True) -> LogEnd:
        return LogEnd(self.head, self._held, self._gtids, rotates_to, is_whole=is_whole)


def range_of(
    start_time: int | None,
    stop_time: int | None,
    include_gtids: str | None,
    exclude_gtids: str | None,
    start_gtids: str | None = None,
) -> Range:
    """Return the range of a command's filters: seconds since 1970 UTC, and GTIDs as text. Raise ValueError for these
    if one is malformed.
    """
    if include_gtids is None and exclude_gtids is None and start_gtids is None:
        return Range(start_time, stop_time)
    from pybinlog.gtid_set import parse_gtid_position
    from pybinlog.log.executed import wanted_set

    return Range(
        start_time,
        stop_time,
        None if include_gtids is None else wanted_set(include_gtids),
        None if exclude_gtids is None else wanted_set(exclude_gtids),
        () if start_gtids is None else parse_gtid_position(start_gtids),
    )
