"""LogTail: how far whole transactions reach in a log that grows, each byte of which is read once."""

from __future__ import annotations

from pybinlog.boundary import BoundaryType
from pybinlog.errors import BinlogError, EmptyFileError, TruncatedError
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.kernel.scan.boundary_state import scanner_state
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.log_mark import mark_at, unchanged
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from pybinlog.source.log_series import LogName
from pybinlog.spark.data_source.stream_offset import Offset
from pybinlog.views.reader import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.kernel.base.batch import EventBatch
    from pybinlog.kernel.scan.boundary_state import ScannerState
    from pybinlog.log.log_mark import LogMark
    from pybinlog.source import Source

ENDS_GROUP = (BoundaryType.END_TRANSACTION, BoundaryType.SELF_CONTAINED)
IN_GROUP = (BoundaryType.START_TRANSACTION, BoundaryType.INSIDE_TRANSACTION)


class LogTail:
    """Reads the newest log on from its last whole transaction; `recovers` continues after damage."""

    def __init__(self, recovers: bool):
        self._recovers = recovers
        self._scanner = Scanner()
        self._inside = False
        self._resume: tuple[str, int, ScannerState] | None = None
        """The log, the end of its last whole transaction, and where reading it continues."""

    def __reduce__(self) -> tuple[type[LogTail], tuple[bool]]:
        return LogTail, (self._recovers,)  # what it has read stays in its process

    def end(self, name: str, position: int, mark: LogMark | None, limit: int | None = None) -> Offset | None:
        """Return the end of the last whole transaction after `position`; None if there is none.

        Stop after a batch of events with which `limit` bytes are reached. `mark` is the log's, if it is known already.
        Raise DataLossError if the log is replaced meanwhile.
        """
        before, self._resume = self._resume, None
        resume = before[2] if before is not None and before[:2] == (name, position) else None
        if resume is None:
            self._scanner.reset()
            self._inside = False
        mark = mark or mark_at(name, position)
        with unchanged(name, ((position, mark),) if mark is not None else ()) as source:
            found = position
            try:
                for batch in self.reader(source, self._scanner, position, resume):
                    reached, self._inside = group_end(batch, self._inside)
                    found = max(found, reached or 0)
                    if limit is not None and found > position and found - position >= limit:
                        break
            except (TruncatedError, EmptyFileError):
                pass  # its writer has not come further
            end = Offset(LogName.of(name).base, found, mark_at(source, found)) if found > position else None
        if not self._recovers:
            self._resume = name, found, scanner_state(self._scanner)
        return end

    def between_groups(self, name: str, position: int) -> bool | None:
        """Return whether a position lies between two event groups of a log; None if damage before it hides that."""
        if position <= MAGIC_LENGTH:
            return True
        inside = False
        try:
            with open_source(name) as source:
                for batch in self.reader(source, Scanner(), MAGIC_LENGTH):
                    end = batch.header(batch.count - 1).end
                    if end >= position:
                        begins = position in (end, *(batch.header(at).position for at in range(batch.count)))
                        if batch.header(0).position < position:
                            cut(batch, position)
                            _, inside = group_end(batch, inside)
                        return begins and not inside
                    _, inside = group_end(batch, inside)
        except (TruncatedError, EmptyFileError):
            return False
        except BinlogError:
            return None
        return False

    def reader(self, source: Source, scanner: Scanner, position: int, resume: ScannerState | None = None) -> Reader:
        """Return the events of a log from a position on, or from where a scanner was."""
        if not self._recovers:
            return Reader(source, scanner, position, resume=resume)
        from pybinlog.log.recover import RecoveringReader

        return RecoveringReader(source, scanner, position, on_damage=lambda damage: None)


def group_end(batch: EventBatch, inside: bool) -> tuple[int | None, bool]:
    """Return the end of the batch's last event group, None if none ends; and True if one is open after it."""
    open_behind = False
    for index in reversed(range(batch.count)):
        header = batch.header(index)
        if header.boundary in ENDS_GROUP:
            return header.end, open_behind
        open_behind = open_behind or header.boundary in IN_GROUP
    return None, inside or open_behind
