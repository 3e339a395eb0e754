"""Parts of a log: where it can be cut so that each part is read by itself, and what a Reader of one needs.

A cut lies between two event groups (transactions). It is found by the boundaries of the events: a marked log needs its
headers only, in an unmarked one the statements are looked at, too. What a part's reader must know of the stream
before it (Format_description, classifier and parser) travels as `scanner`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.boundary.classifier import GroupState
from pybinlog.boundary.composition import StreamState
from pybinlog.errors import BinlogError
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.kernel.scan.scanner_state import scanner_state, stream_number
from pybinlog.log.reader import READ_SIZE, Reader
from pybinlog.source import open_source
from pybinlog.source.base import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.scan.scanner_state import ScannerState


@dataclass(frozen=True)
class LogPart:
    """Some of a log: from `start` up to, not with, `end`, in bytes of the uncompressed stream.

    `scanner` is None where the part begins with the log, `end` where it ends with it.
    """

    name: str
    start: int = 0
    end: int | None = None
    scanner: ScannerState | None = None

    def of(self, source: Source) -> Source:
        """Return the log up to the part's end. `source` is the log, from its first byte."""
        return source if self.end is None else LimitedSource(source, self.end)


class GroupReader(Reader):
    """A Reader whose batches end after an event group wherever they can, and are smaller than parts of this size."""

    def __init__(self, source: Source, scanner: Scanner, part_size: int, start_position: int = 4):
        super().__init__(source, scanner, start_position)
        self.read_size = max(64, min(READ_SIZE, part_size))
        self.whole_groups = True


def cut_log(name: str, part_size: int, *, force_read: bool = True, statement_bits: bool = False) -> list[LogPart]:
    """Cut a log into parts of about `part_size` bytes; at least one.

    A compressed log is one part, for it can only be read from its beginning. So is what comes after damage: the reader
    of the last part meets it. With `statement_bits` the parts' states say what the bits depend on. SourceError where
    the log cannot be opened.
    """
    starts: list[tuple[int, ScannerState | None]] = [(0, None)]
    scanner = Scanner()
    scanner.force_read = force_read
    scanner.statement_bits = statement_bits
    with open_source(name) as source:
        if source.seekable and (source.size or 0) > part_size:
            try:
                for _ in GroupReader(source, scanner, part_size):
                    if scanner.position - starts[-1][0] >= part_size and at_group(scanner):
                        starts.append((scanner.position, scanner_state(scanner)))
            except BinlogError:
                pass
            if len(starts) > 1 and source.size is not None and starts[-1][0] >= source.size:
                starts.pop()  # nothing comes after it
    ends = [start for start, _ in starts[1:]]
    return [LogPart(name, start, end, state) for (start, state), end in zip(starts, [*ends, None], strict=True)]


def at_group(scanner: Scanner) -> bool:
    """Whether the stream stands between two groups."""
    return StreamState.of_number(stream_number(scanner)).group is GroupState.NONE


class LimitedSource(Source):
    """Another source up to a position."""

    def __init__(self, source: Source, end: int):
        super().__init__(source.name)
        self._source = source
        self._limit = end
        self.position = source.position
        self.seekable = source.seekable
        self.size = end

    def _fill(self, view: memoryview) -> int:
        left = self._limit - self._source.position
        return self._source.readinto(view[:left]) if left > 0 else 0

    def skip_to(self, position: int) -> int:
        self.position = self._source.skip_to(min(position, self._limit))
        return self.position

    def again(self) -> Source | None:
        return self._source.again()

    def close(self) -> None:
        self._source.close()
