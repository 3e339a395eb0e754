"""Side: the logs of one side of a comparison, of which none may be missing between two.

Logs are read by themselves, in any order: those with equal bytes once for both sides, while they are compared.
"""

from __future__ import annotations

from pybinlog.errors import BinlogError
from pybinlog.log.gap import LogEnd
from pybinlog.log.gap_watch import GapWatch, LogRead
from pybinlog.log.reader import Reader
from pybinlog.source import Source, open_source
from pybinlog.source.followed import FLAGS_AT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pybinlog.kernel.base.batch import EventBatch

PIECE = 1 << 18
"""Bytes that are compared at once: a processor has them in its cache."""
END = 1 << 62
"""A position beyond that of any log's end."""


class Side(GapWatch):
    """Is given the ends of the logs `names`, and judges each two that follow each other as soon as it has both.

    It keeps the ends of logs only until then. `warn` and `allows` are as in GapWatch.
    """

    def __init__(self, names: Sequence[str], warn: Callable[[str], object], *, allows: bool = False):
        super().__init__(warn, allows=allows)
        self._places = {name: place for place, name in enumerate(names)}
        self._waiting: dict[int, LogEnd] = {}
        self._judged = {-1, len(names) - 1}
        """The logs that were compared with the next one, by their places."""

    def batches(
        self, reader: Reader, batches: Iterable[EventBatch], following: str | None = None
    ) -> Iterator[EventBatch]:
        """Yield the batches of a log, and note its end."""
        log = LogRead(reader.source.name)
        for batch in batches:
            log.read(batch)
            yield batch
            del batch  # its bytes go before the next are read
        self.note(log.end(reader.rotates_to))

    def note(self, end: LogEnd) -> None:
        """Note the end of a log. Raise GapError if another one is missing before it or after it."""
        place = self._places[end.head.name]
        waiting, judged = self._waiting, self._judged
        waiting[place] = end
        for before in (place - 1, place):
            if before in waiting and before + 1 in waiting:
                self.judge(waiting[before], waiting[before + 1].head)
                judged.add(before)
        for near in (place - 1, place, place + 1):
            if near - 1 in judged and near in judged:
                waiting.pop(near, None)


class DiffersError(Exception):
    """Two logs differ from the byte at `offset` on; None if one of them ends there and the other one does not."""

    def __init__(self, offset: int | None):
        super().__init__(offset)
        self.offset = offset


class ComparedLog(Source):
    """The bytes of a log, compared with another one's as they are read. Reading raises DiffersError.

    It does not count whether the server still writes a log.
    """

    def __init__(self, one: Source, other: Source):
        super().__init__(one.name)
        self._one = one
        self._other = other
        self._theirs = bytearray(PIECE)

    def _fill(self, view: memoryview) -> int:
        count = self._one.readinto(view[:PIECE])
        with memoryview(self._theirs) as theirs:
            there = 0
            while there < (count or 1) and (more := self._other.readinto(theirs[there : count or 1])):
                there += more
            flags = FLAGS_AT - self.position
            if 0 <= flags < min(there, count) and theirs[flags] | 1 == view[flags] | 1:
                theirs[flags] = view[flags]
            same = min(there, count)
            # (an array of bytes compares memory, a memoryview each of its items)
            if (self._theirs if same == PIECE else self._theirs[:same]) != view[:same]:
                raise DiffersError(self.position + next(at for at in range(same) if theirs[at] != view[at]))
        if there != count:
            raise DiffersError(None)
        return count


def ends_of_equal(a: str, b: str) -> tuple[LogEnd, LogEnd]:
    """Return the end of a log under its two names. Raise DiffersError if the logs `a` and `b` differ.

    If the log cannot be read, its bytes are still compared to the end; only its names tell which logs follow.
    """
    with open_source(a) as one, open_source(b) as other:
        source = ComparedLog(one, other)
        reader = Reader(source)
        logs = LogRead(a), LogRead(b)
        try:
            for batch in reader:
                for log in logs:
                    log.read(batch)
                del batch
        except BinlogError:
            logs = LogRead(a), LogRead(b)
            source.skip_to(END)
            return logs[0].end(None, is_whole=False), logs[1].end(None, is_whole=False)
        source.skip_to(END)
        return logs[0].end(reader.rotates_to), logs[1].end(reader.rotates_to)
