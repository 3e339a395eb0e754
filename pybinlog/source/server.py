"""ServerSource: a log that its server sends."""

from collections.abc import Sequence
from contextlib import closing

from pybinlog.errors import ServerError, SourceError
from pybinlog.kernel.base.event import MAGIC, MAGIC_LENGTH
from pybinlog.replication.connection import Connection
from pybinlog.replication.dump_stream import LEAST, SCRATCH, DumpStream
from pybinlog.replication.options import ServerOptions
from pybinlog.replication.server_log import ServerLog
from pybinlog.source.base import Source

NO_SUCH_LOG = "Could not find first log file name"
"""Servers say so if they do not have the log (of error 1236)."""
SHOWN = 5
"""Logs that are named one by one."""


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
    next_start = start if connection.is_mariadb is False else MAGIC_LENGTH
    source = ServerSource(str(log), stream, start, next_start, log.to_last)
    source.options = log.options
    return source


def logs_in_words(names: Sequence[str]) -> str:
    """Return a sentence that names the logs of a server, or the first and the last of many."""
    if len(names) > SHOWN:
        return f"The server has {len(names):,} logs, {names[0]} to {names[-1]}"
    return f"The server has {', '.join(names)}" if names else "The server has no log"


def logs_there(options: ServerOptions) -> str | None:
    """Return the logs of a server in words; None if it does not list them for this account."""
    try:
        with closing(Connection(options)) as connection:
            return logs_in_words(list(connection.logs()))
    except SourceError:
        return None


class ServerSource(Source):
    """The magic bytes, then the events of one log as they come. The next log may follow on the same connection."""

    options: ServerOptions | None = None
    """The server to ask for its logs, if it does not have the one that was requested."""

    def __init__(self, name: str, stream: DumpStream, start: int, next_start: int, to_last: bool):
        super().__init__(name)
        self.stream = stream
        self._next_start = next_start
        self._to_last = to_last
        self._pending = MAGIC
        self.sent_from = start

    def _fill(self, view: memoryview) -> int:
        try:
            return self._read(view)
        except ServerError as error:
            if self.options is not None and NO_SUCH_LOG in error.message:
                error.hint = logs_there(self.options)
            raise

    def _read(self, view: memoryview) -> int:
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
