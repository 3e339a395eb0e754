"""MirroredServer: what a mirror asks its server: who it is, which logs it has, and for the bytes of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from pybinlog.errors import ServerError
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.mirror.folder import SERVER, Identity
from pybinlog.replication.connection import Connection
from pybinlog.replication.dump_stream import DumpStream
from pybinlog.replication.options import ServerOptions
from pybinlog.replication.server_log import DumpRequest
from pybinlog.source.server import ServerSource

FIRST_RANDOM_ID = 1 << 31
"""Random server ids are at or above it, where few people number their servers."""
PERIODS = 3
"""Of heartbeats, in which a server that is there has sent one."""


@dataclass(frozen=True)
class ServerLogs:
    """A server's answer: its name for itself, the sizes of its logs in their order, and whether one is encrypted."""

    server: str
    sizes: dict[str, int]
    encrypted: bool

    @property
    def first(self) -> str:
        return next(iter(self.sizes))

    @property
    def last(self) -> str:
        return next(reversed(self.sizes))


class MirroredServer:
    """A server by its options; every method that takes a connection leaves it open. Raise SourceError if it fails.

    `stays` lets the server wait after its last event; it then sends a heartbeat after so many seconds of silence.
    """

    def __init__(self, options: ServerOptions, *, stays: bool, semi_sync: bool = False, heartbeat: float = 10):
        self.address = options.address
        self._options = options
        self._stays = stays
        self._semi_sync = semi_sync
        self._heartbeat = heartbeat

    def connect(self) -> Connection:
        return Connection(self._options)

    def logs(self, connection: Connection) -> ServerLogs:
        """Who the server is, and which logs it has now. Raise ServerError if it has none."""
        name = "server_id" if connection.is_mariadb else "server_uuid"
        server = f"{name} {connection.variable(name)}"
        if SERVER.fullmatch(server) is None:
            raise ServerError(
                f"the server gives no {name}",
                file=self.address,
                hint="Mirror the server itself, not a proxy",
            )
        sizes = connection.logs()
        if not sizes:
            raise ServerError("the server has no binary logs", file=self.address)
        return ServerLogs(server, sizes, connection.encrypts_logs())

    def log_from(self, connection: Connection, identity: Identity, log: str, position: int) -> ServerSource:
        """Return a log from that position on; the logs that follow it come after it. The connection is taken for it."""
        request = DumpRequest(
            log,
            position,
            stays=self._stays,
            server_id=identity.replica_id,
            replica_uuid=identity.replica_uuid,
            heartbeat=self._heartbeat,
            semi_sync=self._semi_sync,
        )
        connection.wait_at_most(PERIODS * self._heartbeat)
        return self._source(connection, request)

    @contextmanager
    def alone(self, log: str) -> Iterator[ServerSource]:
        """Read a log from its magic bytes on, on a connection of its own."""
        with closing(self.connect()) as connection:
            connection.wait_at_most(PERIODS * self._heartbeat)
            yield self._source(connection, DumpRequest(log, server_id=random_id()))

    def beginning_of(self, log: str, size: int) -> bytes:
        """Return the first bytes of a log, from its magic bytes on; fewer if it is shorter."""
        with self.alone(log) as source:
            data = b""
            while len(data) < size and (piece := source.read(size - len(data))):
                data += piece
            return data

    def _source(self, connection: Connection, request: DumpRequest) -> ServerSource:
        stream = DumpStream(connection, request, self.address)
        return ServerSource(f"{self.address}/{request.log}", stream, request.position, MAGIC_LENGTH, True)


def random_id() -> int:
    """Return a server id that no other server has, with luck."""
    return FIRST_RANDOM_ID + secrets.randbelow(FIRST_RANDOM_ID)
