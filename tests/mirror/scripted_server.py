"""A server of real logs that does what a test says, over a real connection: logs of several kinds, and its faults."""

from __future__ import annotations

import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from zlib import compress, crc32

import zstandard

from pybinlog.kernel.base.event import ARTIFICIAL, MAGIC_LENGTH, ROTATE
from pybinlog.replication.options import Compression

OK = b"\0\0\0\2\0\0\0"
END = b"\xfe\0\0\2\0"
LARGEST = 0xFFFFFF
QUERY, DUMP = 0x03, 0x12
STAYS_NOT = 1
SPEAKS_TLS = 0x00000800
REQUEST_FOR_TLS = 36
"""Bytes of the packet by which a client begins TLS."""
CAPABILITIES = {Compression.UNCOMPRESSED: 0, Compression.ZLIB: 1 << 5, Compression.ZSTD: 1 << 26}
UUID = "11111111-2222-3333-4444-555555555555"


@dataclass
class ScriptedServer:
    """`logs` are the bytes of its logs by their names; a test changes them. A context manager, at `port`.

    `budgets` are bytes of events: one is taken for each dump that stays or does not, but for those of a replica
    without a uuid; when it is used up, the connection ends in the middle, so. `denies` refuses all logins.
    """

    logs: dict[str, bytes]
    uuid: str = UUID
    version: str = "9.7.4"
    compresses: Compression = Compression.UNCOMPRESSED
    """It compresses what it sends after a login of a client that takes it, and says before that it does."""
    budgets: list[int] = field(default_factory=list)
    denies: bool = False
    semi_sync: bool = False
    """The last event of each log asks for an answer, and the server waits for it."""
    encrypts: bool = False
    """Its logs are encrypted on its disk, and it lists their sizes with the header of that."""
    on_answer: Callable[[int, str], object] | None = None
    """Called with each answer's position and log, in the server's thread."""
    shuts_down: bool = False
    """A dump that would wait is ended with EOF, as in a clean shutdown."""
    on_query: Callable[[Session, str], bool] | None = None
    """Answers a query in the server's place, where it returns True."""
    on_dump: Callable[[Session], object] | None = None
    """Sends what comes instead of the events of a log, and the connection ends."""
    on_accept: Callable[[Session], object] | None = None
    """Sends what comes instead of the handshake, and the connection ends."""
    on_login: Callable[[Session], object] | None = None
    """Sends what comes instead of the answer to the login, and the connection ends if it does not return True."""
    tls: ssl.SSLContext | None = None
    """Logins come over TLS."""
    path: str | None = None
    """The Unix socket that takes the place of a port."""

    def __post_init__(self) -> None:
        self.answers: list[tuple[int, str]] = []
        self.dumps: list[tuple[str, int]] = []
        """The logs and positions that a replica with a uuid has requested."""
        self.variables: dict[str, str] = {}
        self.logins: list[bytes] = []
        self.commands: list[bytes] = []
        """All that clients have sent after their logins."""
        self.received: list[bytes] = []
        """All that they have sent."""
        if self.path is None:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.port: int = self._listener.getsockname()[1]
        else:
            self._listener = socket.create_server(self.path, family=socket.AF_UNIX)
        self.sockets: list[socket.socket] = []

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """End all connections."""
        for one in self.sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.sockets.clear()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.path is None:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, EOFError), client:
            Session(self, client).run()


