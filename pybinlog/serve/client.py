"""Client: one connection: login, questions, and the logs that it asks for."""

import ssl
import threading
from collections.abc import Callable

from pybinlog.errors import BinlogError
from pybinlog.replication.client_channel import ClientChannel, ClientClosed, ClientGone, write_result
from pybinlog.replication.login import Account, log_in
from pybinlog.replication.server_log import COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID
from pybinlog.serve.answers import Answers
from pybinlog.serve.archive import Archive
from pybinlog.serve.dump_command import DumpCommand, Session
from pybinlog.serve.log_stream import LogStream
from pybinlog.serve.options import ServeOptions
from pybinlog.serve.refused import NOT_SUPPORTED, Refused
from pybinlog.serve.start import start_of
from pybinlog.visible import visible

COM_QUIT, COM_INIT_DB, COM_QUERY, COM_PING, COM_REGISTER_SLAVE = 0x01, 0x02, 0x03, 0x0E, 0x15
COM_RESET_CONNECTION = 0x1F
SIMPLE = {COM_INIT_DB, COM_PING, COM_REGISTER_SLAVE, COM_RESET_CONNECTION}
"""Commands that are answered by OK."""
LARGEST_COMMAND = 16 << 20
"""Bytes: a GTID set of a server with a long history."""
IDLE_SECONDS = 8 * 3600
"""wait_timeout of servers."""


class Replicas:
    """The stream of each replica, by its UUID or server id. A new one ends that which it has left behind."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._channels: dict[str | int, ClientChannel] = {}

    def begin(self, replica: str | int, channel: ClientChannel) -> None:
        with self._guard:
            left, self._channels[replica] = self._channels.get(replica), channel
        if left is not None and left is not channel:
            left.end()


class Client:
    """Serves one client until it goes. `tell` receives sentences without their full stops.

    `name` says who it is, in a sentence.
    """

    def __init__(
        self,
        channel: ClientChannel,
        address: str,
        number: int,
        archive: Archive,
        options: ServeOptions,
        tell: Callable[[str], object],
        replicas: Replicas,
    ):
        self._channel = channel
        self._archive = archive
        self._options = options
        self._tell = tell
        self._session = Session(connection_id=number)
        self._replicas = replicas
        self._has_dumped = False
        self.name = f"client {number} ({address})"

    def run(self, account: Account, tls: ssl.SSLContext | None) -> None:
        """Log in, then answer command after command."""
        try:
            version, number = self._archive.version, self._session.connection_id
            self._session.user = log_in(self._channel, version, number, account, tls)
            while self._command():
                pass
        except ClientClosed:
            pass
        except ClientGone as error:
            if not self._has_dumped:
                self._tell(f"{self.name}: {error}")
        finally:
            self._channel.close()

    def _command(self) -> bool:
        """Answer the next command. Return False if the connection ends."""
        channel = self._channel
        packet = channel.read(LARGEST_COMMAND, IDLE_SECONDS, first=True)
        command, body = packet[0] if packet else COM_QUIT, packet[1:]
        try:
            if command == COM_QUIT:
                return False
            if command == COM_QUERY:
                self._question(body.decode("utf-8", "replace"))
            elif command in (COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID):
                self._dump(command, body)
            elif command in SIMPLE:
                channel.ok()
            else:
                raise Refused(f"pybinlog serve does not have the command {command}", NOT_SUPPORTED, "42000")
        except Refused as error:
            channel.error(error.number, str(error), error.state)
        except BinlogError as error:
            self._tell(f"{self.name}: {error}")
            channel.error(Refused("").number, str(Refused(str(error))))
        return True

    def _question(self, statement: str) -> None:
        answer = Answers(self._archive, self._session).answer(statement)
        if answer is None:
            self._channel.ok()
        else:
            write_result(self._channel, answer.names, answer.rows)

    def _dump(self, code: int, body: bytes) -> None:
        """Send logs, and report the client's beginning and end."""
        command = DumpCommand.of(code, body)
        kind = "replica" if self._session.is_replica else "reader"
        who = f"{self.name}, {kind} with server id {command.server_id}"
        stream: LogStream | None = None
        sent = self._channel.sent
        try:
            start = start_of(self._archive, command, self._session)
            asked = "by GTIDs, " if start.is_by_gtids else ""
            self._tell(f"{who}: {asked}from {start.log.name}, at {start.position}")
            stream = LogStream(self._channel, self._archive, start, command, self._session, self._options)
            if self._session.is_replica:
                self._replicas.begin(self._session.replica_uuid or command.server_id, self._channel)
            stream.send()
            why = "all was sent"
        except (Refused, ClientGone) as error:
            why = visible(str(error))
            raise
        finally:
            self._has_dumped = True
            if stream is None:
                self._tell(f"{who} was refused: {why}")
            else:
                self._tell(
                    f"{who}: sent {stream.transactions} transactions, {self._channel.sent - sent} bytes, up to "
                    f"{stream.log.name}, at {stream.position}; {why}"
                )
