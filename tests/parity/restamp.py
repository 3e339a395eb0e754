"""A real log at another time: only the events' timestamps, and their checksums, change."""

import struct
import zlib
from collections.abc import Callable

from pybinlog.event_types import EventType

IN_USE = 0x01


def restamped(log: bytes, timestamp: Callable[[int], int]) -> bytes:
    """The log with `timestamp(n)` in its n-th event, events without a timestamp aside."""
    result = bytearray(log[:4])
    position, number, checksums = 4, 0, False
    while position < len(log):
        (size,) = struct.unpack_from("<I", log, position + 9)
        event = bytearray(log[position : position + size])
        if event[4] == EventType.FORMAT_DESCRIPTION:
            checksums = event[-5] == 1
        if event[:4] != b"\0\0\0\0":
            struct.pack_into("<I", event, 0, timestamp(number))
        if checksums:
            counted = bytearray(event[:-4])
            if event[4] == EventType.FORMAT_DESCRIPTION:
                counted[17] &= ~IN_USE
            struct.pack_into("<I", event, size - 4, zlib.crc32(counted))
        result += event
        position += size
        number += 1
    return bytes(result)


def spread_around(log: bytes, instant: int, seconds: int = 3 * 3600) -> bytes:
    """The log with its events at equal distances from `seconds` before an instant to as long after it."""
    count = len(event_times(log))
    return restamped(log, lambda n: instant - seconds + 2 * seconds * n // (count - 1))


def event_times(log: bytes) -> list[int]:
    """The timestamp of each event."""
    times, position = [], 4
    while position < len(log):
        time, _, _, size = struct.unpack_from("<IBII", log, position)
        times.append(time)
        position += size
    return times
