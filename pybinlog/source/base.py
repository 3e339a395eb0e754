"""Source: a stream of bytes with a name and a position."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from typing_extensions import Self

SERVER = "mysql://"
"""How the name of a log begins that its server sends."""
PIECE = 1 << 16
"""Bytes read at once: a length that lies costs no memory."""


class Source:
    """The source of one log's bytes.

    `name` is the name as the user gave it. `position` is the offset, in bytes of the uncompressed stream, of the next
    byte to be read. A kind of source says how bytes are had in `_fill`; everything else builds on that.
    A read that fails raises SourceError with the name and the position.
    """

    seekable = False
    reads_at = False
    """True if `read_at` may be called."""
    size: int | None = None  # bytes of the uncompressed stream, if that is known beforehand
    status: os.stat_result | None = None
    """The status of a regular file opened by name, at that time."""
    sent_from: int | None = None
    """For a log that its server sends: the position of the first requested event. Those that the server puts
    before it have none. None: the bytes are those of a file."""
    continues = False
    """The log before is of the same stream: its Format_description is in force until the next one."""
    stored_at = 0
    """Bytes of the file before the log's first one: the header of an encrypted log."""
    encrypted = False
    """True if the bytes were decrypted as they were read; of MariaDB's logs known after the first events."""
    live = False
    """True if its server may be writing it: then it may end inside an event."""

    def __init__(self, name: str):
        self.name = name
        self.position = 0
        self._pending = b""

    def _fill(self, view: memoryview) -> int:
        """Put at least one byte into the view, as soon as there is one; 0 at the end of the stream."""
        raise NotImplementedError

    def readinto(self, view: memoryview) -> int:
        """Read up to `len(view)` bytes, fewer if the stream pauses; 0 at its end (or for an empty view)."""
        if self._pending:
            count = min(len(view), len(self._pending))
            view[:count] = self._pending[:count]
            self._pending = self._pending[count:]
        else:
            count = self._fill(view)
        self.position += count
        return count

    def read_at(self, position: int, view: memoryview) -> int:
        """Read up to `len(view)` bytes from a position on; `position` does not change. By any thread."""
        raise NotImplementedError

    def ready(self, seconds: float) -> bool:
        """Return True if bytes, or the end, can be read within that time.

        False if that is not known.
        """
        return bool(self._pending)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, fewer if the stream pauses; b"" at its end."""
        buffer = bytearray(size)
        with memoryview(buffer) as view:
            count = self.readinto(view)
        del buffer[count:]
        return bytes(buffer)

    def read_up_to(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only if the stream ends before them."""
        data = bytearray()
        while len(data) < size and (more := self.read(min(size - len(data), PIECE))):
            data += more
        return bytes(data)

    def unread(self, data: bytes) -> None:
        """Put bytes back that were just read; they are the next to be read."""
        self._pending = data + self._pending
        self.position -= len(data)

    def skip_to(self, position: int) -> int:
        """Continue to a position, by reading if the source cannot seek.

        Return the position reached, which is less than the one asked for if the stream ends before it.
        ValueError when the position is before the present one and the source cannot seek.
        """
        if position < self.position:
            raise ValueError(f"{self.name}: cannot go back from {self.position} to {position}")
        with memoryview(bytearray(min(PIECE, position - self.position))) as scratch:
            while self.position < position:
                if not self.readinto(scratch[: position - self.position]):
                    break
        return self.position

    def hole_end(self) -> int:
        """Return the end of the next hole: a part of a file that was never written, all zeros; `position` without one.

        A hole that is the last of the file ends with it.
        """
        return self.position

    def again(self) -> Source | None:
        """Return the same bytes from the first one on, as a source of its own; None if they can be read only once."""
        return None

    def following(self) -> Source | None:
        """Return, after the end, the log that follows in the same stream; None if there is none."""
        return None

    def allow(self, begin: int, there: int, size: int) -> None:
        """Allow `size` bytes of memory for the bytes from `begin` on, of which some are `there`, or raise an error.

        Raise SourceError if these are so many more than the stored bytes they came of that they are no event's.
        """

    def close(self) -> None:
        """Let go of the file; twice is allowed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
