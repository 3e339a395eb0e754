"""Packed events, opened, masked and packed again: compressed transactions, compressed rows, and parts of rows.

A packed event may get another size; the log is written anew behind it (log/new_log.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, COMPRESSED_ROW_TYPES, EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.event import type_when_inflated
from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.layout.envelope import Format, build_body, parse_body
from pybinlog.layout.gtid import CompressionType, PayloadField
from pybinlog.log.large_event import deflated, inflated_event
from pybinlog.log.new_log import with_body
from pybinlog.log.payload import Payload
from pybinlog.redact.refusal import RefusedEvent


def masked_payload(
    event: bytes, batch: EventBatch, format: Format, mask_batch: Callable[[EventBatch, Format], bytearray]
) -> bytes:
    """Return a Transaction_payload whose events `mask_batch` masked, each at its size."""
    start, end = format.header_length, len(event) - format.checksum_length
    payload = Payload(event[start:end])
    fields = parse_body(EventType.TRANSACTION_PAYLOAD, event[start:end], format)
    inside = Scanner(joins_parts=False)
    pieces: list[bytes | bytearray] = []
    is_compressed = payload.compression_type == CompressionType.ZSTD
    if is_compressed:
        import zstandard

        compressor = zstandard.ZstdCompressor().compressobj(size=payload.uncompressed_size)
    size = 0
    for inner in payload.batches(inside, batch, checksums=False):
        masked = mask_batch(inner, format.without_checksum())
        size += len(masked)
        pieces.append(compressor.compress(masked) if is_compressed else masked)
        del inner, masked
    if size != payload.uncompressed_size:
        raise CorruptEventError(f"the payload holds {size} bytes and says {payload.uncompressed_size}")
    if is_compressed:
        pieces.append(compressor.flush())
    fields.payload = b"".join(pieces)
    for item in fields.fields:
        if item.type == PayloadField.PAYLOAD_SIZE:
            item.value = len(fields.payload)
        elif item.type not in (PayloadField.END_MARK, PayloadField.COMPRESSION_TYPE, PayloadField.UNCOMPRESSED_SIZE):
            raise RefusedEvent(f"its header has a field of the unknown type {int(item.type)}")
    return with_body(event, build_body(EventType.TRANSACTION_PAYLOAD, fields, format), start, format)


def masked_compressed_rows(event: bytes, batch: EventBatch, mask: RowMask, format: Format) -> bytes | None:
    """Return a compressed row event with masked rows; None if the kernel refuses them (`mask.error_code`)."""
    start, end = format.header_length, len(event) - format.checksum_length
    whole = masked_rows(event[:end], batch, mask, format)
    return None if whole is None else with_body(event, whole[start:], start, format)


def masked_rows(event: bytes, batch: EventBatch, mask: RowMask, format: Format) -> bytes | None:
    """Return a row event without a checksum, compressed or not, with masked rows; None as above."""
    kind = EventType(event[4])
    if kind not in COMPRESSED_ROW_TYPES:
        return mask.rows_event(batch, event)
    if format.post_header_length(kind) != format.post_header_length(type_when_inflated(kind)):
        raise CorruptEventError("its header has another length than that of the event that it stands for")
    start = format.header_length
    body = event[start:]
    rows = parse_body(kind, body, format).rows
    at = len(body) - len(rows.data) - rows.header.length_bytes - 1
    masked = mask.rows_event(batch, bytes(inflated_event(event[:start], body, at, checksums=False)))
    if masked is None:
        return None
    head = event[:COMMON_HEADER_LENGTH] + masked[COMMON_HEADER_LENGTH : start + at]
    return head + deflated(masked[start + at :])


@dataclass
class RowParts:
    """The Partial_rows of one row event, kept until all are there."""

    events: list[tuple[bytes, int]] = field(default_factory=list)
    """Each whole, and the place in the old log where it ended."""
    total: int = 0
    """The number of parts, or 0 before the first one."""

    def add(self, event: bytes, end: int, format: Format) -> bool:
        """Keep a part; return True if it is the last one. Raise CorruptEventError if it does not follow."""
        part = self._fields(event, format)
        number, total = sorted((part.number, part.total))
        if total < 2 or part.flags != (number == 1):
            raise CorruptEventError("the numbers of a part of a row event (type 172) are impossible")
        if number != len(self.events) + 1 or total != (self.total or total):
            raise CorruptEventError("the parts of a row event are not in order")
        self.total = total
        self.events.append((event, end))
        return bool(number == total)

    def masked(self, batch: EventBatch, mask: RowMask, format: Format) -> list[tuple[bytes, int, int]] | None:
        """Return the parts with masked rows, where each ended and its old size; None if the kernel refuses the rows."""
        parts = [self._fields(event, format) for event, _ in self.events]
        whole = b"".join(part.data for part in parts)
        if len(whole) != parts[0]["size"]:
            size = parts[0]["size"]
            raise CorruptEventError(f"the parts of a row event have {len(whole)} bytes, but the first says {size}")
        masked = masked_rows(whole, batch, mask, format)
        if masked is None:
            return None
        sizes = [len(part.data) for part in parts]
        if len(masked) != len(whole):
            change = len(masked) - len(whole)
            masked = masked[:9] + (int.from_bytes(masked[9:13], "little") + change).to_bytes(4, "little") + masked[13:]
            parts[0]["size"] += change
            each = -(-len(masked) // len(parts))
            sizes = [min(each, len(masked) - each * index) for index in range(len(parts))]
        found, at = [], 0
        for (event, end), part, size in zip(self.events, parts, sizes, strict=True):
            part.data = masked[at : at + size]
            at += size
            body = build_body(EventType.MARIA_PARTIAL_ROWS, part, format)
            found.append((with_body(event, body, format.header_length, format), end, len(event)))
        self.events, self.total = [], 0
        return found

    @staticmethod
    def _fields(event: bytes, format: Format):  # type: ignore[no-untyped-def]
        body = event[format.header_length : len(event) - format.checksum_length]
        return parse_body(EventType.MARIA_PARTIAL_ROWS, body, format)
