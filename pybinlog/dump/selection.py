"""Selection: what a dump prints of its logs, which is all of them; `filters.FilteredSelection` has conditions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from pybinlog.dump.xa_decisions import XaDecisions
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.filter.filter import Filter
    from pybinlog.where.tally import Tally


class Selection:
    """Every event of log after log."""

    filter: Filter | None = None
    """Marks the events; None if all are kept."""
    ended = False
    """True once nothing more is kept."""
    error: Exception | None = None
    """The error to raise after the last batch."""
    at_rest = True
    """True if another one can continue after the batch that came out last, from what the filter remembers."""
    takes_out = False
    """True if events are gone from the batches that come out."""
    more_follows = False
    """True if `batches` has more of a batch than it has given out."""
    takes_turns = False
    """True if other threads may read further batches before `apply` is called of one; only an error ends it then."""

    def payload_filter(self) -> Filter | None:
        """Return a filter for the events inside payloads that are kept; None if all of them are."""
        return None

    def begin_log(self, *, last: bool) -> None:
        """Begin the next log; stop positions are in the last one."""

    def begin_stream(self) -> None:
        """Begin another stream of events: what comes does not continue what came."""

    def batches(self, batches: Iterator[EventBatch]) -> Iterator[EventBatch]:
        """Yield what is kept of each batch. End early if nothing more is kept."""
        return batches

    def apply(self, batch: EventBatch) -> list[EventBatch]:
        """Leave in a batch what is kept. Return batches of earlier events that are kept, and come before it."""
        return []

    def check_position(self, name: str) -> None:
        """Raise BinlogError if the log does not fit the positions by GTIDs."""

    def tally(self) -> Tally | None:
        """Return what became of the rows that a condition was asked of; None if there is none."""
        return None

    def xa_decisions(self) -> XaDecisions | None:
        """Return what the text leaves undecided of XA transactions; None if that is not asked."""
        return None

    def starts_missed(self) -> list[str]:
        """Return the GTIDs of the start position that no log came to."""
        return []

    def stops_missed(self) -> list[str]:
        """Return the GTIDs of the stop position that no log passed."""
        return []
