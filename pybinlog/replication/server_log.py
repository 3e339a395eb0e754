"""ServerLog: a log on a server, by a name that can stand wherever the name of a log stands; and the request for it."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

from pybinlog.errors import Hint, SourceError
from pybinlog.kernel.base.event import MAGIC_LENGTH
from pybinlog.replication.options import DEFAULT_PORT, ServerOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Self

    from pybinlog.replication.connection import Connection

COM_BINLOG_DUMP = 0x12
COM_BINLOG_DUMP_GTID = 0x1E
NON_BLOCKING = 1
ANNOTATE_ROWS = 2
"""MariaDB's: send the events with the statements that row events come of."""
LARGEST_POSITION = (1 << 32) - 1
"""The last position of a log from which a server can be told to send it."""
TAGGED = 1
"""The format of a GTID set with tags, in its first byte."""

Interval = tuple[bytes, bytes, int, int]
"""(uuid of 16 bytes, tag or b"", first number, number after the last)"""


@dataclass(frozen=True)
class DumpRequest:
    """From which log and position on, and what of it.

    `excluded` is a GTID set whose transactions the server omits (None: it is asked by position alone). `stays`
    lets it wait for more after the last event. `server_id` is the replica's that pybinlog stands for, `replica_uuid`
    its uuid, by which the server knows it again. `heartbeat` is how many seconds the server may be silent; None lets
    it choose. With `semi_sync` a server that waits for its replicas asks for answers.
    """

    log: str
    position: int = 4
    excluded: tuple[Interval, ...] | None = None
    stays: bool = False
    server_id: int = 0
    replica_uuid: str | None = None
    heartbeat: float | None = None
    semi_sync: bool = False

    def send(self, connection: Connection) -> None:
        """Prepare the session, and give the command. Raise SourceError if the server refuses."""
        if connection.is_mariadb and self.excluded is not None:
            raise SourceError(
                "MariaDB has no BINLOG-DUMP-GTIDS",
                file=connection.address,
                hint=Hint("Use {--read-from-remote-server} (-R) with {--exclude-gtids} and {--include-gtids}"),
            )
        # It says that checksums are known here: events come as they stand in the log, and only what comes before the
        # first Format_description has none.
        connection.query("SET @master_binlog_checksum = 'NONE', @source_binlog_checksum = 'NONE'")
        if connection.is_mariadb:
            connection.query("SET @mariadb_slave_capability = 4")
        for variables, value in self._session():
            connection.query("SET " + ", ".join(f"@{variable} = {value}" for variable in variables))
        name = self.log.encode("utf-8", "surrogateescape")
        flags = (0 if self.stays else NON_BLOCKING) | (ANNOTATE_ROWS if connection.is_mariadb else 0)
        if self.excluded is None:
            connection.send(
                COM_BINLOG_DUMP, struct.pack("<IHI", self.position & 0xFFFFFFFF, flags, self.server_id) + name
            )
            return
        gtids = encoded(self.excluded)
        connection.send(
            COM_BINLOG_DUMP_GTID,
            struct.pack("<HII", flags, self.server_id, len(name))
            + name
            + struct.pack("<QI", self.position, len(gtids))
            + gtids,
        )

    def _session(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield the session variables that the server reads; each has an old and a new name."""
        if self.heartbeat is not None:
            nanoseconds = round(self.heartbeat * 1e9)
            yield ("source_heartbeat_period", "master_heartbeat_period"), str(nanoseconds)
        if self.replica_uuid is not None:
            yield ("replica_uuid", "slave_uuid"), f"'{UUID(self.replica_uuid)}'"
        if self.semi_sync:
            yield ("rpl_semi_sync_replica", "rpl_semi_sync_slave"), "1"


def encoded(intervals: Iterable[Interval]) -> bytes:
    """Return a GTID set as the command has it: for each uuid, and tag, its intervals.

    With tags, the form of 8.3 and later: the count of sources in six bytes between two that say so, and after each
    uuid the tag, with twice its length before it (a variable-length integer of one byte).
    """
    sources = [
        (uuid, tag, [(first, after) for *_, first, after in group])
        for (uuid, tag), group in groupby(sorted(intervals), key=lambda interval: interval[:2])
    ]
    tagged = any(tag for _, tag, _ in sources)
    if tagged:
        data = bytes([TAGGED]) + len(sources).to_bytes(6, "little") + bytes([TAGGED])
    else:
        data = struct.pack("<Q", len(sources))
    for uuid, tag, ranges in sources:
        data += uuid
        if tagged:
            data += bytes([2 * len(tag)]) + tag
        data += struct.pack("<Q", len(ranges))
        data += b"".join(struct.pack("<QQ", first, after) for first, after in ranges)
    return data


SOCKETS = ("/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock")
"""The sockets of servers on this machine, by distribution."""
URL_HINT = "A URL looks like mysql://user@host:3306/binlog.000007"


class ServerLog(str):
    """As text it is a URL without a password, `mysql://user@host:3306/binlog.000007`.

    `request` says what the server is asked for; with `to_last` it continues with the logs that follow. With
    `shows_rotates` the fake Rotates that announce the logs are among their events.
    """

    options: ServerOptions
    request: DumpRequest
    to_last: bool
    shows_rotates: bool

    def __new__(
        cls, options: ServerOptions, request: DumpRequest, *, to_last: bool = False, shows_rotates: bool = False
    ) -> Self:
        log = super().__new__(cls, f"{options.address}/{request.log}")
        log.options = options
        log.request = request
        log.to_last = to_last
        log.shows_rotates = shows_rotates
        return log

    def requested_from(self, position: int, log: str | None = None) -> ServerLog:
        """Return the log, or a later one of the same server, as it is sent from that position on.

        Raise SourceError if no server can be asked for the position.
        """
        if position > LARGEST_POSITION:
            raise SourceError(
                f"a server sends logs from positions up to {LARGEST_POSITION}",
                file=f"{self.options.address}/{log or self.request.log}",
                position=position,
                hint=Hint("Copy the log with {--raw}, and read the copy"),
            )
        request = replace(self.request, log=log or self.request.log, position=position)
        return ServerLog(self.options, request, to_last=self.to_last, shows_rotates=self.shows_rotates)

    def whole(self) -> ServerLog:
        """Return the log from its beginning to what it has now, with all transactions, and so the logs that follow."""
        request = replace(self.request, position=MAGIC_LENGTH, excluded=None, stays=False)
        return ServerLog(self.options, request, to_last=self.to_last)


def server_log(url: str, options: ServerOptions | None = None) -> ServerLog:
    """Return the log of that URL. `options` give what the URL does not; a URL cannot contain a password.

    Raise SourceError if it is no such URL.
    """
    options, log = server_of(url, options)
    if not log:
        raise SourceError("this URL names no log of a server", file=url, hint=URL_HINT)
    return ServerLog(options, DumpRequest(plain_name(log)))


def server_of(url: str, options: ServerOptions | None = None) -> tuple[ServerOptions, str]:
    """Return the server of a URL, as of `server_log`, and what the URL says besides."""
    from urllib.parse import unquote, urlsplit  # 3 ms, which -R does not need

    if options is None:
        options = ServerOptions(password=os.environ.get("MYSQL_PWD", ""))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise SourceError("the URL of a server cannot be read", hint=URL_HINT) from None
    if parts.password is not None:
        raise SourceError(
            "a password in a URL could be read by everybody who sees the processes of this machine",
            file=f"mysql://{parts.hostname or ''}{parts.path}",
            hint=Hint("Remove it from the URL; give {-p}[, or an option file with {--defaults-file}]"),
        )
    log = unquote(parts.path[1:])
    if not parts.hostname or parts.query or parts.fragment:
        raise SourceError("this URL names no server", file=url, hint=URL_HINT)
    if parts.username:
        options = replace(options, user=unquote(parts.username))
    socket = local_socket() if parts.hostname == "localhost" and port is None else None
    if parts.hostname != "localhost" or port is not None or options.socket is None:
        options = replace(options, host=parts.hostname, port=port or DEFAULT_PORT, socket=socket)
    return options, log


def plain_name(log: str) -> str:
    """Return the name of a log as servers know it.

    Raise SourceError if it has a folder, with which they would not find it.
    """
    if "/" in log or not log:
        raise SourceError(
            f"a server knows its logs without a folder, and {log!r} has one",
            hint="Name it as SHOW BINARY LOGS does, such as binlog.000007",
        )
    return log


def local_socket() -> str | None:
    """Return the Unix socket of this machine's server; None if it has none in the usual places."""
    places = (os.environ.get("MYSQL_UNIX_PORT", ""), *SOCKETS)
    return next((place for place in places if place and os.path.exists(place)), None)
