"""ThreadsWorth: if what comes of a log is worth several threads."""

from __future__ import annotations

from pybinlog.log.reader import FLOW, READ_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.dump.options import DumpOptions
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.log.reader import Reader

PART = 1 << 20
"""Bytes of a log that are printed as one part."""
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
        self._looks = True
        """The parts to come only show if larger ones are worth threads."""

    def begin(self, reader: Reader) -> None:
        """Let a log come in parts that are worth a thread; in small ones if that is not known yet."""
        self._looks = self._doubts(reader)
        reader.part = min(PART, READ_SIZE) if self._looks else PART

    def judge(self, batch: EventBatch, reader: Reader) -> None:
        """Let the log not flow for some MiB if one thread is as fast."""
        if not self._doubts(reader):
            return
        if size_of(batch) <= LARGE_EVENT * len(batch):
            if self._looks:
                self._looks = False
                reader.part = PART
            self._alone = FLOW
            return
        self._looks = True
        reader.part = min(PART, READ_SIZE)
        reader.stop_flow(self._alone)
        self._alone = min(2 * self._alone, MOST_ALONE)

    def _doubts(self, reader: Reader) -> bool:
        """Return True if one thread may be as fast."""
        size = reader.source.size
        return self._only_base64 and size is not None and size < LARGE_LOG


def size_of(batch: EventBatch) -> int:
    """Return the bytes of the batch's events in the log."""
    return batch.header(batch.count - 1).end - batch.header(0).position if batch.count else 0
