"""Spool: records that are read from the last to the first, or in order, in an unnamed file once there are many."""

from __future__ import annotations

from tempfile import SpooledTemporaryFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Spool"]

IN_MEMORY = 4 << 20
"""Bytes from which on the records are in a file."""
PIECE = 1 << 20
"""Bytes that are read at once."""
LENGTH = 8
"""Bytes of a record's length, which stands before the record and after it."""


class Spool:
    """`append` records, then read them, forward or backward. Raise OSError if its file cannot be written."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (close() closes it)
        self._waiting: list[bytes] = []
        self._waiting_size = 0
        self.size = 0

    def append(self, record: bytes) -> None:
        length = len(record).to_bytes(LENGTH, "little")
        self._waiting += (length, record, length)
        self._waiting_size += len(record)
        self.size += len(record) + 2 * LENGTH
        if self._waiting_size >= PIECE:
            self._flush()

    def _flush(self) -> None:
        self._file.write(b"".join(self._waiting))
        self._waiting.clear()
        self._waiting_size = 0

    def forward(self) -> Iterator[bytes]:
        """Yield the records from the first to the last."""
        self._flush()
        self._file.seek(0)
        data, at = b"", 0
        while True:
            if len(data) - at < LENGTH:
                data, at = data[at:] + self._file.read(PIECE), 0
                if not data:
                    return
            length = int.from_bytes(data[at : at + LENGTH], "little")
            end = at + length + 2 * LENGTH
            if end > len(data):
                data, end, at = data[at:] + self._file.read(max(PIECE, end - len(data))), end - at, 0
            yield data[at + LENGTH : end - LENGTH]
            at = end

    def backward(self) -> Iterator[bytes]:
        """Yield the records from the last to the first."""
        self._flush()
        data, start, end = b"", self.size, 0
        while end or start:
            if end < LENGTH:
                data, start, end = self._before(data[:end], start, PIECE)
            whole = int.from_bytes(data[end - LENGTH : end], "little") + 2 * LENGTH
            if whole > end:
                data, start, end = self._before(data[:end], start, max(PIECE, whole - end))
            yield data[end - whole + LENGTH : end - LENGTH]
            end -= whole

    def _before(self, data: bytes, start: int, size: int) -> tuple[bytes, int, int]:
        """Return the data with that many bytes before it, their position in the file, and their number."""
        begin = max(0, start - size)
        self._file.seek(begin)
        data = self._file.read(start - begin) + data
        return data, begin, len(data)

    def close(self) -> None:
        self._file.close()
