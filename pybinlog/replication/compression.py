"""CompressedSocket: a socket whose two sides have agreed to compress packets (MySQL Internals manual, "Compression").

A compressed packet has 3 bytes of length, a number, and 3 bytes of what its content inflates to: 0 if it is sent as
it is. Its content is a piece of the stream of ordinary packets, which may begin and end anywhere in it.
"""

import io
import zlib
from collections.abc import Callable
from typing import Any

import zstandard

HEADER = 7
RECEIVED = 1 << 16
"""Bytes of the first read; more once a packet has shown that it has them."""
LARGEST = 0xFFFFFF
LEAST = 50
"""Bytes that are worth being compressed, as servers have it."""


class CompressionError(ConnectionError):
    """A compressed packet that is missing, came twice or does not inflate to what it says."""


class CompressedSocket:
    """Gives and takes ordinary packets over a socket; what PyMySQL, Connection and ClientChannel use of one.

    Nothing is believed: packets must be numbered without a gap, and each must inflate to exactly the size that it
    says, which is never exceeded on the way. A server's side has a `deflate`. What a client sends goes uncompressed,
    which both sides may always do: it is little, and a password is not among it any more.
    """

    def __init__(
        self,
        socket: Any,
        inflate: Callable[[memoryview, int], bytes],
        deflate: Callable[[bytes | memoryview], bytes] | None = None,
    ):
        self._socket = socket
        self._inflate = inflate
        self._deflate = deflate
        self._received = bytearray(RECEIVED)
        self._begin = self._end = 0
        """The offset in `_received` of the bytes to examine next."""
        self._plain = memoryview(b"")
        self._number = 0
        self.answers = False
        """These bytes are not a command but the answer of a semi-synchronous replica.

        The server continues its numbers, and begins again with 0 after each event that requests an answer.
        """

    def sendall(self, data: bytes | memoryview) -> None:
        """Send ordinary packets; of a client, one. After a command, both sides number their packets anew."""
        if self._deflate is not None:
            for begin in range(0, len(data), LARGEST):
                self._send_compressed(data[begin : begin + LARGEST], self._deflate)
            return
        if not self.answers:
            self._number = 1
        self._socket.sendall(len(data).to_bytes(3, "little") + b"\0\0\0\0" + data)

    def begin_command(self) -> None:
        """Expect the first packet of a command, as the side of a server."""
        self._number = 0

    def _send_compressed(self, data: bytes | memoryview, deflate: Callable[[bytes | memoryview], bytes]) -> None:
        content, size = data, 0
        if len(data) >= LEAST and len(shorter := deflate(data)) < len(data):
            content, size = shorter, len(data)
        header = len(content).to_bytes(3, "little") + bytes([self._number]) + size.to_bytes(3, "little")
        self._number = (self._number + 1) & 0xFF
        self._socket.sendall(header + content)

    def recv_into(self, view: memoryview) -> int:
        """Return the bytes of ordinary packets, as many as there are; 0 if the other side has closed the connection.

        CompressionError as often as one tries if the next packet is wrong, else what the socket raises.
        """
        count = 0
        while count < len(view):
            if not self._plain:
                try:
                    packet = self._packet()
                except CompressionError:
                    if count:
                        break
                    raise
                if packet is None:
                    if count or not self._receive():
                        break
                    continue
                self._plain = memoryview(packet)
            taken = min(len(self._plain), len(view) - count)
            view[count : count + taken] = self._plain[:taken]
            self._plain = self._plain[taken:]
            count += taken
        return count

    def _packet(self) -> bytes | None:
        """Return the content of the next packet; None if it is not all there."""
        begin = self._begin
        if self._end - begin < HEADER:
            return None
        header = self._received[begin : begin + HEADER]
        length, number, size = int.from_bytes(header[:3], "little"), header[3], int.from_bytes(header[4:], "little")
        if number != self._number and not (self.answers and number == 0):
            raise CompressionError(f"compressed packets are missing or came twice: number {number} is out of order")
        if not length:
            raise CompressionError("a compressed packet is empty")
        end = begin + HEADER + length
        if self._end < end:
            return None
        with memoryview(self._received) as received, received[begin + HEADER : end] as content:
            packet = self._inflate(content, size) if size else bytes(content)
        self._begin = end
        self._number = (number + 1) & 0xFF
        return packet

    def _receive(self) -> int:
        received = self._received
        if self._begin:
            received[: self._end - self._begin] = received[self._begin : self._end]
            self._begin, self._end = 0, self._end - self._begin
        if self._end == len(received):
            received.extend(bytes(min(len(received), HEADER + LARGEST - len(received))))
        with memoryview(received) as view:
            count: int = self._socket.recv_into(view[self._end :])
        self._end += count
        return count

    def pending(self) -> int:
        """Return how many bytes are there that a poll of the socket does not see, or a number that stands for them."""
        if self._plain:
            return len(self._plain)
        if self._end - self._begin >= HEADER:
            length = int.from_bytes(self._received[self._begin : self._begin + 3], "little")
            if self._end - self._begin >= HEADER + length:
                return length or 1
        count: int = self._socket.pending() if hasattr(self._socket, "pending") else 0  # of TLS
        return count

    def __getattr__(self, name: str) -> Any:
        """Return what the socket has: its timeout, its descriptor, its end."""
        return getattr(self._socket, name)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a file to read from, for PyMySQL."""
        assert mode == "rb"
        return io.BufferedReader(Readable(self))


class Readable(io.RawIOBase):
    """The raw stream for io.BufferedReader. Closing it leaves the socket open."""

    def __init__(self, socket: CompressedSocket):
        self._socket = socket

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with memoryview(buffer) as view:
            return self._socket.recv_into(view)


def inflate_zlib(content: memoryview, size: int) -> bytes:
    """`size` bytes out of a zlib stream. Raise CompressionError if it is not as long as that."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(content, size + 1)  # one more, for the stream's end to be met
    except zlib.error as error:
        raise CompressionError(f"a compressed packet is broken: {error}") from None
    if len(data) != size or not stream.eof or stream.unused_data:
        raise wrong_size(size)
    return data


class ZstdInflater:
    """Inflates frame after frame with one decompressor."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()

    def inflate(self, content: memoryview, size: int) -> bytes:
        """`size` bytes out of a zstd frame. Raise CompressionError if it is not as long as that."""
        try:
            # else the library would make room for what the frame says, which is what its sender likes
            if zstandard.frame_content_size(content) not in (size, -1):
                raise wrong_size(size)
            data = self._decompressor.decompress(content, max_output_size=size, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise CompressionError(f"a compressed packet is broken: {error}") from None
        if len(data) != size:
            raise wrong_size(size)
        return data


def wrong_size(size: int) -> CompressionError:
    return CompressionError(f"a compressed packet does not inflate to the {size} bytes it says")
