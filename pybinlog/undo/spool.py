"""Spool: records that are read from the last to the first, or in order, in an unnamed file once there are many."""

from __future__ import annotations

import os
from tempfile import TemporaryFile

from pybinlog.kernel.undo.records import Records, first_whole, length_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

PIECE = 1 << 18
"""Bytes that are read at once."""
LENGTH = 8
"""Bytes of a record's length, which stands before the record and after it."""


class Spool:
    """Add to `records`, then read them, forward or backward. Raise OSError if its file cannot be written."""

    def __init__(self) -> None:
        self.records = Records(self._write)
        self._file: BinaryIO | None = None

    def _write(self, data: memoryview) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (close() closes it)
        written = 0
        while written < len(data):
            with data[written:] as rest:
                written += os.write(self._file.fileno(), rest)

    def _read(self, begin: int, size: int) -> bytes:
        """Return bytes of the file; fewer only at its end."""
        if self._file is None:
            return b""
        data = os.pread(self._file.fileno(), size, begin)
        while data and len(data) < size:
            more = os.pread(self._file.fileno(), size - len(data), begin + len(data))
            if not more:
                break
            data += more
        return data

    def forward(self) -> Iterator[bytes]:
        """Yield the records from the first to the last."""
        self.records.flush()
        data, at, begin = b"", 0, 0
        while True:
            if len(data) - at < LENGTH:
                more = self._read(begin, PIECE)
                data, at, begin = data[at:] + more, 0, begin + len(more)
                if not data:
                    return
            length = int.from_bytes(data[at : at + LENGTH], "little")
            end = at + length + 2 * LENGTH
            if end > len(data):
                more = self._read(begin, max(PIECE, end - len(data)))
                data, end, at, begin = data[at:] + more, end - at, 0, begin + len(more)
            yield data[at + LENGTH : end - LENGTH]
            at = end

    def backward(self) -> Iterator[tuple[bytes, int, int]]:
        """Yield data with whole records, and where the first of them begins and the last ends; the last come first."""
        self.records.flush()
        start = self.records.size
        data, end = b"", 0
        while start or end:
            begin = first_whole(data, end)
            if begin < end:
                yield data, begin, end
                end = begin
                continue
            # what is left ends a record that begins before it
            lacking = PIECE if end < LENGTH else max(PIECE, length_before(data, end) - end)
            before = max(0, start - lacking)
            data = self._read(before, start - before) + data[:end]
            start, end = before, len(data)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
