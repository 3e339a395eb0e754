"""Transaction_payload events taken apart and made anew."""

import zstandard

from pybinlog.event_types import EventType
from pybinlog.layout.envelope import Format, parse_body
from tests.check.logs import events_of

HEADER = 19


def lenenc(number: int) -> bytes:
    """A length-encoded integer."""
    if number < 251:
        return bytes((number,))
    first, width = next((first, width) for first, width in ((252, 2), (253, 3), (254, 8)) if number < 1 << 8 * width)
    return bytes((first,)) + number.to_bytes(width, "little")


def read_lenenc(body: bytes, at: int) -> tuple[int, int]:
    size = {252: 2, 253: 3, 254: 8}.get(body[at], 0)
    return (body[at], at + 1) if not size else (int.from_bytes(body[at + 1 : at + 1 + size], "little"), at + 1 + size)


def data_start(body: bytes, kind: int) -> int:
    """The offset of the compressed data in the body of MariaDB's compressed event of that type."""
    fields = parse_body(kind, body, Format.default())
    packed = fields.query if kind == EventType.MARIA_QUERY_COMPRESSED else fields.rows
    return len(body) - len(packed.data) - packed.header.length_bytes - 1


def inside(event: bytes) -> list[bytes]:
    """The events in a Transaction_payload."""
    body, at = event[HEADER:-4], 0
    while body[at]:
        length, at = read_lenenc(body, at + 1)
        at += length
    data = zstandard.ZstdDecompressor().decompressobj().decompress(body[at + 1 :])
    return events_of(b"\xfebin" + data)


def payload(event: bytes, events: list[bytes], said: int | None = None) -> bytes:
    """The Transaction_payload with other events."""
    data = b"".join(events)
    compressed = zstandard.ZstdCompressor().compress(data)
    fields = b""
    for field, value in ((2, 0), (3, len(data) if said is None else said), (1, len(compressed))):
        fields += bytes((field,)) + lenenc(len(lenenc(value))) + lenenc(value)
    return event[:HEADER] + fields + b"\0" + compressed + bytes(4)
