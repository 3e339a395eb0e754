"""ServerSource: a log that its server sends."""

from __future__ import annotations

from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.replication.connection import Connection
from pybinlog.replication.dump_stream import LEAST, SCRATCH, DumpStream
from pybinlog.source.base import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.replication.server_log import ServerLog


def open_server_log(log: ServerLog) -> Source:
    """Return the log from the requested position on, over a connection of its own.

    Raise SourceError if that cannot be had.
    """
    connection = Connection(log.options)
    try:
        stream = DumpStream(connection, log.request, log.options.address, shows_rotates=log.shows_rotates)
    except BaseException:
        connection.close()
        raise
    start = log.request.position
    return ServerSource(str(log), stream, start, start if connection.is_mariadb is False else MAGIC_LENGTH, log.to_last)


class ServerSource(Source):
    """The magic bytes, then the events of one log as they come. The next log may follow on the same connection."""

    def __init__(self, name: str, stream: DumpStream, start: int, next_start: int, to_last: bool):
        super().__init__(name)
        self.stream = stream
        self._next_start = next_start
        self._to_last = to_last
        self._pending = MAGIC
        self.sent_from = start

    def _fill(self, view: memoryview) -> int:
        stream = self.stream
        if len(view) >= stream.waiting + LEAST:
            return stream.readinto(view)
        scratch = memoryview(bytearray(stream.waiting + SCRATCH))
        count = stream.readinto(scratch)
        taken = min(count, len(view))
        view[:taken] = scratch[:taken]
        self._pending = bytes(scratch[taken:count])
        return taken

    def ready(self, seconds: float) -> bool:
        return bool(self._pending) or self.stream.ready(seconds)

    def following(self) -> Source | None:
        if not self._to_last or not self.stream.next_log():
            return None
        folder = self.name.rpartition("/")[0]
        source = ServerSource(f"{folder}/{self.stream.log}", self.stream, self._next_start, self._next_start, True)
        source.continues = True
        return source

    def close(self) -> None:
        self.stream.close()
