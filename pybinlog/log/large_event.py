"""LargeEvent: one event that arrives piece by piece, in memory that does not grow with it.

MariaDB's compressed events become what they stand for without compression so.
"""

import zlib
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from typing import BinaryIO

from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.kernel.base.event import MARIA_QUERY_COMPRESSED, type_when_inflated
from pybinlog.source.inflation import LARGEST_EVENT, too_much

IN_MEMORY = 32 << 20
"""Bytes of an event from which on it lies in an unnamed file."""


class LargeEvent:
    """The event begins with `head`, its header at least, and will have `size` bytes.

    With `checksum` it grows by its CRC32, as in a log that has checksums. Raise BinlogError if the file cannot be
    written.
    """

    def __init__(self, head: bytes, size: int, *, checksum: bool):
        self.missing = size
        self._checksum = checksum
        self._sum = 0
        self._data = bytearray()
        self._file: BinaryIO | None = None
        if size > IN_MEMORY:
            from tempfile import TemporaryFile

            try:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (whole() closes it)
            except OSError as error:
                raise unwritable(error) from error
        if checksum:
            head = head[:9] + (size + 4).to_bytes(4, "little") + head[13:]
        self.add(head)

    def add(self, data: bytes) -> None:
        """Add the next bytes, at most those that are missing."""
        if not data:
            return
        self.missing -= len(data)
        if self._checksum:
            self._sum = zlib.crc32(data, self._sum)
        self._write(data)
        if not self.missing and self._checksum:
            self._write(self._sum.to_bytes(4, "little"))

    def _write(self, data: bytes) -> None:
        if self._file is None:
            self._data += data
            return
        try:
            write_all(self._file, data)
        except OSError as error:
            raise unwritable(error) from error

    def whole(self) -> bytearray | mmap:
        """Return the event's bytes."""
        if self._file is None:
            return self._data
        with self._file as file:
            return mapped(file)


def write_all(file: BinaryIO, data: bytes | memoryview) -> None:
    """Write to an unbuffered file, which may take a part at a time."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def mapped(file: BinaryIO) -> mmap:
    """Return a file's bytes. Raise MemoryError if the process may have no more of them."""
    try:
        return mmap(file.fileno(), 0, access=ACCESS_READ)
    except OSError as error:
        raise MemoryError(str(error)) from error


def unwritable(error: OSError, what: str = "a large event", file: str | None = None) -> BinlogError:
    return BinlogError(
        f"the temporary file for {what} cannot be written: {error.strerror or error}",
        file=file,
        hint="Set the environment variable TMPDIR to a folder with more room",
    )


def give_back(event: object) -> None:
    """Let the system have the memory of what was read of an event that lies in a file; it can be read again."""
    if isinstance(event, mmap) and hasattr(event, "madvise"):
        from mmap import MADV_DONTNEED

        event.madvise(MADV_DONTNEED)


ALGORITHM_ZLIB = 0
PIECE = 1 << 18
COMPRESSED = frozenset({MARIA_QUERY_COMPRESSED, *(kind for kind in range(256) if type_when_inflated(kind) != kind)})
"""The types of these events."""


def inflate(body: bytes, at: int) -> bytes | bytearray | mmap:
    """Return the inflated bytes from `at` on; see LargeEvent for its type.

    Raise CorruptEventError if they cannot be inflated, are not of the length that is said, or are larger than data of
    that size can honestly be.
    """
    return _after(b"", body, at, checksum=False)


def inflated_event(header: bytes, body: bytes, at: int, *, checksums: bool) -> bytes | bytearray | mmap:
    """Return the event that a compressed one stands for; with `checksums` a row event has its CRC32.

    Its compressed bytes begin at `at` in its body. Raise as `inflate` does.
    """
    kind = header[4]
    head = bytearray(header + body[:at])
    head[4] = type_when_inflated(kind)
    head[9:13] = (len(head) + inflated_length(body, at)).to_bytes(4, "little")
    return _after(bytes(head), body, at, checksum=checksums and kind != MARIA_QUERY_COMPRESSED)


def _after(head: bytes, body: bytes, at: int, *, checksum: bool) -> bytes | bytearray | mmap:
    """Return `head` and the inflated bytes."""
    event = LargeEvent(head, len(head) + inflated_length(body, at), checksum=checksum)
    for piece in inflated_pieces(body, at):
        event.add(piece)
    return event.whole()


def deflated(data: bytes) -> bytes:
    """Return what `inflate` inflates to that data."""
    size = max(1, (len(data).bit_length() + 7) // 8)
    head = bytes((0x80 | ALGORITHM_ZLIB << 4 | size,))
    return head + len(data).to_bytes(size, "big") + zlib.compress(data)


def inflated_start(body: bytes, at: int, most: int) -> bytes:
    """Return the first bytes of what `inflate` gives, `most` at most. The rest is looked at, and kept nowhere."""
    start = b""
    for piece in inflated_pieces(body, at):
        start = start or piece[:most]
    return start


def inflated_length(body: bytes, at: int) -> int:
    """Return how many bytes the compressed ones from `at` on say they stand for.

    They are a byte (algorithm in bits 4 to 6, the size of the next field in bits 0 to 2), the inflated length with the
    highest byte first, and zlib's stream.
    """
    if not 0 <= at < len(body):
        raise beyond()
    head = body[at]
    size = head & 7
    if head >> 4 & 7 != ALGORITHM_ZLIB:
        raise CorruptEventError(f"compression algorithm {head >> 4 & 7} of the event is not known")
    if not 1 <= size <= 4 or size > len(body) - at - 1:
        raise beyond()
    at += 1
    length = int.from_bytes(body[at : at + size], "big")
    stored = len(body) - at - size
    if too_much(length, stored, LARGEST_EVENT):
        raise CorruptEventError(
            f"the event says that it holds {length} bytes, far more than its {stored} compressed ones usually hold"
        )
    return length


def inflated_pieces(body: bytes, at: int) -> Iterator[bytes]:
    """Yield the inflated bytes, some at a time, as many as `inflated_length` says."""
    length = left = inflated_length(body, at)
    decompressor = zlib.decompressobj()
    data: bytes | memoryview = memoryview(body)[at + 1 + (body[at] & 7) :]
    try:
        while not decompressor.eof:
            piece = decompressor.decompress(data, min(PIECE, left + 1))
            data = decompressor.unconsumed_tail
            left -= len(piece)
            if left < 0 or (not piece and not decompressor.eof):
                break
            yield piece
    except zlib.error as error:
        raise CorruptEventError(f"the compressed part of the event cannot be inflated: {error}") from error
    if left or not decompressor.eof:
        raise CorruptEventError(f"the compressed part of the event does not hold the {length} bytes that it says")


def beyond() -> CorruptEventError:
    return CorruptEventError("the event is corrupt: a length in it reaches beyond its end")
