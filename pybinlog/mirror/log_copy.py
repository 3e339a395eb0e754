"""LogCopy: one log as its server sends it, written to a file that is identical to the server's."""

from __future__ import annotations

import os

from pybinlog.errors import BinlogError
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.output.replacement import NEW_MODE, Replacement
from pybinlog.source.base import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class LogCopy:
    """Copies what a source gives to the file of that path, only whole events, with right checksums.

    Whole or not at all, as Replacement has it; `grows` writes under the final name as the events come, for a log that
    has no end yet: what came before an error stays then. `force` lets it replace a file that is there.
    """

    def __init__(self, path: str, *, grows: bool, force: bool):
        self.path = path
        self._grows = grows
        self._force = force
        self.size = 0
        """Bytes that were written."""

    def copy(self, source: Source, progress: Callable[[int], None] | None = None) -> None:
        """BinlogError where the log cannot be read on, or the file not be written."""
        kept = KeptSource(source)
        scanner = Scanner()
        scanner.verify_checksum = True
        scanner.force_read = True  # what is of no known type is copied like the rest
        if self._grows:
            with GrowingFile(self.path, force=self._force) as growing:
                self._copy(Reader(kept, scanner), kept, growing.write, progress)
            return
        with Replacement(self.path, NEW_MODE) as replacement:
            self._copy(Reader(kept, scanner), kept, replacement.write, progress)
            replacement.commit()

    def _copy(
        self,
        reader: Reader,
        kept: KeptSource,
        write: Callable[[bytes], object],
        progress: Callable[[int], None] | None,
    ) -> None:
        for batch in reader:
            del batch
            data = kept.take(reader.position)
            write(data)
            self.size += len(data)
            if progress is not None:
                progress(len(data))
        data = kept.take(reader.position)  # where there is no event but the magic bytes
        write(data)
        self.size += len(data)


class KeptSource(Source):
    """Another source, whose bytes are kept until they are taken."""

    def __init__(self, source: Source):
        super().__init__(source.name)
        self._source = source
        self._kept = bytearray()
        self._taken = 0
        self.sent_from = source.sent_from

    def _fill(self, view: memoryview) -> int:
        count = self._source.readinto(view)
        self._kept += view[:count]
        return count

    def take(self, position: int) -> bytes:
        """The bytes up to that position that were not taken yet."""
        count = position - self._taken
        data = bytes(self._kept[:count])
        del self._kept[:count]
        self._taken = position
        return data

    def ready(self, seconds: float) -> bool:
        return self._source.ready(seconds)


class GrowingFile:
    """A file under its own name from the start. BinlogError where it cannot be written, or is there without `force`."""

    def __init__(self, path: str, *, force: bool):
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if force else os.O_EXCL)
        try:
            self._descriptor = os.open(path, flags, NEW_MODE)
        except OSError as error:
            raise BinlogError(f"the file cannot be made: {error.strerror}", file=path) from None

    def write(self, data: bytes) -> None:
        """All of it, in the system's hands."""
        written = 0
        with memoryview(data) as view:
            while written < len(data):
                try:
                    written += os.write(self._descriptor, view[written:])
                except OSError as error:
                    raise BinlogError(f"it cannot be written: {error.strerror}", file=self.path) from None

    def __enter__(self) -> GrowingFile:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.fsync(self._descriptor)
        finally:
            os.close(self._descriptor)