class Session:
    """One connection."""

    def __init__(self, server: ScriptedServer, client: socket.socket):
        self._server = server
        self._client = client
        self._in = client.makefile("rb")
        self._sequence = 0
        self._variables: dict[str, str] = {}
        self._compressed: int | None = None
        """The number of the next compressed packet; None before packets are compressed."""

    def run(self) -> None:
        nonce = b"12345678abcdefghijkl"
        compresses = CAPABILITIES[self._server.compresses]
        capabilities = 0x00000001 | 0x00000200 | 0x00008000 | 0x00080000 | compresses
        if self._server.tls is not None:
            capabilities |= SPEAKS_TLS
        if self._server.on_accept is not None:
            self._server.on_accept(self)
            return
        self.send(
            b"\x0a" + self._server.version.encode() + b"\0"
            + struct.pack("<I", 1) + nonce[:8] + b"\0" + struct.pack("<H", capabilities & 0xFFFF)
            + b"\xff\2\0" + struct.pack("<H", capabilities >> 16) + bytes([21]) + bytes(10) + nonce[8:] + b"\0"
            + b"mysql_native_password\0"
        )  # fmt: skip
        if self._server.tls is not None:
            self._client.recv(REQUEST_FOR_TLS, socket.MSG_WAITALL)
            self._client = self._server.tls.wrap_socket(self._client, server_side=True)
            self._server.sockets.append(self._client)
            self._in = self._client.makefile("rb")
        login = self.receive()
        self._server.logins.append(login)
        if self._server.on_login is not None:
            if self._server.on_login(self) is not True:
                return
        elif self._server.denies:
            self.send(b"\xff" + struct.pack("<H", 1045) + b"#28000Access denied for user 'u'@'localhost'")
            return
        else:
            self.send(OK)
        if compresses & int.from_bytes(login[:4], "little"):
            self._compressed = 1
        while packet := self.receive():
            self._server.commands.append(packet)
            if packet[0] == QUERY:
                self._query(packet[1:].decode())
            elif packet[0] == DUMP:
                self._dump(packet[1:])
                return
            else:
                return

    def _query(self, statement: str) -> None:
        if self._server.on_query is not None and self._server.on_query(self, statement):
            return
        if statement.startswith("SET "):
            self._variables.update(re.findall(r"@(\w+) = '?([^',]*)'?", statement))
            self.send(OK)
        elif statement == "SHOW BINARY LOGS":
            header, said = (512, "Yes") if self._server.encrypts else (0, "No")
            listed = [[name, str(header + len(log)), said] for name, log in self._server.logs.items()]
            self.rows(["Log_name", "File_size", "Encrypted"], listed)
        elif statement == "SELECT @@server_uuid":
            self.rows(["@@server_uuid"], [[self._server.uuid]])
        else:
            raise AssertionError(statement)

    def rows(self, names: list[str], rows: Sequence[Sequence[str | bytes | None]]) -> None:
        self.send(bytes([len(names)]))
        for name in names:
            column = b"".join(map(text, ["def", "", "", "", name, ""]))
            self.send(column + b"\x0c\xff\0" + struct.pack("<I", 255) + b"\xfd\0\0\0\0\0")
        self.send(END)
        for row in rows:
            self.send(b"".join(map(text, row)))
        self.send(END)

    # ---- the dump

    def _dump(self, request: bytes) -> None:
        if self._server.on_dump is not None:
            self._server.on_dump(self)
            return
        position, flags, _ = struct.unpack_from("<IHI", request)
        name = request[10:].decode()
        server = self._server
        budget = None
        if "replica_uuid" in self._variables:
            server.dumps.append((name, position))
            server.variables = self._variables
            budget = server.budgets.pop(0) if server.budgets else None
        log = server.logs.get(name)
        if log is None:
            self.send(b"\xff" + struct.pack("<H", 1236) + b"#HY000Could not find first log file name")
            return
        semi_sync = server.semi_sync and "rpl_semi_sync_replica" in self._variables
        for event in self._events(log, name, position, stays=not flags & STAYS_NOT):
            if budget is not None:
                budget -= len(event)
                if budget < 0:
                    self.send(b"\0" + event, most=len(event) + budget)
                    return
            asks = semi_sync and any(log.endswith(event) for log in server.logs.values())
            self.send(b"\0" + (bytes([0xEF, asks]) if semi_sync else b"") + event)
            if asks:
                self._sequence = 0
                answer = self.receive()
                assert answer[0] == 0xEF
                server.answers.append((int.from_bytes(answer[1:9], "little"), answer[9:].decode()))
                if server.on_answer is not None:
                    server.on_answer(*server.answers[-1])
                self._sequence = 1
        self.send(b"\xfe\0\0\0\0")

    def _events(self, log: bytes, name: str, position: int, *, stays: bool) -> Iterator[bytes]:
        yield rotate(name, position, checksum=False)
        size = int.from_bytes(log[13:17], "little")
        if position > MAGIC_LENGTH:
            opening = bytearray(log[MAGIC_LENGTH : MAGIC_LENGTH + size])
            opening[13:17] = opening[71:75] = bytes(4)
            opening[-4:] = struct.pack("<I", crc32(opening[:-4]))
            yield bytes(opening)
        while True:
            log = self._server.logs.get(name, log)
            while position < len(log):
                size = int.from_bytes(log[position + 9 : position + 13], "little")
                yield log[position : position + size]
                position += size
            names = list(self._server.logs)
            if name not in names:
                return
            if name != names[-1]:
                name, position = names[names.index(name) + 1], MAGIC_LENGTH
                yield rotate(name, position)
            elif not stays or self._server.shuts_down:
                return
            else:
                self._client.settimeout(0.02)
                with suppress(TimeoutError):
                    if not self._client.recv(1):
                        raise EOFError
                self._client.settimeout(None)

    # ---- packets

    def send(self, packet: bytes, most: int | None = None) -> None:
        pieces = [packet[at : at + LARGEST] for at in range(0, len(packet) + 1, LARGEST)]
        for piece in pieces:
            data = len(piece).to_bytes(3, "little") + bytes([self._sequence]) + piece
            self._client.sendall(self._packed(data[:most]))
            self._sequence = (self._sequence + 1) % 256

    def _packed(self, data: bytes) -> bytes:
        if self._compressed is None or not data:
            return data
        number, self._compressed = self._compressed, (self._compressed + 1) % 256
        zlib_ = self._server.compresses is Compression.ZLIB
        content = compress(data) if zlib_ else zstandard.compress(data)
        return len(content).to_bytes(3, "little") + bytes([number]) + len(data).to_bytes(3, "little") + content

    def raw(self, data: bytes) -> None:
        self._client.sendall(data)

    def number(self, number: int | None) -> None:
        """The number of the next packet, if it is to be another than the right one."""
        if number is not None:
            self._sequence = number

    def end(self, *, after_all: bool) -> None:
        """Say nothing more, and close only when the client does; it sees the end `after_all` that was said."""
        if after_all:
            self._client.shutdown(socket.SHUT_WR)
        self.wait()

    def wait(self) -> None:
        """Listen until the client goes, and say nothing."""
        while self._client.recv(1 << 16):
            pass

    def close(self) -> bool:
        self._client.shutdown(socket.SHUT_RDWR)
        return True

    def receive(self) -> bytes:
        if self._compressed is not None:
            header = self._in.read(7)  # of a compressed packet that has one packet as it is
            self._compressed = header[3] + 1 if len(header) == 7 else 1
        header = self._in.read(4)
        if len(header) < 4:
            raise EOFError
        self._sequence = header[3] + 1
        packet = self._in.read(int.from_bytes(header[:3], "little"))
        self._server.received.append(packet)
        return packet


def text(value: str | bytes | None) -> bytes:
    if value is None:
        return b"\xfb"
    data = value.encode() if isinstance(value, str) else value
    return bytes([len(data)]) + data if len(data) < 251 else b"\xfc" + struct.pack("<H", len(data)) + data


def rotate(name: str, position: int, *, checksum: bool = True) -> bytes:
    """The fake Rotate event that announces a log; the first one of a dump has no checksum."""
    body = struct.pack("<Q", position) + name.encode()
    event = struct.pack("<IBIIIH", 0, ROTATE, 1, 19 + len(body) + 4 * checksum, 0, ARTIFICIAL) + body
    return event + struct.pack("<I", crc32(event)) if checksum else event
