"""Row events for the kernel's tests: those of real logs, walked with struct alone, and small ones made by hand."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import zstandard

from tests.check.payloads import lenenc, read_lenenc

TABLE_MAP = 19
PAYLOAD = 40
ROWS = {*range(20, 26), *range(30, 33), 39}
MARIA_COMPRESSED_ROWS = range(166, 172)


def events(log: Path) -> Iterator[bytes]:
    """Every event of a log without its checksum, also those inside transaction payloads."""
    data = log.read_bytes()
    at = 4
    checksum = 0
    while at + 19 <= len(data):
        size = struct.unpack_from("<I", data, at + 9)[0]
        if size < 19 or at + size > len(data):
            return
        event = data[at : at + size]
        if event[4] == 15:
            version = event[21:71].rstrip(b"\0")
            numbers = [int(part) for part in version.split(b"-")[0].split(b".")]
            checksum = 4 if numbers >= ([5, 3] if b"MariaDB" in version else [5, 6, 1]) and event[-5] == 1 else 0
        event = event[: size - checksum]
        yield event
        if event[4] == PAYLOAD:
            yield from inside(event)
        at += size


def inside(payload: bytes) -> Iterator[bytes]:
    """The events of a Transaction_payload event."""
    at = 19
    algorithm = 255
    while True:
        kind, at = read_lenenc(payload, at)
        if kind == 0:
            break
        size, at = read_lenenc(payload, at)
        if kind == 2:
            algorithm = read_lenenc(payload, at)[0]
        at += size
    body = payload[at:]
    if algorithm == 0:
        body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
    at = 0
    while at < len(body):
        size = struct.unpack_from("<I", body, at + 9)[0]
        yield body[at : at + size]
        at += size


def inflated(event: bytes) -> bytes:
    """MariaDB's compressed row event (version 1) as the plain one that it stands for."""
    kind = event[4] - 166
    columns, at = read_lenenc(event, 27)
    at += (columns + 7) // 8 * (2 if kind == 1 else 1)
    width = event[at] & 7
    return event[:4] + bytes([23 + kind]) + event[5:at] + zlib.decompress(event[at + 1 + width :])


def row_events(log: Path) -> list[bytes]:
    """The Table_map and row events of a log in order, MariaDB's compressed ones inflated."""
    chosen = []
    for event in events(log):
        if event[4] == TABLE_MAP or event[4] in ROWS:
            chosen.append(event)
        elif event[4] in MARIA_COMPRESSED_ROWS:
            chosen.append(inflated(event))
    return chosen


def event_of(kind: int, body: bytes) -> bytes:
    return struct.pack("<IBIIIH", 1700000000, kind, 1, 19 + len(body), 0, 0) + body


def field(kind: int, value: bytes) -> bytes:
    """One field of the optional metadata."""
    return bytes([kind]) + lenenc(len(value)) + value


def table_map(
    types: list[int],
    metadata: bytes = b"",
    *,
    table_id: int = 1,
    database: bytes = b"d",
    table: bytes = b"t",
    nulls: bytes | None = None,
    optional: bytes = b"",
    flags: int = 1,
) -> bytes:
    count = len(types)
    return event_of(
        TABLE_MAP,
        table_id.to_bytes(6, "little")
        + flags.to_bytes(2, "little")
        + bytes([len(database)])
        + database
        + b"\0"
        + bytes([len(table)])
        + table
        + b"\0"
        + lenenc(count)
        + bytes(types)
        + lenenc(len(metadata))
        + metadata
        + (b"\xff" * ((count + 7) // 8) if nulls is None else nulls)
        + optional,
    )


def rows(
    columns: int,
    images: bytes,
    kind: int = 30,
    *,
    table_id: int = 1,
    present: bytes | None = None,
    after: bytes | None = None,
    extra: bytes = b"",
) -> bytes:
    present = b"\xff" * ((columns + 7) // 8) if present is None else present
    return event_of(
        kind,
        table_id.to_bytes(6, "little")
        + b"\1\0"
        + ((2 + len(extra)).to_bytes(2, "little") + extra if kind >= 30 else b"")
        + lenenc(columns)
        + present
        + ((after or present) if kind in (24, 31, 39) else b"")
        + images,
    )
