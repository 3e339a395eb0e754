"""WaitingLines: the lines of a transaction that has no end yet."""

from __future__ import annotations

from tempfile import TemporaryFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from pybinlog.live.ending import Ending

IN_MEMORY = 1 << 20
"""Bytes of lines from which on they wait in an unnamed file."""
PIECE = 1 << 20


class WaitingLines:
    """Lines of the transaction that begins at `position` of the log `log`; `add` whole lines, then read them once."""

    def __init__(self, log: bytes, position: int):
        self.log = log
        self.position = position
        self._parts: list[bytes] = []
        self._size = 0
        self._file: BinaryIO | None = None

    def add(self, lines: memoryview) -> None:
        """Keep more lines. Raise OSError if the file for them cannot be written."""
        self._size += len(lines)
        if self._file is None and self._size <= IN_MEMORY:
            self._parts.append(bytes(lines))
            return
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 (close() closes it)
            self._file.writelines(self._parts)
            self._parts.clear()
        self._file.write(lines)

    def ended(self, ending: Ending, how: str) -> Iterator[bytes]:
        """Return the lines with the way in which the transaction ended, some at a time, and let go of them."""
        try:
            yield from ending.with_ending(self._pieces(), how)
        finally:
            self.close()

    def _pieces(self) -> Iterator[bytes]:
        yield from self._parts
        if self._file is not None:
            self._file.seek(0)
            while piece := self._file.read(PIECE):
                yield piece

    def close(self) -> None:
        self._parts.clear()
        if self._file is not None:
            self._file.close()
            self._file = None
