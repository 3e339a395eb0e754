"""GrowingFile: a file that has its final name while it is being written."""

from __future__ import annotations

import os

from pybinlog.errors import BinlogError
from pybinlog.output.modes import NEW_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self


class GrowingFile:
    """A file, opened with these flags; `size` is where the next bytes go. A context manager, which syncs and closes it.

    Raise BinlogError, naming the file, if it cannot be opened (`refusal`), written or cut.
    """

    def __init__(self, path: str, flags: int, refusal: str = "it cannot be opened"):
        self.path = path
        self.unsynced = False
        """The disk may lack bytes."""
        try:
            self.descriptor = os.open(path, flags | os.O_CLOEXEC, NEW_MODE)
            self.measure()
        except OSError as error:
            raise self.error(refusal, error) from error

    def measure(self) -> None:
        """Take the file's own size: a signal may end a write that is done, and another process may have written."""
        self.size = os.fstat(self.descriptor).st_size

    def write(self, data: bytes | memoryview) -> None:
        """Write the next bytes; the system has them then. If it fails, `size` counts those that were written."""
        self.unsynced = True
        with memoryview(data) as view:
            end = self.size + len(view)
            while self.size < end:
                try:
                    self.size += os.pwrite(self.descriptor, view[self.size - end :], self.size)
                except OSError as error:
                    raise self.error("it cannot be written", error) from error

    def truncate(self, size: int) -> None:
        """Drop the bytes from `size` on."""
        try:
            os.ftruncate(self.descriptor, size)
        except OSError as error:
            raise self.error("it cannot be cut", error) from error
        self.size = size
        self.unsynced = True

    def sync(self) -> None:
        """Let the disk have what was written."""
        if not self.unsynced:
            return
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            raise self.error("the disk does not take it", error) from error
        self.unsynced = False

    def close(self) -> None:
        """Let go of the file; twice is allowed."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def error(self, what: str, error: OSError) -> BinlogError:
        return BinlogError(f"{what}: {error.strerror or error}", file=self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.sync()
        finally:
            self.close()
