"""Server: takes connections and serves each in a thread of its own."""

import errno
import select
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from time import sleep

from pybinlog.errors import BinlogError
from pybinlog.replication.client_channel import ClientChannel, ClientGone
from pybinlog.replication.login import Account
from pybinlog.serve.archive import Archive
from pybinlog.serve.client import Client, Replicas
from pybinlog.serve.options import ServeOptions

TOO_MANY_CONNECTIONS = 1040
BACKLOG = 128
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
PAUSE = 0.5
"""Seconds."""
KEEPALIVE = 60
"""Seconds of silence after which the system asks whether a client is still there."""


class Server:
    """Listens at an address. `serve()` returns when it is interrupted.

    Raise BinlogError if it cannot listen there.
    """

    def __init__(
        self,
        host: str,
        port: int,
        archive: Archive,
        options: ServeOptions,
        account: Account,
        tls: ssl.SSLContext | None,
        *,
        most_clients: int,
        tell: Callable[[str], object],
    ):
        self._archive = archive
        self._options = options
        self._account = account
        self._tls = tls
        self._most_clients = most_clients
        self._guard = threading.Lock()
        self._say = tell
        self._clients: set[int] = set()
        self._replicas = Replicas()
        self._number = 0
        self._is_exhausted = False
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BinlogError(f"cannot listen at {host}, port {port}: {reason}") from None
        self.port: int = self._listener.getsockname()[1]

    def serve(self) -> None:
        """Take clients until an interrupt."""
        poll = select.poll()
        poll.register(self._listener.fileno(), select.POLLIN)
        with self._listener:
            while True:
                poll.poll()
                try:
                    connection, address = self._listener.accept()
                except OSError as error:
                    if error.errno in EXHAUSTED:
                        self._pause(error)
                    continue  # otherwise the client is gone already
                self._is_exhausted = False
                with suppress(OSError):
                    self._take(connection, address)

    def _pause(self, error: OSError) -> None:
        """Wait until a client may have gone: the system has no file or memory for another one."""
        if not self._is_exhausted:
            self._is_exhausted = True
            self._tell(f"no more clients can connect now: {error.strerror}")
        sleep(PAUSE)

    def _take(self, connection: socket.socket, address: tuple[str, int]) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE)
        self._number += 1
        number = self._number
        with self._guard:
            is_full = len(self._clients) >= self._most_clients
            if not is_full:
                self._clients.add(number)
        if is_full:
            self._refuse(connection, f"client {number} ({address[0]})", f"{self._most_clients} clients are served")
            return
        try:
            threading.Thread(target=self._serve, args=(number, connection, address), daemon=True).start()
        except RuntimeError:
            with self._guard:
                self._clients.discard(number)
            self._refuse(connection, f"client {number} ({address[0]})", "the system has no thread for it")

    def _refuse(self, connection: socket.socket, client: str, reason: str) -> None:
        self._tell(f"{client} was refused: {reason}")
        channel = ClientChannel(connection)
        with suppress(ClientGone):
            channel.error(TOO_MANY_CONNECTIONS, "Too many connections", "08004")
        channel.close()

    def _serve(self, number: int, connection: socket.socket, address: tuple[str, int]) -> None:
        where = f"{address[0]}:{address[1]}"
        try:
            channel = ClientChannel(connection)
            client = Client(channel, where, number, self._archive, self._options, self._tell, self._replicas)
            client.run(self._account, self._tls)
        finally:
            with self._guard:
                self._clients.discard(number)

    def _tell(self, sentence: str) -> None:
        with self._guard:
            self._say(sentence)
