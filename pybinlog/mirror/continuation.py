"""True if a server continues what a mirror holds: looked at before a byte of the folder is touched.

MirroredServer: what a mirror asks its server: who it is, which logs it has, and for the bytes of them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from pybinlog.errors import BinlogError, DataLossError, ServerError
from pybinlog.gtid_intervals import GtidSet, set_text
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, CREATED_AT, MAGIC, MAGIC_LENGTH
from pybinlog.log.log_head import LogHead, head_of
from pybinlog.mirror.folder import SERVER, Identity, base_of, number_of
from pybinlog.mirror.growing_log import GrowingLog
from pybinlog.replication.connection import Connection
from pybinlog.replication.dump_stream import DumpStream
from pybinlog.replication.options import ServerOptions
from pybinlog.replication.server_log import DumpRequest
from pybinlog.source.server import ServerSource


class KnownLog(Protocol):
    """A log as far as it is known: by its name, up to `whole`; `closed_by` as in GrowingLog."""

    closed_by: str | None
    whole: int

    @property
    def name(self) -> str: ...
    def read_at(self, position: int, size: int) -> bytes: ...


OPENING = 1 << 16
"""Bytes of a log's beginning that are compared: its Format_description with the time, its GTIDs, the first events."""
PIECE = 1 << 20
OWN_FOLDER = "The mirror was left as it is; to mirror what this server has now, name another folder"


def check_server(
    server: MirroredServer,
    there: ServerLogs,
    log: KnownLog,
    *,
    keeper: str = "the mirror",
    most: int = OPENING,
    hint: str = OWN_FOLDER,
) -> None:
    """Raise DataLossError if the server lacks the log, has another one by that name, or has lost its end."""
    address = f"{server.address}/{log.name}"
    size = there.sizes.get(log.name)
    if size is None:
        if any(number_of(name) > number_of(log.name) for name in there.sizes):
            text = f"{keeper} ends in this log, and the server's first one is {there.first}: those between were purged"
        else:
            text = (
                f"{keeper} ends in this log, and the server has {there.first} to {there.last} only: its logs were "
                "reset, or it is another server"
            )
        raise DataLossError(text, file=address, position=log.whole, hint=hint)
    if log.whole == MAGIC_LENGTH:
        return
    compared = min(log.whole, most, size)
    theirs, ours = server.beginning_of(log.name, compared), log.read_at(0, compared)
    if theirs != ours:
        raise another_log(address, first_difference(theirs, ours), keeper, hint)
    if size < log.whole:
        raise DataLossError(
            f"{keeper} has this log up to {log.whole}, and the server only up to {size}. The server has lost the end "
            "of it, as in a crash with sync_binlog other than 1",
            file=address,
            position=size,
            hint=f"{hint}. The mirror has the lost bytes from {size} on",
        )


def continue_log(source: ServerSource, log: GrowingLog) -> None:
    """Read from a server what the log has already, from `compared_from` on, so that what is new comes next.

    Before that the source gives the Format_description once more, and `sent_from` says where the new begins.
    Raise DataLossError if the server sends other bytes.
    """
    if log.whole == MAGIC_LENGTH:
        return
    position = log.compared_from
    source.sent_from = log.whole
    opening = exactly(source, log, MAGIC_LENGTH)
    if position > MAGIC_LENGTH:
        header = exactly(source, log, COMMON_HEADER_LENGTH)
        opening += header + exactly(source, log, int.from_bytes(header[9:13], "little") - COMMON_HEADER_LENGTH)
    while position < log.whole:
        theirs = exactly(source, log, min(PIECE, log.whole - position))
        ours = log.read_at(position, len(theirs))
        if theirs != ours:
            raise another_log(source.name, position + first_difference(theirs, ours))
        position += len(theirs)
    if opening == MAGIC:
        size = int.from_bytes(log.read_at(MAGIC_LENGTH + 9, 4), "little")
        opening += log.read_at(MAGIC_LENGTH, size)
    source.unread(opening)


def exactly(source: ServerSource, log: GrowingLog, size: int) -> bytes:
    """Raise DataLossError if the log ends before that."""
    data = source.read_up_to(size)
    if len(data) < size:
        text = f"the server's log ends before {log.whole}, up to where the mirror has it"
        raise DataLossError(text, file=source.name, hint=OWN_FOLDER)
    return data


def another_log(address: str, position: int, keeper: str = "the mirror", hint: str = OWN_FOLDER) -> DataLossError:
    return DataLossError(
        f"the server's log of this name is not the one that {keeper} has. The logs were reset (RESET BINARY LOGS AND "
        "GTIDS), restored from a backup, or are another server's",
        file=address,
        position=position,
        hint=hint,
    )


