"""Real logs with one thing changed: cut into events, edited, and put together so that nothing else is wrong."""

import struct
from collections.abc import Callable, Iterable
from pathlib import Path

from pybinlog.check import Checker, CheckOptions, Finding, Severity
from pybinlog.event_types import EventType
from pybinlog.layout import crc32
from tests.corpus import scenarios

MAGIC = b"\xfebin"
WORST_FIRST = (Severity.ERROR, Severity.WARNING)


def log(name: str, number: int = 0) -> bytes:
    """A log of a corpus folder, for example "mysql-9.7/row-basic"."""
    return next(s for s in scenarios() if s.name == name).logs[number].read_bytes()


def events_of(data: bytes) -> list[bytes]:
    """The events, as long as their sizes can be believed."""
    events = []
    at = len(MAGIC)
    while at < len(data):
        size = struct.unpack_from("<I", data, at + 9)[0]
        events.append(data[at : at + size])
        at += size
    return events


def joined(events: Iterable[bytes], checksums: bool = True) -> bytes:
    """A log of these events: each at its end_log_pos, with the right checksum."""
    data = bytearray(MAGIC)
    for event in events:
        whole = bytearray(event)
        struct.pack_into("<II", whole, 9, len(whole), len(data) + len(whole))
        data += signed(whole) if checksums else whole
    return bytes(data)


def signed(event: bytes | bytearray) -> bytes:
    """The event with the checksum of its bytes."""
    body = bytes(event[:-4])
    return body + crc32(body).to_bytes(4, "little")


def kinds(events: Iterable[bytes]) -> list[int]:
    return [event[4] for event in events]


def first(events: list[bytes], kind: EventType, number: int = 0) -> int:
    """The index of the event of that type with that number."""
    return [index for index, event in enumerate(events) if event[4] == kind][number]


def changed(event: bytes, at: int, data: bytes) -> bytes:
    """The event with other bytes at an offset."""
    return event[:at] + data + event[at + len(data) :]


def marked(event: bytes, marker: int) -> bytes:
    """The event with a transaction boundary marker."""
    flags = int.from_bytes(event[17:19], "little") & ~0x1C00 | marker << 10
    return changed(event, 17, flags.to_bytes(2, "little"))


def without(events: list[bytes], *indexes: int) -> list[bytes]:
    return [event for index, event in enumerate(events) if index not in indexes]


def edited(name: str, edit: Callable[[list[bytes]], list[bytes]], number: int = 0) -> bytes:
    return joined(edit(events_of(log(name, number))))


class Findings(list[Finding]):
    """The findings of a check."""

    @property
    def serious(self) -> list[str]:
        """The codes of errors and warnings."""
        return [finding.code for finding in self if finding.severity in WORST_FIRST]

    def one(self, code: str) -> Finding:
        """The only finding of that code."""
        found = [finding for finding in self if finding.code == code]
        assert len(found) == 1, found
        return found[0]


def check(paths: Iterable[str | Path], options: CheckOptions | None = None) -> Findings:
    """The findings in these logs; a log that cannot be checked is an error of the test."""
    checker = Checker([str(path) for path in paths], options or CheckOptions())
    found = Findings(finding for result in checker.results() for finding in result.findings)
    assert not checker.totals.failures, checker.totals.failures
    return found


class Folder:
    """Logs written to a folder of the test."""

    def __init__(self, path: Path):
        self.path = path

    def write(self, data: bytes, name: str = "binlog.000001") -> Path:
        target = self.path / name
        target.write_bytes(data)
        return target

    def check(self, *logs: bytes, options: CheckOptions | None = None) -> Findings:
        """The findings in these logs, given in order as binlog.000001 and so on."""
        return check([self.write(data, f"binlog.{number:06d}") for number, data in enumerate(logs, 1)], options)
