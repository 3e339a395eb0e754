"""Transaction_payload: the header of a compressed transaction, and the events that it holds."""

import threading
import zlib
from collections import deque
from collections.abc import Iterator
from mmap import mmap

from pybinlog.errors import CorruptEventError
from pybinlog.kernel.base import fields
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import COMMON_HEADER_LENGTH, TRANSACTION_PAYLOAD
from pybinlog.kernel.scan import payload, scan
from pybinlog.kernel.scan.payload import PayloadReader
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.large_event import LargeEvent
from pybinlog.source.inflation import LARGEST_EVENT, too_much

PIECE = 1 << 18
LARGE = 1 << 20
"""Bytes of an event inside from which on it is not copied."""

_of_thread = threading.local()  # `decompress`, for all small payloads: to make one costs more than they do


class Payload:
    """The fields of a Transaction_payload event, given its bytes after the header and before the checksum.

    Raise CorruptEventError if a length exceeds the event (MySQL source documentation, "Transaction_payload_event").
    """

    def __init__(self, body: bytes):
        fields = payload.payload_fields(body)
        if fields is None:
            raise CorruptEventError("a length in the header of the Transaction_payload reaches beyond the event")
        start, size, self.compression_type, self.uncompressed_size = fields
        self.data = memoryview(body)[start : start + size]

    def pieces(self) -> Iterator[bytes]:
        """Yield the uncompressed bytes of the events inside, in pieces of bounded size."""
        if self.compression_type == fields.COMPRESSION_NONE:
            yield bytes(self.data)
            return
        if self.compression_type != fields.COMPRESSION_ZSTD:
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

    def batches(
        self, scanner: Scanner, outer: EventBatch, *, checksums: bool = True, limit: int = PIECE
    ) -> Iterator[EventBatch]:
        """Yield the events inside, of a payload in that batch; with `checksums` each has its CRC32 if the log's have.

        The scanner begins the payload. A batch is of `limit` bytes or more, or one event; drop it before you ask for
        the next, for both may be large. Raise CorruptEventError after the events before the corrupt one.
        """
        checksums = checksums and outer.checksum_algorithm == 1
        scanner.begin_payload(outer, checksums)
        for events in self.log_events(checksums, limit):
            at = 0
            while at < len(events):
                yield scanner.scan(events, at, len(events), outer.file)
                at += scanner.consumed
                if scanner.error_code not in (scan.SCAN_NEED_MORE, scan.SCAN_RESCAN):
                    raise CorruptEventError(f"an event inside the payload (type {scanner.error_type}) is corrupt")
            del events


def batches_inside(payloads: PayloadReader, batch: EventBatch, index: int) -> Iterator[EventBatch]:
    """Yield the events inside a Transaction_payload: an ordinary one by the reader, any other as `Payload.batches`."""
    ordinary = payloads.events(batch, index, True)
    if ordinary is not None:
        return iter((ordinary,))
    return Payload(batch.body(index)).batches(payloads.scanner, batch)


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


def nested() -> CorruptEventError:
    return CorruptEventError("the payload holds another Transaction_payload")


def with_checksum(event: bytes) -> bytes:
    """Return the event as it would stand in a log with checksums: four bytes longer, which its size field counts."""
    grown = bytearray(event)
    grown[9:13] = (len(event) + 4).to_bytes(4, "little")
    return bytes(grown + zlib.crc32(grown).to_bytes(4, "little"))
