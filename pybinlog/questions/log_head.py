"""LogHead: what a log's first events say of it; the rest of the log is not read."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.check.gtids import GtidSet, previous_gtids
from pybinlog.event_types import EventType
from pybinlog.kernel.scan.gtid_fields import maria_gtid_list
from pybinlog.log.reader import Reader
from pybinlog.questions.executed import Executed
from pybinlog.source import open_source

HEAD_BYTES = 1 << 12
"""Bytes that are read at once; a long Previous_gtids takes more."""
OPENING = (
    EventType.FORMAT_DESCRIPTION,
    EventType.PREVIOUS_GTIDS,
    EventType.ROTATE,
    EventType.MARIA_BINLOG_CHECKPOINT,
    EventType.MARIA_GTID_LIST,
    EventType.MARIA_START_ENCRYPTION,
)


@dataclass(frozen=True)
class LogHead:
    """The beginning of a log.

    `end` is the position after these events; `begun` is when the server began the log, in seconds since 1970 UTC.

    `previous` are the GTIDs of all logs before it; None if the log does not tell.
    """

    name: str
    end: int
    begun: int
    server_id: int
    version: str
    previous: GtidSet | None = None
    listed: tuple[tuple[int, int, int], ...] = ()

    def executed(self) -> Executed:
        """Return what was executed before the log."""
        return Executed(None if self.listed else self.previous, self.listed)


def read_head(name: str) -> LogHead:
    """Read the events that a log opens with. Raise BinlogError if they are unreadable."""
    begun = server_id = end = 0
    version = ""
    previous: GtidSet | None = None
    listed: tuple[tuple[int, int, int], ...] = ()
    with open_source(name) as source:
        reader = Reader(source)
        reader.read_size = HEAD_BYTES
        for batch in reader:
            for index in range(batch.count):
                header = batch.header(index)
                if header.type not in OPENING:
                    return LogHead(name, header.position, begun, server_id, version, previous, listed)
                end = header.end
                if header.type == EventType.FORMAT_DESCRIPTION:
                    begun, server_id, version = header.timestamp, header.server_id, batch.server_version
                elif header.type == EventType.PREVIOUS_GTIDS:
                    previous = previous_gtids(batch.body(index))
                elif header.type == EventType.MARIA_GTID_LIST:
                    listed = tuple(maria_gtid_list(batch.body(index)) or ())
                    previous = Executed(None, listed).gtids
    return LogHead(name, end, begun, server_id, version, previous, listed)
