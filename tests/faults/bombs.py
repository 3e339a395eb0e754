"""Logs with a Transaction_payload that is small and inflates to much."""

from __future__ import annotations

import struct

import zstandard

from pybinlog.events import EventType
from tests.check.logs import events_of, joined, log
from tests.check.payloads import HEADER, packed

__all__ = ["bomb", "event_of_zeros", "zeros"]

MIB = 1 << 20


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
        number = long_packed(value)
        fields += bytes((field,)) + packed(len(number)) + number
    events[index] = events[index][:HEADER] + fields + b"\0" + frame + bytes(4)
    return joined(events)


def long_packed(number: int) -> bytes:
    return packed(number) if number < 1 << 24 else b"\xfe" + struct.pack("<Q", number)
