"""Transaction_payload: the header of a compressed transaction, and the events that it holds."""

from __future__ import annotations

import threading
import zlib
from collections import deque

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TRANSACTION_PAYLOAD
from pybinlog.kernel.scan import payload
from pybinlog.log.large_event import LargeEvent
from pybinlog.source.inflation import LARGEST_EVENT, too_much

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

SIZE, COMPRESSION_TYPE, UNCOMPRESSED_SIZE = 1, 2, 3
ZSTD, NONE = 0, 255
PIECE = 1 << 18
LARGE = 1 << 20
"""Bytes of an event inside from which on it is not copied."""

_of_thread = threading.local()  # `decompress`, for all small payloads: to make one costs more than they do


class Payload:
    """The fields of a Transaction_payload event, given its bytes after the header and before the checksum.

    Raise CorruptEventError if a length exceeds the event (MySQL source documentation, "Transaction_payload_event").
    """

    def __init__(self, body: bytes):
        self.size = 0
        self.compression_type = NONE
        self.uncompressed_size = 0
        at = 0
        while True:
            field, at = lenenc(body, at)
            if field == 0:
                break
            length, at = lenenc(body, at)
            if length > len(body) - at:
                raise CorruptEventError("a field of the Transaction_payload reaches beyond the event")
            value, _ = lenenc(body[at : at + length], 0)
            at += length
            if field == SIZE:
                self.size = value
            elif field == COMPRESSION_TYPE:
                self.compression_type = value
            elif field == UNCOMPRESSED_SIZE:
                self.uncompressed_size = value
        if self.size > len(body) - at:
            raise CorruptEventError("the payload of the Transaction_payload reaches beyond the event")
        self.data = memoryview(body)[at : at + self.size]

    @property
    def description(self) -> bytes:
        """The fields as they are printed."""
        name = {ZSTD: "ZSTD", NONE: "NONE"}.get(self.compression_type, "?")
        text = f"payload_size={self.size}\tcompression_type={name}"
        if self.compression_type != NONE:
            text += f"\tuncompressed_size={self.uncompressed_size}"
        return text.encode()

    def pieces(self) -> Iterator[bytes]:
        """Yield the uncompressed bytes of the events inside, in pieces of bounded size."""
        if self.compression_type == NONE:
            yield bytes(self.data)
            return
        if self.compression_type != ZSTD:
            raise CorruptEventError(f"the payload's compression type {self.compression_type} is not known")
        total = 0
        for piece in inflated(self.data, self.uncompressed_size):
            total += len(piece)
            if total > self.uncompressed_size:
                raise CorruptEventError(
                    f"the payload inflates to more than the {self.uncompressed_size} bytes that its header says"
                )
            yield piece

    def check_event_size(self, size: int) -> None:
        """Raise CorruptEventError if an event inside is too large: its payload is made to fill memory."""
        if too_much(size, len(self.data), LARGEST_EVENT):
            raise CorruptEventError(
                f"an event inside the payload says it has {size} bytes, far more than its {len(self.data)} compressed "
                "bytes usually hold"
            )

    def log_events(self, checksums: bool, limit: int = PIECE) -> Iterator[bytes | bytearray | mmap]:
        """Yield the events inside as they would stand in a log (with `checksums`, each followed by its CRC32).

        Some at a time, as many as have `limit` bytes or more; at least one. A large one comes alone (see LargeEvent).
        """
        rest = bytearray()  # of an event that is not whole yet
        large: LargeEvent | None = None
        wanted = 0
        for piece in self.pieces():
            waiting = piece
            if large is not None:
                waiting = piece[large.missing :]
                large.add(piece[: large.missing])
                if large.missing:
                    continue
                whole, large = large.whole(), None
                yield whole
                del whole
            elif rest:
                rest += piece
                if len(rest) < wanted:
                    continue
                waiting = bytes(rest)
            rest = bytearray()
            at = 0
            while True:
                events, at, error_code = payload.log_events(waiting, at, checksums, limit)
                if at == len(waiting):
                    waiting, at = b"", 0
                if events:
                    yield events
                if error_code == payload.PAYLOAD_BAD_SIZE:
                    size = int.from_bytes(waiting[at + 9 : at + 13], "little")
                    raise CorruptEventError(f"an event inside the payload says it has {size} bytes")
                if error_code == payload.PAYLOAD_NESTED:
                    raise nested()
                if not events:
                    break
                del events
            rest += memoryview(waiting)[at:]
            wanted = int.from_bytes(rest[9:13], "little") if len(rest) >= COMMON_HEADER_LENGTH else COMMON_HEADER_LENGTH
            self.check_event_size(wanted)
            if wanted > LARGE:
                if rest[4] == TRANSACTION_PAYLOAD:
                    raise nested()
                large = LargeEvent(bytes(rest), wanted, checksum=checksums)
                rest = bytearray()
        if rest or large is not None:
            raise CorruptEventError("the payload ends inside an event")

    def events(self) -> Iterator[bytes]:
        """Return the bytes of each event inside, from its header on; they carry no checksum."""
        return map(bytes, self.log_events(False, 1))


def last_event(body: bytes) -> bytes | None:
    """Return the last event inside a Transaction_payload, given its body; None if the payload cannot be read.

    Memory does not grow with the events inside.
    """
    try:
        pieces = deque(Payload(body).log_events(False), maxlen=1)
        events = pieces[0] if pieces else b""
        at = after = 0
        while after < len(events):
            at, after = after, after + int.from_bytes(events[after + 9 : after + 13], "little")
        return bytes(events[at:]) or None
    except (CorruptEventError, MemoryError):
        return None


def inflated(data: memoryview, size: int) -> Iterator[bytes]:
    """Yield the zstd frames uncompressed, in pieces of bounded size; `size` is what the event says they come to."""
    import zstandard

    try:
        if 0 < size <= PIECE and zstandard.frame_content_size(data) <= PIECE:
            # most transactions are small: one call, no stream
            decompress = getattr(_of_thread, "decompress", None)
            if decompress is None:
                decompress = _of_thread.decompress = zstandard.ZstdDecompressor().decompress
            whole = decompress(data, max_output_size=size)
            if len(whole) == size:
                yield whole
                return
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
            while piece := reader.read(PIECE):
                yield piece
    except zstandard.ZstdError as error:
        raise CorruptEventError(f"the payload cannot be decompressed: {error}") from error


def lenenc(data: bytes, at: int) -> tuple[int, int]:
    """Return a length-encoded integer, and the offset after it."""
    if at >= len(data):
        raise CorruptEventError("the header of the Transaction_payload reaches beyond the event")
    first = data[at]
    if first < 251:
        return first, at + 1
    size = {252: 2, 253: 3, 254: 8}.get(first)
    if size is None or size > len(data) - at - 1:
        raise CorruptEventError("the header of the Transaction_payload reaches beyond the event")
    return int.from_bytes(data[at + 1 : at + 1 + size], "little"), at + 1 + size


def nested() -> CorruptEventError:
    return CorruptEventError("the payload holds another Transaction_payload")


def with_checksum(event: bytes) -> bytes:
    """Return the event as it would stand in a log with checksums: four bytes longer, which its size field counts."""
    grown = bytearray(event)
    grown[9:13] = (len(event) + 4).to_bytes(4, "little")
    return bytes(grown + zlib.crc32(grown).to_bytes(4, "little"))