def first_difference(some: bytes, others: bytes) -> int:
    """Return the offset of the first difference of two texts."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(some), len(others)))


def check_follows(address: str, log: KnownLog, following: str, first: EventBatch, *, hint: str = OWN_FOLDER) -> None:
    """Raise DataLossError if a log does not follow another; `first` begins with its Format_description.

    On one connection a log ends with a Rotate or Stop event, or because its server was killed: then the next one says
    when its server was started. Otherwise the logs were reset while the server was sending one that is gone since.
    """
    where: dict[str, Any] = {"file": f"{address}/{following}", "hint": hint}
    if number_of(following) != number_of(log.name) + 1 or log.closed_by not in (None, "", following):
        raise DataLossError(f"the server continues with it after {log.name}: the logs between are gone", **where)
    is_of_rotation = not any(first.data(0)[CREATED_AT : CREATED_AT + 4])
    if log.closed_by is None and is_of_rotation:
        raise DataLossError(
            f"the server continues with it after {log.name}, which ends at {log.whole} without a Rotate event: its "
            "logs were reset, and the beginning of the new ones was not sent",
            **where,
        )


TORN = "truncated in the middle of event"
"""The words of a server about a log whose end a crash tore off. MySQL cuts such a log when it starts, MariaDB does not,
and sends nothing from there on.
"""


def check_behind_torn(
    address: str,
    log: KnownLog,
    known: GtidSet | None,
    head: LogHead,
    *,
    keeper: str = "the mirror",
    hint: str = OWN_FOLDER,
) -> str:
    """Return a sentence that says why one may continue behind a torn log with the next one, whose beginning is `head`.

    That begins with the GTIDs `known` at `log.whole`; None: they are not known. Raise DataLossError if it begins with
    others: then the rest of the torn log may have transactions.
    """
    told = head.previous
    if known and told:
        if missing := told.minus(known):
            what = f"begins with transactions that {keeper} does not have ({set_text(missing)})"
        elif more := known.minus(told):
            what = f"begins without transactions that {keeper} has ({set_text(more)})"
        else:
            return (
                f"{address}/{log.name}: a crash of the server tore the transaction at {log.whole}, which was not "
                f"committed. By the GTIDs, none is missing; {head.name} comes next."
            )
    else:
        what = "has no GTIDs that tell whether transactions were lost"
    raise DataLossError(
        f"a crash of the server tore this log, and it sends nothing from {log.whole} on. The next log, "
        f"{head.name}, {what}",
        file=f"{address}/{log.name}",
        position=log.whole,
        hint=hint,
    )


def after_torn(log: KnownLog, there: ServerLogs) -> str | None:
    """Return the log that follows a torn one; None if the server does not have it."""
    following = f"{base_of(log.name)}.{number_of(log.name) + 1:06d}"
    return following if following in there.sizes else None


def next_after(log: GrowingLog) -> str | None:
    """Return the log that the server began after one that it has closed; None if it has not, as far as the mirror
    knows.
    """
    if log.closed_by is None:
        return None
    return log.closed_by or f"{base_of(log.name)}.{number_of(log.name) + 1:06d}"


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

    def check(self, log: str, address: str, hint: str) -> None:
        """Raise BinlogError if the server has no log of that name."""
        if log not in self.sizes:
            text = f"the server has no such log; it has {self.first} to {self.last}"
            raise BinlogError(text, file=f"{address}/{log}", hint=hint)


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
        """Return who the server is, and which logs it has now. Raise ServerError if it has none."""
        name = "server_id" if connection.is_mariadb else "server_uuid"
        server = f"{name} {connection.variable(name)}"
        if SERVER.fullmatch(server) is None:
            raise ServerError(
                f"the server gives no {name}", file=self.address, hint="Mirror the server itself, not a proxy"
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

    def head_of(self, log: str) -> LogHead:
        """Return the beginning of a log."""
        with self.alone(log) as source:
            return head_of(source, log)

    def beginning_of(self, log: str, size: int) -> bytes:
        """Return the first bytes of a log, from its magic bytes on; fewer if it is shorter."""
        with self.alone(log) as source:
            return source.read_up_to(size)

    def _source(self, connection: Connection, request: DumpRequest) -> ServerSource:
        stream = DumpStream(connection, request, self.address)
        return ServerSource(f"{self.address}/{request.log}", stream, request.position, MAGIC_LENGTH, True)


def random_id() -> int:
    """Return a server id that no other server has, with luck."""
    return FIRST_RANDOM_ID + secrets.randbelow(FIRST_RANDOM_ID)
