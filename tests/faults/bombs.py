"""Logs with a Transaction_payload that is small and inflates to much, and with values that are large."""

import struct
from functools import cache

import zstandard

from pybinlog.event_types import EventType
from tests.check.logs import events_of, joined, log
from tests.check.payloads import HEADER, inside, lenenc

MIB = 1 << 20


@cache
def zeros(size: int, head: bytes = b"") -> bytes:
    """A zstd frame of `head` and zeros, `size` bytes in all; about one byte for 32 KiB."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    data = compressor.compress(head)
    left = size - len(head)
    while left > 0:
        data += compressor.compress(bytes(min(left, MIB)))
        left -= MIB
    return data + compressor.flush()


def event_of_zeros(size: int) -> bytes:
    """A zstd frame of one Query event of that size."""
    return zeros(size, struct.pack("<IBIIIH", 1795224000, EventType.QUERY, 1, size, 0, 0))


def bomb(frame: bytes, said: int) -> bytes:
    """A log whose payload is the frame and says that it inflates to `said` bytes."""
    events = events_of(log("mysql-9.7/compression"))
    index = next(i for i, event in enumerate(events) if event[4] == EventType.TRANSACTION_PAYLOAD)
    fields = b""
    for field, value in ((2, 0), (3, said), (1, len(frame))):
        number = lenenc(value)
        fields += bytes((field,)) + lenenc(len(number)) + number
    events[index] = events[index][:HEADER] + fields + b"\0" + frame + bytes(4)
    return joined(events)


def row(value: bytes, *, json: bool = False, compressed: bool) -> bytes:
    """A log with a transaction of one row of one LONGBLOB (or JSON) column, in a payload or not."""
    events = events_of(log("mysql-9.7/compression"))
    index = next(i for i, event in enumerate(events) if event[4] == EventType.TRANSACTION_PAYLOAD)
    inner = inside(events[index])
    table_id = struct.pack("<I", 77) + b"\0\0"
    kind = b"\xf5" if json else b"\xfc"
    table = with_header(EventType.TABLE_MAP, table_id + b"\1\0" + b"\4test\0\1t\0\1" + kind + b"\1\4\1")
    rows = table_id + b"\1\0" + b"\2\0" + b"\1\xff\0" + struct.pack("<I", len(value))
    transaction = [inner[0], table, with_header(EventType.WRITE_ROWS, rows + value), inner[-1]]
    if compressed:
        data = b"".join(transaction)
        return bomb(zstandard.ZstdCompressor(level=1).compress(data), len(data))
    events[index : index + 1] = [event + bytes(4) for event in transaction]
    return joined(events)


def with_header(kind: EventType, body: bytes) -> bytes:
    return struct.pack("<IBIIIH", 1795224000, kind, 1, HEADER + len(body), 0, 0) + body
