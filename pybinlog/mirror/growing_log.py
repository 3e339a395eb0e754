"""GrowingLog: the log that a mirror is writing; it can be cut back to the end of its last whole transaction."""

import os
from collections import deque

from pybinlog.errors import BinlogError, CorruptEventError, EmptyFileError, SourceError, TruncatedError
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.kernel.scan.scan import Scanner, whole_until
from pybinlog.log.gap_watch import LogRead
from pybinlog.log.reader import Reader
from pybinlog.output.growing_file import GrowingFile
from pybinlog.replication.server_log import LARGEST_POSITION
from pybinlog.source.file import open_file

TAIL = 1 << 16
"""Bytes before the end that are compared with the server's before a log grows."""


class GrowingLog(GrowingFile):
    """A log of a mirror, by its path, as far as it has come. Raise BinlogError if it cannot be read or written.

    `whole` is where its last whole transaction ends; nothing is written before `begin` has cut off what is after it.
    What stands there already is read, with its checksums, and an event that is damaged ends it: a crash of the
    machine may have left anything there.
    """

    def __init__(self, path: str):
        self.path = path
        self.whole = MAGIC_LENGTH
        self.closed_by: str | None = None
        """The next log's name, if a Rotate event ends this one; "" if a Stop event does."""
        self._starts = deque([MAGIC_LENGTH])
        """Of some events, in order, the first of them well before `whole`."""
        self._begun = False
        self._read()
        super().__init__(path, os.O_RDWR)
        self.unsynced = True

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def _read(self) -> None:
        scanner = Scanner(verify_checksum=True, force_read=True, joins_parts=False)
        try:
            with open_file(self.path) as source:
                reader = Reader(source, scanner)
                for batch in reader:
                    if batch.refusals:
                        return
                    self._note(batch)
                    del batch
        except (CorruptEventError, EmptyFileError, TruncatedError):
            return
        except SourceError as error:  # not one of the connection, which would be made again
            raise BinlogError(error.message, file=self.path, hint=error.hint) from error
        if reader.position == self.whole and reader.closes(relay_log=False):
            self.closed_by = reader.rotates_to or ""

    def _note(self, batch: EventBatch) -> None:
        """Take account of events that stand in the file."""
        self._starts.append(batch.header(0).position)
        self.whole = whole_until(batch) or self.whole
        known_until = min(self.whole - TAIL, LARGEST_POSITION)
        while len(self._starts) > 1 and self._starts[1] <= known_until:
            self._starts.popleft()

    def known_gtids(self) -> GtidSet | None:
        """Return the GTIDs up to `whole`, those before the log among them; None if they are not known."""
        log = LogRead(self.path)
        with open_file(self.path) as source:
            for batch in Reader(source):
                last = batch.header(batch.count - 1)
                if last.position >= self.whole:
                    first_beyond = next(at for at in range(batch.count) if batch.header(at).position >= self.whole)
                    batch.truncate(first_beyond)
                log.read(batch)
                if last.end >= self.whole:
                    break
                del batch
        end = log.end(None)
        return None if end.has_anonymous else end.known

    @property
    def compared_from(self) -> int:
        """The start of an event, some way before `whole` and below 4 GiB."""
        return self._starts[0]

    def read_at(self, position: int, size: int) -> bytes:
        """Return bytes of the log, fewer at its end."""
        try:
            return os.pread(self.descriptor, size, position)
        except OSError as error:
            raise self.error("it cannot be read", error) from None

    def begin(self) -> None:
        """Let the log grow, from `whole` on."""
        self._begun = True
        self.cut()

    def finish(self) -> None:
        """End the log after its last byte: its bytes remain, because its server has ended it so."""
        self._begun = False

    def append(self, batch: EventBatch) -> None:
        """Write the next events; the system has them then."""
        position = batch.header(0).position
        if not self._begun or position != self.size:
            raise BinlogError(f"events of {position} do not continue it; it has {self.size} bytes", file=self.path)
        self.write(batch.stored)
        self._note(batch)

    def cut(self) -> None:
        """Keep only whole transactions. A log that has not begun to grow remains as it is."""
        if not self._begun:
            return
        self.measure()
        if self.size < MAGIC_LENGTH:
            self.truncate(0)
            self.write(MAGIC)
        elif self.size > self.whole:
            self.truncate(self.whole)
        while len(self._starts) > 1 and self._starts[-1] >= self.whole:
            self._starts.pop()
