"""Logs taken apart and put together again: other events, in another order, with right positions and checksums."""

import struct
import zlib
from collections.abc import Iterable

from pybinlog.event_types import EventType
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import READ_SIZE, Reader
from pybinlog.source import Source

from ..corpus import scenarios

MAGIC = b"\xfebin"
IN_USE, ARTIFICIAL, RELAY_LOG = 0x01, 0x20, 0x40


def group_reader(source: Source, scanner: Scanner, size: int, start_position: int = 4) -> Reader:
    """A Reader whose batches end after an event group wherever they can, and have about `size` bytes."""
    reader = Reader(source, scanner, start_position)
    reader.read_size = max(64, min(READ_SIZE, size))
    reader.whole_groups = True
    return reader


def corpus_log(scenario: str, number: int = 0) -> bytes:
    """A log of the corpus, whole."""
    return next(s for s in scenarios() if s.name == scenario).logs[number].read_bytes()


def events_of(log: bytes) -> list[bytes]:
    """Each event's bytes, from its header to its checksum."""
    events, position = [], 4
    while position < len(log):
        (size,) = struct.unpack_from("<I", log, position + 9)
        events.append(log[position : position + size])
        position += size
    return events


def positions_of(events: Iterable[bytes]) -> list[int]:
    """Return the position of each event in the log that `joined` makes of them, and the log's end."""
    positions = [len(MAGIC)]
    for event in events:
        positions.append(positions[-1] + len(event))
    return positions


def joined(events: Iterable[bytes]) -> bytes:
    """A log of these events, which carry checksums: end_log_pos and the checksums are made new."""
    log = bytearray(MAGIC)
    for event in events:
        changed = bytearray(event)
        if event[13:17] != b"\0\0\0\0":  # an artificial event stands nowhere
            struct.pack_into("<I", changed, 13, len(log) + len(event))
        log += with_checksum(bytes(changed))
    return bytes(log)


def with_unknown_event(log: bytes) -> bytes:
    """The log with an event of no known type behind its first Xid, of the same length."""
    events = events_of(log)
    end = next(number for number, event in enumerate(events) if event[4] == EventType.XID)
    unknown = events[end][:4] + b"\xfa" + events[end][5:]
    return joined([*events[: end + 1], unknown, *events[end + 1 :]])


def with_checksum(event: bytes) -> bytes:
    """The event with the right checksum in its last four bytes."""
    counted = bytearray(event[:-4])
    if event[4] == EventType.FORMAT_DESCRIPTION:
        counted[17] &= ~IN_USE
    return bytes(event[:-4]) + struct.pack("<I", zlib.crc32(counted))


def with_flags(event: bytes, flags: int) -> bytes:
    """The event with these header flags set, too."""
    changed = bytearray(event)
    (old,) = struct.unpack_from("<H", event, 17)
    struct.pack_into("<H", changed, 17, old | flags)
    return with_checksum(bytes(changed))


def rotate(name: str, *, fake: bool = False, flags: int = 0) -> bytes:
    """A Rotate event; a fake one is what a replica is sent when it connects."""
    body = struct.pack("<Q", 4) + name.encode()
    header = struct.pack(
        "<IBIIIH",
        0 if fake else 1795224000,
        EventType.ROTATE,
        1,
        19 + len(body) + 4,
        0 if fake else 1,
        flags | (ARTIFICIAL if fake else 0),
    )
    return with_checksum(header + body + b"\0\0\0\0")
