"""LargeEvent: one event that arrives piece by piece, in memory that does not grow with it."""

from __future__ import annotations

import zlib
from mmap import ACCESS_READ, mmap
from typing import BinaryIO

from pybinlog.errors import BinlogError

IN_MEMORY = 32 << 20
"""Bytes of an event from which on it lies in an unnamed file."""


class LargeEvent:
    """The event begins with `head`, its header at least, and will have `size` bytes.

    With `checksum` it grows by its CRC32, as in a log that has checksums. Raise BinlogError if the file cannot be
    written.
    """

    def __init__(self, head: bytes, size: int, *, checksum: bool):
        self.missing = size
        self._checksum = checksum
        self._sum = 0
        self._data = bytearray()
        self._file: BinaryIO | None = None
        if size > IN_MEMORY:
            from tempfile import TemporaryFile

            try:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (whole() closes it)
            except OSError as error:
                raise unwritable(error) from error
        if checksum:
            head = head[:9] + (size + 4).to_bytes(4, "little") + head[13:]
        self.add(head)

    def add(self, data: bytes) -> None:
        """Add the next bytes, at most those that are missing."""
        if not data:
            return
        self.missing -= len(data)
        if self._checksum:
            self._sum = zlib.crc32(data, self._sum)
        self._write(data)
        if not self.missing and self._checksum:
            self._write(self._sum.to_bytes(4, "little"))

    def _write(self, data: bytes) -> None:
        if self._file is None:
            self._data += data
            return
        try:
            write_all(self._file, data)
        except OSError as error:
            raise unwritable(error) from error

    def whole(self) -> bytearray | mmap:
        """Return the event's bytes."""
        if self._file is None:
            return self._data
        with self._file as file:
            return mapped(file)


def write_all(file: BinaryIO, data: bytes | memoryview) -> None:
    """Write to an unbuffered file, which may take a part at a time."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def mapped(file: BinaryIO) -> mmap:
    """Return a file's bytes. Raise MemoryError if the process may have no more of them."""
    try:
        return mmap(file.fileno(), 0, access=ACCESS_READ)
    except OSError as error:
        raise MemoryError(str(error)) from error


def unwritable(error: OSError) -> BinlogError:
    return BinlogError(
        f"the temporary file for a large event cannot be written: {error.strerror or error}",
        hint="Set the environment variable TMPDIR to a folder with more room",
    )


def give_back(event: object) -> None:
    """Let the system have the memory of what was read of an event that lies in a file; it can be read again."""
    if isinstance(event, mmap) and hasattr(event, "madvise"):
        from mmap import MADV_DONTNEED

        event.madvise(MADV_DONTNEED)
