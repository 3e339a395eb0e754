"""ThreadsWorth: if what comes of a log is worth several threads."""

from __future__ import annotations

from pybinlog.log.reader import FLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.dump.options import DumpOptions
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.reader import Reader

LARGE_LOG = 384 << 20
LARGE_EVENT = 1 << 12
"""Bytes of a log, and of an event of average size."""
MOST_ALONE = 64 << 20


class ThreadsWorth:
    """Judges a log by its batches. One thread prints large events in base64 as fast as several if the log is not large:
    most of the time goes to moving their bytes, and fresh memory for other threads costs some milliseconds.
    """

    def __init__(self, options: DumpOptions):
        self._only_base64 = options.verbose == 0 and not options.hexdump
        self._alone = FLOW
        """Bytes that one thread prints before the next look; it doubles each time."""

    def judge(self, batch: EventBatch, reader: Reader) -> None:
        """Let the log not flow for some MiB if one thread is as fast."""
        size = reader.source.size
        if not self._only_base64 or size is None or size >= LARGE_LOG:
            return
        if size_of(batch) <= LARGE_EVENT * len(batch):
            self._alone = FLOW
            return
        reader.stop_flow(self._alone)
        self._alone = min(2 * self._alone, MOST_ALONE)


def size_of(batch: EventBatch) -> int:
    """Return the bytes of the batch's events in the log."""
    return batch.header(batch.count - 1).end - batch.header(0).position if batch.count else 0
