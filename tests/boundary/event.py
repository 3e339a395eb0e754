"""Raw events for the boundary tests: made by hand with struct, or walked out of real logs."""

import struct
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.corpus import MOST_EVENTS, Scenario, scenarios

INTACT = [scenario for scenario in scenarios() if scenario.intact]


def event(
    event_type: int, body: bytes = b"", *, flags: int = 0, timestamp: int = 1_700_000_000, marker: int = 0
) -> bytes:
    """One event without a checksum."""
    return struct.pack("<IBIIIH", timestamp, event_type, 1, 19 + len(body), 0, flags | marker << 10) + body


def query(
    text: bytes, *, event_type: int = 2, variables: bytes = b"", db: bytes = b"db", flags: int = 0, marker: int = 0
) -> bytes:
    """A Query event as every v4 server writes it; with `event_type` 165 one of MariaDB's with its text compressed."""
    if event_type == 165:
        text = b"\x82" + struct.pack(">H", len(text)) + zlib.compress(text)
    body = struct.pack("<IIBHH", 7, 0, len(db), 0, len(variables)) + variables + db + b"\0" + text
    return event(event_type, body, flags=flags, marker=marker)


def format_description(version: bytes, *, flags: int = 0, checksum: bool = False, marker: int = 0) -> bytes:
    """A Format_description with the post-header lengths that matter here; with `checksum` its own is left zero."""
    lengths = bytearray(171)
    lengths[1], lengths[3], lengths[161], lengths[164] = 13, 8, 19, 13
    body = struct.pack("<H50sIB", 4, version, 0, 19) + lengths + bytes([checksum]) + bytes(4)
    return event(15, body, flags=flags, marker=marker)


def maria_gtid(*, standalone: bool) -> bytes:
    return event(162, struct.pack("<QIB6x", 1, 0, 1 if standalone else 0))


def rotate(name: bytes, *, flags: int = 0, timestamp: int = 1_700_000_000) -> bytes:
    return event(4, struct.pack("<Q", 4) + name, flags=flags, timestamp=timestamp)


def walk(log: Path) -> Iterator[tuple[int, bytes]]:
    """(position, event) of each whole event of a log, by the header's size field alone."""
    data = log.read_bytes()
    at = 4
    while len(data) - at >= 19:
        (size,) = struct.unpack_from("<I", data, at + 9)
        if not 19 <= size <= len(data) - at:
            return
        yield at, data[at : at + size]
        at += size


def walk_some(log: Path) -> Iterator[tuple[int, bytes]]:
    """The first MOST_EVENTS of these: the transactions of large logs are all alike."""
    return islice(walk(log), MOST_EVENTS)


def scenario_events(scenario: Scenario) -> Iterator[tuple[Path, int, bytes]]:
    """All events of a scenario's logs in order."""
    for log in scenario.logs:
        for position, raw in walk(log):
            yield log, position, raw
