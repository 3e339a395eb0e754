"""Spill: the strings of a batch's large values, in files that have no name."""

from __future__ import annotations

from mmap import mmap
from tempfile import TemporaryFile
from typing import BinaryIO

from pybinlog.log.large_event import give_back, mapped, write_all


class Spill:
    """A file for each column that needs one, by the column's number; `write` raises OSError if it fails."""

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
        write_all(file, data)
        give_back(self.event)

    def whole(self, column: int, size: int, rest: memoryview | bytes) -> mmap | bytes:
        """Return the first `size` bytes of the column and the rest.

        The next strings of the column go to another file.
        """
        with self._files.pop(column) as file:
            try:
                file.seek(size)
                write_all(file, rest)
            except OSError:
                file.seek(0)
                return file.read(size) + bytes(rest)
            file.truncate(size + len(rest))
            return mapped(file)
