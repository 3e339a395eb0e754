"""ClientChannel: a client's connection, seen from the server: packets in, packets out (MySQL manual, "Packets").

The packets of a client are bounded in size and time.
"""

import select
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from pybinlog.replication.compression import CompressedSocket

PACKET_HEADER = 4
LARGEST_PACKET = 0xFFFFFF
PIECE = 1 << 16
"""Bytes received at once: a length that lies costs no memory."""
WRITE_TIMEOUT = 60
"""Seconds in which a client has to accept what is sent at once; net_write_timeout of servers."""
CLOSED = "it closed the connection"
AUTOCOMMIT = 2
"""The status that servers report with their answers."""


class ClientGone(Exception):
    """The client has closed the connection, is too slow, or breaks the protocol. The text says which."""


class ClientClosed(ClientGone):
    """The client has closed the connection between two commands, as many do without a word."""


class ClientChannel:
    """Packets over a socket, which it closes. Every method raises ClientGone if the connection is of no more use."""

    def __init__(self, connection: socket.socket):
        self._socket: Any = connection
        self._compressed: CompressedSocket | None = None
        self.sequence = 0
        """The number of the next packet, in either direction."""
        self.sent = 0
        """Bytes."""

    def compress(self, socket: Callable[[Any], CompressedSocket]) -> None:
        """Let everything from here on be compressed, by this form of the socket."""
        self._socket = self._compressed = socket(self._socket)

    @property
    def is_encrypted(self) -> bool:
        return isinstance(self._socket, ssl.SSLSocket)

    # ---- in

    def read(self, most: int, seconds: float, *, first: bool = False) -> bytes:
        """Return the content of the next packet, or of several that continue each other, of `most` bytes at most.

        The first packet of a command has the number 0.
        """
        if first:
            self.sequence = 0
            if self._compressed is not None:
                self._compressed.begin_command()
        deadline = monotonic() + seconds
        content = bytearray()
        while True:
            header = self._receive(PACKET_HEADER, deadline, begins=first and not content)
            length = int.from_bytes(header[:3], "little")
            if header[3] != self.sequence:
                raise ClientGone(f"packet {header[3]} came in place of packet {self.sequence}")
            self.sequence = (self.sequence + 1) & 0xFF
            if len(content) + length > most:
                raise ClientGone(f"a packet has more than {most} bytes")
            content += self._receive(length, deadline)
            if length < LARGEST_PACKET:
                return bytes(content)

    def _receive(self, size: int, deadline: float, *, begins: bool = False) -> bytearray:
        data = bytearray()
        while len(data) < size:
            seconds = deadline - monotonic()
            if seconds <= 0:
                raise ClientGone("it does not answer in time")
            piece = bytearray(min(size - len(data), PIECE))
            try:
                self._socket.settimeout(seconds)
                del piece[self._socket.recv_into(memoryview(piece)) :]
            except TimeoutError:
                raise ClientGone("it does not answer in time") from None
            except (OSError, ValueError) as error:
                raise lost(error) from None
            if not piece:
                raise ClientClosed(CLOSED) if begins and not data else ClientGone(CLOSED)
            data += piece
        return data

    def is_gone(self, seconds: float) -> bool:
        """Wait so long for a byte or the end of the connection; return True if one came.

        A client says nothing while it receives a log.
        """
        try:
            if (self.is_encrypted or self._compressed is not None) and self._socket.pending():
                return True
            poll = select.poll()
            poll.register(self._socket.fileno(), select.POLLIN)
            return bool(poll.poll(seconds * 1000))
        except (OSError, ValueError):
            return True

    # ---- out

    def write(self, content: bytes) -> None:
        """Send one packet, or as many as its content takes."""
        framed = bytearray()
        at = 0
        while True:
            part = content[at : at + LARGEST_PACKET]
            framed += len(part).to_bytes(3, "little") + bytes([self.sequence]) + part
            self.sequence = (self.sequence + 1) & 0xFF
            at += len(part)
            if len(part) < LARGEST_PACKET:
                break
        self.write_framed(framed)

    def write_framed(self, packets: bytearray | memoryview) -> None:
        """Send packets that have their headers; `sequence` is the caller's work."""
        try:
            self._socket.settimeout(WRITE_TIMEOUT)
            self._socket.sendall(packets)
        except TimeoutError:
            raise ClientGone(f"it accepted nothing for {WRITE_TIMEOUT} seconds") from None
        except (OSError, ValueError) as error:
            raise lost(error) from None
        self.sent += len(packets)

    def ok(self) -> None:
        self.write(b"\0\0\0" + AUTOCOMMIT.to_bytes(2, "little") + b"\0\0")

    def eof(self) -> None:
        self.write(b"\xfe\0\0" + AUTOCOMMIT.to_bytes(2, "little"))

    def error(self, number: int, text: str, state: str = "HY000") -> None:
        self.write(b"\xff" + number.to_bytes(2, "little") + f"#{state}{text}".encode("utf-8", "replace"))

    def start_tls(self, context: ssl.SSLContext, seconds: float) -> None:
        """Let everything from here on be encrypted."""
        try:
            self._socket.settimeout(seconds)
            self._socket = context.wrap_socket(self._socket, server_side=True)
        except TimeoutError:
            raise ClientGone("it does not answer in time") from None
        except (OSError, ValueError) as error:
            raise lost(error) from None

    def end(self) -> None:
        """End the connection from another thread: the one that uses it finds it closed."""
        with suppress(OSError, ValueError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection; what was sent still arrives. Twice is allowed."""
        self.end()
        self._socket.close()


def lost(error: Exception) -> ClientGone:
    """Return the reason in one line, without what a library adds about itself."""
    said = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
    return ClientGone(f"the connection was lost: {str(said).lower().replace('_', ' ')}")


class Fields:
    """Fields of a packet, one after the other. Raise ClientGone beyond its end."""

    def __init__(self, data: bytes):
        self._data = data
        self.at = 0

    def octets(self, size: int) -> bytes:
        piece = self._data[self.at : self.at + size]
        if len(piece) < size:
            raise ClientGone("it sent a packet that is too short")
        self.at += size
        return piece

    def number(self, size: int) -> int:
        return int.from_bytes(self.octets(size), "little")

    def text(self) -> bytes:
        """Read up to the next zero byte, or to the end."""
        end = self._data.find(b"\0", self.at)
        end = len(self._data) if end < 0 else end
        piece = self._data[self.at : end]
        self.at = end + 1
        return piece

    def rest(self) -> bytes:
        return self._data[self.at :]


# ---- result sets

VAR_STRING = 0xFD
UTF8MB4 = 45
LONGEST_VALUE = 1 << 16


def length_encoded(data: bytes) -> bytes:
    size = len(data)
    if size < 251:
        return bytes([size]) + data
    if size < 1 << 16:
        return b"\xfc" + size.to_bytes(2, "little") + data
    return b"\xfd" + size.to_bytes(3, "little") + data


def column_definition(name: str) -> bytes:
    """Return the packet that describes a column of text (MySQL manual, "Column Definition")."""
    texts = [b"def", b"", b"", b"", name.encode(), b""]
    return (
        b"".join(map(length_encoded, texts))
        + b"\x0c"
        + UTF8MB4.to_bytes(2, "little")
        + LONGEST_VALUE.to_bytes(4, "little")
        + bytes([VAR_STRING, 0, 0, 0, 0, 0])
    )


def write_result(channel: ClientChannel, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Send a result set of texts; None is NULL."""
    channel.write(bytes([len(names)]))
    for name in names:
        channel.write(column_definition(name))
    channel.eof()
    for row in rows:
        channel.write(
            b"".join(
                b"\xfb" if value is None else length_encoded(str(value).encode("utf-8", "surrogateescape"))
                for value in row
            )
        )
    channel.eof()
