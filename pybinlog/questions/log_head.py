"""LogHead: what a log's first events say of it; the rest of the log is not read."""

from __future__ import annotations

from dataclasses import dataclass

from pybinlog.check.gtids import GtidSet, previous_gtids
from pybinlog.event_types import EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.gtid_fields import maria_gtid_list
from pybinlog.log.reader import Reader
from pybinlog.questions.executed import Executed
from pybinlog.source import Source, open_source

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


@dataclass
class LogHead:
    """The beginning of a log, as far as its events were given to `read`.

    `end` is the position after these events; `begun` is when the server began the log, in seconds since 1970 UTC.

    `previous` are the GTIDs of all logs before it; None if the log does not tell.
    """

    name: str
    end: int = 0
    begun: int = 0
    server_id: int = 0
    version: str = ""
    previous: GtidSet | None = None
    listed: tuple[tuple[int, int, int], ...] = ()
    is_anonymous: bool = False
    """True if the first transaction has no GTID. (MySQL)"""

    def read(self, batch: EventBatch) -> bool:
        """Read the next events. Return True if the opening ends among them."""
        for index in range(batch.count):
            header = batch.header(index)
            if header.type not in OPENING:
                self.end = header.position
                self.is_anonymous = header.type == EventType.ANONYMOUS_GTID
                return True
            self.end = header.end
            if header.type == EventType.FORMAT_DESCRIPTION:
                self.begun, self.server_id = header.timestamp, header.server_id
                self.version = batch.server_version
            elif header.type == EventType.PREVIOUS_GTIDS:
                self.previous = previous_gtids(batch.body(index))
            elif header.type == EventType.MARIA_GTID_LIST:
                self.listed = tuple(maria_gtid_list(batch.body(index)) or ())
                self.previous = Executed(None, self.listed).gtids
        return False

    def executed(self) -> Executed:
        """Return what was executed before the log."""
        return Executed(None if self.listed else self.previous, self.listed)


def read_head(name: str) -> LogHead:
    """Read the events that a log opens with. Raise BinlogError if they are unreadable."""
    with open_source(name) as source:
        return head_of(source, name)


def head_of(source: Source, name: str) -> LogHead:
    """Read the events that a log opens with, from its source. Raise BinlogError if they are unreadable."""
    head = LogHead(name)
    reader = Reader(source)
    reader.read_size = HEAD_BYTES
    for batch in reader:
        if head.read(batch):
            break
    return head
