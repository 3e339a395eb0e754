"""Compressed events, read and written by Python alone: the tests' oracle of those that the program inflates."""

import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import zstandard
from construct import Container

from pybinlog.errors import CorruptEventError
from pybinlog.event_types import COMMON_HEADER_LENGTH
from pybinlog.layout import Format, parse_event
from pybinlog.layout.gtid import CompressionType, PayloadField

ALGORITHM_ZLIB = 0


def uncompress(compressed: Any) -> bytes:
    """Return the bytes that a parsed `COMPRESSED` stands for. Raise CorruptEventError if they cannot be inflated."""
    if compressed.header.algorithm != ALGORITHM_ZLIB:
        raise CorruptEventError(f"unknown compression algorithm {compressed.header.algorithm}")
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(compressed.data, compressed.uncompressed_length + 1)
    except zlib.error as error:
        raise CorruptEventError(f"compressed data cannot be inflated: {error}") from error
    if len(data) != compressed.uncompressed_length or not inflate.eof:
        raise CorruptEventError(f"compressed data do not inflate to their {compressed.uncompressed_length} bytes")
    return data


def compress(data: bytes) -> Container:
    """Return a `COMPRESSED` to be built, for bytes as they were."""
    length_bytes = max(1, (len(data).bit_length() + 7) // 8)
    return Container(
        header=Container(compressed=True, algorithm=ALGORITHM_ZLIB, reserved=0, length_bytes=length_bytes),
        uncompressed_length=len(data),
        data=zlib.compress(data),
    )


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
