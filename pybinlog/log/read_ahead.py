"""ReadAhead: bytes of a log that are read before it is their turn, by whichever thread has time."""

from pybinlog.errors import SourceError
from pybinlog.source import Source


class ReadAhead:
    """The bytes from `start` on that go into `buffer`, after `room` bytes for what is left of those before.

    `count` bytes are there once they are `read`; none if they cannot be: the reader says why in turn.
    """

    def __init__(self, source: Source, start: int, buffer: memoryview, room: int):
        self.start = start
        self.buffer = buffer
        self.room = room
        self.count = 0
        self._source = source

    def read(self) -> None:
        """Read the bytes; once, in any thread."""
        with memoryview(self.buffer) as view:
            try:
                self.count = self._source.read_at(self.start, view[self.room :])
            except SourceError:
                self.count = 0
