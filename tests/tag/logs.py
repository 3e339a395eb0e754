"""Logs for the tag tests: real ones by name, marked and cleared in memory, and looked at without the kernel's help."""

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from pybinlog.boundary import BoundaryStream
from pybinlog.source.file import ObjectSource
from pybinlog.tag import LogTags, Tagger
from tests.corpus import Scenario, scenarios

FORMAT_DESCRIPTION = 15
MASK = 0x1C00
IN_USE = 1


def log_of(name: str) -> Path:
    """The first log of a scenario, such as "mysql-9.7/row-basic"."""
    return next(scenario for scenario in scenarios() if scenario.name == name).logs[0]


def in_use(log: Path) -> bool:
    """Return True if the flag in the Format_description at the log's beginning is set."""
    return bool(log.read_bytes()[4 + 17] & IN_USE)


def closed_scenarios() -> list[Scenario]:
    """Those whose logs are intact and not in use."""
    return [s for s in scenarios() if s.intact and not any(in_use(log) for log in s.logs)]


def tagged(data: bytes, tagger: Tagger | None = None, name: str = "binlog.000001") -> tuple[bytes, LogTags]:
    """A log with its markers, and what the tagger says of it."""
    pieces: list[bytes] = []
    tags = (tagger or Tagger()).log(ObjectSource(name, io.BytesIO(data)), pieces.append)
    return b"".join(pieces), tags


def cleared(data: bytes) -> bytes:
    return tagged(data, Tagger(clear=True))[0]


def events(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(position, bytes) of each event."""
    at = 4
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at + 9)
        yield at, data[at : at + size]
        at += size


def marker(event: bytes) -> int:
    return (int.from_bytes(event[17:19], "little") & MASK) >> 10


def with_marker(event: bytes, value: int, *, checksum: bool) -> bytes:
    """Return the event with the marker, and with a new CRC32 (zlib's) if it has one."""
    flags = int.from_bytes(event[17:19], "little") & ~MASK | value << 10
    changed = event[:17] + flags.to_bytes(2, "little") + event[19:]
    if not checksum:
        return changed
    kept = flags & ~IN_USE if event[4] == FORMAT_DESCRIPTION else flags
    summed = changed[:17] + kept.to_bytes(2, "little") + changed[19:-4]
    return changed[:-4] + zlib.crc32(summed).to_bytes(4, "little")


def remarked(data: bytes, markers: list[int]) -> bytes:
    """The log with these markers, one for each event."""
    pieces = [data[:4]]
    has_checksum = True
    for value, (_, event) in zip(markers, events(data), strict=True):
        if event[4] == FORMAT_DESCRIPTION:
            has_checksum = checksummed(event)
        mine = has_checksum or (event[4] == FORMAT_DESCRIPTION and knows_checksums(event))
        pieces.append(with_marker(event, value, checksum=mine))
    return b"".join(pieces)


def knows_checksums(format_description: bytes) -> bool:
    """MySQL 5.6.1 and MariaDB 5.3 and later end the event with the algorithm and a checksum."""
    version = format_description[21:71].rstrip(b"\0").removeprefix(b"5.5.5-")
    number = tuple(int(part) for part in version.split(b"-")[0].split(b"."))
    return number >= ((5, 3) if b"MariaDB" in version else (5, 6, 1))


def checksummed(format_description: bytes) -> bool:
    return knows_checksums(format_description) and format_description[-5] == 1


def expected_markers(data: bytes, stream: BoundaryStream | None = None, name: str = "binlog.000001") -> list[int]:
    """By the library's own classifier, event by event."""
    stream = stream or BoundaryStream()
    stream.start_file(name)
    return [int(stream.feed(event).type) for _, event in events(data)]
