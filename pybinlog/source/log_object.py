"""LogObject: a log that is a file object, by a name that can stand wherever the name of a log stands."""

from __future__ import annotations

from _thread import LockType
from typing import BinaryIO

from pybinlog.errors import SourceError
from pybinlog.source.base import Source
from pybinlog.source.file import ObjectSource

READ_ALREADY = "the log was read already, and a pipe can be read only once"


class LogObject(str):
    """As text it is the name of the file, or `<BytesIO>` and the like for an object without one.

    The log begins at the object's position. An object that can seek can be read again and again, by several readers
    at once, if nothing else reads it meanwhile; one that cannot seek, such as a pipe, can be read once.
    """

    _stream: BinaryIO
    _start: int | None
    _lock: LockType
    _unread: list[BinaryIO]

    def __new__(cls, stream: BinaryIO, name: str | None = None) -> LogObject:
        from _thread import allocate_lock

        given = getattr(stream, "name", None)
        log = super().__new__(cls, name or (given if isinstance(given, str) else f"<{type(stream).__name__}>"))
        log._stream = stream
        seekable = getattr(stream, "seekable", None)
        log._start = stream.tell() if seekable is not None and seekable() else None
        log._lock = allocate_lock()
        log._unread = [stream]
        return log

    @property
    def read_once(self) -> bool:
        return self._start is None

    def open(self) -> Source:
        """Return the log from its first byte. Raise SourceError if it was read already and cannot seek."""
        if self._start is not None:
            return SeekingSource(str(self), self._stream, self._start, self._lock)
        try:
            return ObjectSource(str(self), self._unread.pop())
        except IndexError:
            raise SourceError(READ_ALREADY, file=str(self)) from None


class SeekingSource(ObjectSource):
    """A file object that can seek, from `start` on; those who hold `lock` move it."""

    def __init__(self, name: str, stream: BinaryIO, start: int, lock: LockType):
        super().__init__(name, stream)
        self._seek = stream.seek
        self._start = start
        self._lock = lock

    def _fill(self, view: memoryview) -> int:
        with self._lock:
            self._seek(self._start + self.position)
            return super()._fill(view)

    def ready(self, seconds: float) -> bool:
        return True
