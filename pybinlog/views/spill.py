"""Spill: the strings of a batch's large values, in files that have no name."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile

from pybinlog.large_event import give_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["Spill"]


class Spill:
    """A file for each column that needs one, by the column's number; OSError where it cannot be written."""

    def __init__(self) -> None:
        self._files: dict[int, BinaryIO] = {}
        self.event: object = None
        """The event whose values are read, to give back what was read of one that lies in a file itself."""

    def write(self, column: int, at: int, data: memoryview | bytes) -> None:
        """Put the data at that offset; what was there before goes."""
        file = self._files.get(column)
        if file is None:
            file = self._files[column] = TemporaryFile(buffering=0)  # noqa: SIM115 (whole() closes it)
        file.seek(at)
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        give_back(self.event)

    def whole(self, column: int, size: int, rest: memoryview | bytes) -> mmap | bytes:
        """The first `size` bytes of the column and the rest. The file is no longer the column's."""
        with self._files.pop(column) as file:
            try:
                self._files[column] = file
                self.write(column, size, rest)
            except OSError:
                file.seek(0)
                return file.read(size) + bytes(rest)
            finally:
                del self._files[column]
            file.truncate(size + len(rest))
            return mmap(file.fileno(), 0, access=ACCESS_READ)
