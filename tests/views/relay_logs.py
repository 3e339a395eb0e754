"""Relay logs that are made up: of one series, each with a Rotate to the next."""

import zlib
from pathlib import Path

from pybinlog.event_types import EventFlag, EventType
from pybinlog.feed.span import LogPlace, Span
from pybinlog.kernel.scan.boundary_state import boundary_number
from pybinlog.kernel.scan.scan import Scanner
from pybinlog.log.reader import Reader
from pybinlog.source import open_source
from tests.check.logs import events_of
from tests.layout.log_builder import INT_AND_TEXT, MAGIC, MYSQL_9_7, LogBuilder
from tests.layout.log_builder import row as image


def rotate(format_description: bytes, name: str) -> bytes:
    """The event by which a relay log ends, made up in the manner of its first event."""
    event = bytearray(format_description[:19] + (4).to_bytes(8, "little") + name.encode())
    event[4] = EventType.ROTATE
    event[9:13] = (len(event) + 4).to_bytes(4, "little")
    event[17:19] = int(EventFlag.RELAY_LOG).to_bytes(2, "little")
    return bytes(event + zlib.crc32(event).to_bytes(4, "little"))


def pieces(log: Path, step: int, folder: Path) -> list[str]:
    """Write the log as a series of relay logs of so many events each, and return their names."""
    data = log.read_bytes()
    first, *events = events_of(data)
    names = []
    for number, at in enumerate(range(0, len(events), step), 1):
        path = folder / f"relay.{number:06}"
        end = rotate(first, f"relay.{number + 1:06}")
        path.write_bytes(data[:4] + first + b"".join(events[at : at + step]) + end)
        names.append(str(path))
    return names


class RelayLogs:
    """Relay logs of one series, each of which ends with a Rotate to the next."""

    def __init__(self, folder: Path):
        self._folder = folder
        self.names: list[str] = []

    def add(self, builder: LogBuilder, follower: str | None = None) -> str:
        """Write a log of the events that were built, which is marked as a replica marks its own."""
        path = self._folder / f"relay.{len(self.names) + 1:06}"
        head, *events = events_of(builder.data)
        flags = int(EventFlag.RELAY_LOG).to_bytes(2, "little")
        head = head[:17] + flags + head[19:-4]
        head += zlib.crc32(head).to_bytes(4, "little")
        end = rotate(head, follower or f"relay.{len(self.names) + 2:06}")
        path.write_bytes(MAGIC + head + b"".join(events) + end)
        self.names.append(str(path))
        return str(path)

    def place(self, at: int) -> LogPlace:
        return LogPlace(tuple(self.names), at)

    def span(self, at: int) -> Span | None:
        return self.place(at).span()

    def state(self) -> int:
        """Return the state of the boundaries after the first log."""
        scanner = Scanner()
        with open_source(self.names[0]) as source:
            for _ in Reader(source, scanner):
                pass
        return boundary_number(scanner)


def opened() -> LogBuilder:
    """A log of a transaction without its end."""
    return LogBuilder(MYSQL_9_7).gtid(1).begin().table_map(INT_AND_TEXT)


def added(builder: LogBuilder) -> LogBuilder:
    return builder.rows(EventType.WRITE_ROWS, image(1, "one"), 2)
