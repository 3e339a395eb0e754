"""Logs of MariaDB with their row events in parts, as MariaDB 12.3 and later write large ones (MDEV-32570)."""

import struct
import zlib
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from pathlib import Path

from pybinlog.event_types import ROW_TYPES, EventType

Parts = Callable[[bytes], list[bytes]]


def raw_events(log: bytes) -> Iterator[bytes]:
    """Yield the bytes of each event, with its checksum."""
    at = 4
    while at < len(log):
        size = int.from_bytes(log[at + 9 : at + 13], "little")
        yield log[at : at + size]
        at += size


def part(head: bytes, number: int, total: int, data: bytes, size: int | None = None, flags: int | None = None) -> bytes:
    """Return one part with the header fields of `head`, without a checksum."""
    sized = b"" if size is None else struct.pack("<Q", size)
    body = struct.pack("<IIB", total, number, bool(sized) if flags is None else flags) + sized + data
    return head[:4] + bytes((EventType.MARIA_PARTIAL_ROWS,)) + head[5:9] + bytes(4) + head[13:17] + bytes(2) + body


def split_row_event(whole: bytes, total: int = 3) -> list[bytes]:
    """Return the parts of a row event without its checksum. The first has its header and post-header."""
    first = 27
    bounds = [0, *(first + (len(whole) - first) * number // total for number in range(1, total + 1))]
    return [
        part(whole, number, total, whole[begin:end], len(whole) if number == 1 else None)
        for number, (begin, end) in enumerate(pairwise(bounds), 1)
    ]


def rewritten(log: bytes, change: Parts, types: Collection[int] = ROW_TYPES) -> bytes:
    """Return the log with other events in place of each of these types, and with positions and checksums that fit."""
    out = bytearray(log[:4])
    checksums = True
    for event in raw_events(log):
        if event[4] == EventType.FORMAT_DESCRIPTION:
            checksums = event[-5] == 1
            out += event
            continue
        event = event[:-4] if checksums else event
        for changed in change(event) if event[4] in types else [event]:
            size = len(changed) + 4 * checksums
            end = len(out) + size if int.from_bytes(event[13:17], "little") else 0
            changed = changed[:9] + struct.pack("<II", size, end) + changed[17:]
            out += changed + (struct.pack("<I", zlib.crc32(changed)) if checksums else b"")
    return bytes(out)


def split(log: Path, total: int = 3) -> bytes:
    """Return the log with each of its row events in so many parts."""
    return rewritten(log.read_bytes(), lambda event: split_row_event(event, total))
