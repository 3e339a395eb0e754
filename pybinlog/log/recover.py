"""RecoveringReader: a Reader that continues after damage."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pybinlog.errors import BinlogError
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, FORMAT_DESCRIPTION, MAGIC_LENGTH
from pybinlog.kernel.scan import scan
from pybinlog.kernel.scan.boundary_state import ScannerState
from pybinlog.kernel.scan.resync import Resync, skip_event
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import READ_SIZE, Reader
from pybinlog.log.relay_log import RelayLogSign
from pybinlog.source import Source

MAYBE = 2
SIZE_MAY_BE_RIGHT = (
    scan.SCAN_BAD_CHECKSUM,
    scan.SCAN_UNKNOWN_TYPE,
    scan.SCAN_BAD_FORMAT_DESCRIPTION,
    scan.SCAN_BAD_PARTS,
)


@dataclass(frozen=True)
class Damage:
    """A part of a log that was skipped.

    `error` says what is wrong at `start`; `end` is the position from which the log was read on, None if that was
    not possible; `length` counts the bytes skipped; `zeros` says that all of them were zero. `event_type` is what
    the type byte at `start` says, None if it is not there.
    """

    error: BinlogError
    start: int
    end: int | None
    length: int
    zeros: bool
    event_type: int | None
    error_code: int
    """One of SCAN_* in pybinlog.kernel.scan.scan; SCAN_NEED_MORE if the event reaches beyond the log's end."""
    cut: bool
    """The log ends inside an event that is plausible as far as it is there."""
    hole: int = 0
    """Bytes of it that were never written: holes of a sparse file, over which the search jumps."""

    @property
    def message(self) -> str:
        """The action taken, as a part of a sentence."""
        if self.end is None:
            return f"the {self.length} bytes up to the log's end are skipped{self.of_holes}"
        return f"{self.length} bytes are skipped, up to {self.end}{self.of_holes}"

    @property
    def of_holes(self) -> str:
        """How much of it was never written, as a part of a sentence."""
        return f" ({self.hole} of them are a hole of the sparse file)" if self.hole else ""


class RecoveringReader(Reader):
    """As Reader, but if a log cannot be read on it looks for the next place from which plausible events follow.

    `on_damage` is called with each Damage before the events after it are given out; the scanner's parser is reset
    after that, and its classifier waits for the next group. Raise BinlogError only for what is no binary log, for a
    source that cannot be read, and for damage before `start_position`. What "plausible" means: kernel/scan/resync.py.
    Checksums are verified, for nothing else tells a damaged event from a sound one.

    A log that is in use and ends inside an event is damaged here, too.
    """

    def __init__(
        self,
        source: Source,
        scanner: Scanner | None = None,
        start_position: int = 4,
        *,
        on_damage: Callable[[Damage], object],
        resume: ScannerState | None = None,
        on_start_note: Callable[[str], object] | None = None,
    ):
        super().__init__(source, scanner, start_position, resume=resume, on_start_note=on_start_note)
        self.scanner.verify_checksum = True
        self.sign = RelayLogSign()
        """The sign of the current log."""
        self.base = 0
        """Position of the current log's magic bytes: not 0 only where standard input holds several logs."""
        self._hole = 0
        """Bytes of holes that the present search has jumped over."""
        self._on_damage = on_damage
        self._began = resume is not None

    def __iter__(self) -> Iterator[EventBatch]:
        self._begin_log()
        if self.start_position > MAGIC_LENGTH:
            for batch in self._opening():
                self._note_log(batch)
                yield batch
            self.sign.settle()
        while True:
            batch = self.scanner.scan(self._buffer, self._begin, self._end, self.source.name)
            self._begin += self.scanner.consumed
            if batch.count:
                self._note_rotate(batch)
                self._note_log(batch)
                yield batch
            elif self._pauses():
                yield batch
            if self.scanner.error_code == scan.SCAN_RESCAN:
                continue
            del batch
            if self.scanner.error_code == scan.SCAN_NEED_MORE:
                if self._fill():
                    continue
                if self._begin == self._end:
                    return
                error = self._truncated()
            else:
                error = self._scan_error()
            if not self._recover(self._explained(error)):
                return

    @property
    def is_relay_log(self) -> bool:
        """As far as it is known: the second event may show it."""
        return self.sign.is_relay_log

    def _note_log(self, batch: EventBatch) -> None:
        """Note whether events have positions of this log, and from where these count."""
        header = batch.header(0)
        if header.type == FORMAT_DESCRIPTION and self._began and self.scanner.many_logs:
            after = batch.header(1).position if len(batch) > 1 else self.scanner.position
            if after == header.end + MAGIC_LENGTH:  # there are magic bytes before it
                self.base = header.position
                self.sign = RelayLogSign()
        self._began = True
        self.sign.note_batch(batch)

    def _recover(self, error: BinlogError) -> bool:
        """Go to the next plausible event and report the damage; False if there is none."""
        scanner = self.scanner
        error_code = scanner.error_code
        start = scanner.position
        kind = self._buffer[self._begin + 4] if self._end - self._begin > 4 else None
        self.sign.settle()
        search = Resync(scanner, not self.is_relay_log, self.base)
        cut = error_code == scan.SCAN_NEED_MORE and search.cut(self._buffer, self._begin, self._end, start)
        found = error_code in SIZE_MAY_BE_RIGHT and self._pass_event(search)
        if not found:
            found = self._search(search)
        if found:
            search.infer_format(self._buffer, self._begin, self._end)
        end = scanner.position
        self._on_damage(
            Damage(error, start, end if found else None, end - start, search.zeros, kind, error_code, cut, self._hole)
        )
        self._hole = 0
        skip_event(scanner)
        return found

    def _pass_event(self, search: Resync) -> bool:
        """Skip the damaged event alone, if its size leads to a sound one or to the log's end."""
        size = self.scanner.error_size
        final = not self._have(size + COMMON_HEADER_LENGTH)
        if self._end - self._begin < size:
            return False
        while (
            fits := search.fits(self._buffer, self._begin + size, self._end, self.scanner.position + size, final)
        ) == MAYBE:
            final = not self._have(size + search.wanted)
        at_end = final and self._end - self._begin == size
        if not fits and not at_end:
            return False
        search.note_passed(self._buffer, self._begin, self._begin + size)
        self._advance(size)
        return True

    def _search(self, search: Resync) -> bool:
        start = self.scanner.position
        search.note_passed(self._buffer, self._begin, self._begin + 1)
        self._advance(1)
        final = False
        while True:
            passed = self.scanner.position - start
            self.source.allow(start, passed, passed)
            at, found = search.find(self._buffer, self._begin, self._end, self.scanner.position, final)
            self._advance(at - self._begin)
            if found:
                return True
            if final:
                return False
            wanted = max(search.wanted, COMMON_HEADER_LENGTH)
            self._jump(search)
            final = not self._have(max(wanted, min(READ_SIZE, 2 * wanted)))

    def _jump(self, search: Resync) -> None:
        """Jump over a hole, to the first place after it at which an event's header may end: no header is all zeros."""
        waiting = self._end - self._begin
        if waiting >= COMMON_HEADER_LENGTH or any(self._buffer[self._begin : self._end]):
            return
        here = self.source.position
        there = self.source.hole_end() - COMMON_HEADER_LENGTH
        if there - here < READ_SIZE:
            return
        length = self.source.skip_to(there) - here
        self._hole += length
        search.pass_hole(length)
        self.scanner.position += length

    def _advance(self, count: int) -> None:
        self._begin += count
        self.scanner.position += count
