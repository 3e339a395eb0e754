"""GtidHistory: the GTIDs of a series of logs, compared with its Previous_gtids events."""

from pybinlog.gtid_intervals import GtidSet, IntervalSet, Source
from pybinlog.kernel.check.gtid_runs import GtidRuns


class GtidHistory:
    """The GTIDs seen in one series of logs.

    `runs` are those of the compiled scan, which counts on from each source's newest GTID: only one that is not the
    next comes to `add`.
    """

    def __init__(self, runs: GtidRuns):
        self._runs = runs
        self.seen = GtidSet()
        """Found in the logs; see `settle`."""
        self.before: GtidSet | None = None
        """The GTIDs of the first Previous_gtids: those of logs that were not given."""
        self.excused = GtidSet()
        """Seen in a log, and lacking in a Previous_gtids after it: reported once."""

    def add(self, source: Source, number: int) -> bool:
        """Add a GTID; False if it was there already."""
        run = self._runs.pop(*source)
        if run is not None:
            self.seen.add(source, *run)
        numbers = self.seen.setdefault(source, IntervalSet())
        interval = numbers.interval_of(number)
        if interval is not None:
            self._runs.begin_again(*source, number, interval[1])
            return False
        if not self._runs.begin(*source, number, numbers.next_start(number)):
            numbers.add(number, number + 1)
        return True

    def settle(self) -> None:
        """Let `seen` hold all of them, also those that were only counted."""
        for uuid, tag, start, end in self._runs.pop_all():
            self.seen.add((uuid, tag), start, end)

    def expected(self) -> GtidSet:
        """Return the GTIDs that the next log's Previous_gtids should contain."""
        self.settle()
        result = GtidSet()
        result.unite(self.before or GtidSet())
        result.unite(self.seen)
        return result
