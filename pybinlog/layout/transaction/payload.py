"""Transaction_payload: the events of a whole transaction, compressed (8.0.20 and later)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from io import BytesIO
from typing import Any

from construct import GreedyBytes, RepeatUntil, Struct, Switch, this

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH, EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.envelope import parse_event
from pybinlog.layout.format import Format
from pybinlog.layout.integer import LengthEncodedInteger
from pybinlog.layout.primitive import Bounded, Coded, When


class PayloadField(IntEnum):
    """The typed fields of a Transaction_payload."""

    END_MARK = 0
    PAYLOAD_SIZE = 1
    COMPRESSION_TYPE = 2
    UNCOMPRESSED_SIZE = 3


class CompressionType(IntEnum):
    """How the payload is compressed."""

    ZSTD = 0
    NONE = 255


_LENENC = LengthEncodedInteger()
_FIELD = Struct(
    "type" / Coded(_LENENC, PayloadField),
    "value"
    / When(
        this.type != PayloadField.END_MARK,
        Bounded(
            _LENENC,
            Switch(
                this.type,
                {
                    PayloadField.PAYLOAD_SIZE: _LENENC,
                    PayloadField.COMPRESSION_TYPE: Coded(_LENENC, CompressionType),
                    PayloadField.UNCOMPRESSED_SIZE: _LENENC,
                },
                default=GreedyBytes,
            ),
        ),
    ),
)

TRANSACTION_PAYLOAD = declare(
    EventType.TRANSACTION_PAYLOAD,
    "fields" / RepeatUntil(lambda field, _items, _context: field["type"] == PayloadField.END_MARK, _FIELD),
    "payload" / GreedyBytes,
)
"""Typed fields up to an end mark, then the events of the transaction without their checksums."""


def payload_field(body: Any, field: PayloadField) -> Any:
    """Return the value of one typed field, or None if the event does not hold it."""
    return next((item.value for item in body.fields if item.type == field), None)


def payload_event_bytes(body: Any) -> Iterator[bytes]:
    """Yield the events inside, each as bytes; inflate them as you iterate. Raise CorruptEventError."""
    size = payload_field(body, PayloadField.PAYLOAD_SIZE)
    compression = payload_field(body, PayloadField.COMPRESSION_TYPE)
    if size is None or compression is None or size > len(body.payload):
        raise CorruptEventError("Transaction_payload: its payload's size or compression is missing or wrong")
    data = body.payload[:size]
    if compression == CompressionType.NONE:
        yield from _split(BytesIO(data))
    elif compression == CompressionType.ZSTD:
        import zstandard

        try:
            with zstandard.ZstdDecompressor().stream_reader(data) as stream:
                yield from _split(stream)
        except zstandard.ZstdError as error:
            raise CorruptEventError(f"Transaction_payload: its payload cannot be inflated: {error}") from error
    else:
        raise CorruptEventError(f"Transaction_payload: unknown compression type {int(compression)}")


def _read(stream: Any, size: int) -> bytes:
    """Exactly `size` bytes, or those up to the end. Takes no more memory than the stream has bytes."""
    parts = []
    while size and (part := stream.read(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _split(stream: Any) -> Iterator[bytes]:
    while header := _read(stream, COMMON_HEADER_LENGTH):
        size = int.from_bytes(header[9:13], "little")
        if size < COMMON_HEADER_LENGTH or len(header) < COMMON_HEADER_LENGTH:
            raise CorruptEventError(f"Transaction_payload: an event of {size} bytes inside")
        body = _read(stream, size - COMMON_HEADER_LENGTH)
        if len(body) < size - COMMON_HEADER_LENGTH:
            raise CorruptEventError("Transaction_payload: an event inside goes past the payload's end")
        yield header + body


def payload_events(body: Any, format: Format) -> Iterator[Any]:
    """Yield the events inside, parsed. Raise CorruptEventError."""
    inner = format.without_checksum()
    for data in payload_event_bytes(body):
        yield parse_event(data, inner)
