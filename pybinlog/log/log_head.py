"""LogHead: the data of a log's first events."""

from __future__ import annotations

from pybinlog.errors import EVENTS_ENCRYPTED, KEYRING_HINT, EncryptedError
from pybinlog.event_types import OPENING_TYPES
from pybinlog.gtid_intervals import GtidSet
from pybinlog.kernel.base import event
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.scan.gtid_fields import maria_gtid_list
from pybinlog.kernel.scan.log_contents import HeldGtids
from pybinlog.log.previous_gtids import previous_intervals, set_of, up_to
from pybinlog.log.reader import Reader
from pybinlog.log.relay_log import RelayLogSign
from pybinlog.source import Source, open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.log.executed import Executed
    from pybinlog.log.previous_gtids import Interval


HEAD_BYTES = 1 << 12
"""Bytes that are read at once; a long Previous_gtids takes more."""


class LogHead:
    """The beginning of a log, as far as its events were given to `read`.

    `end` is the position after these events; `begun` is when the server began the log, in seconds since 1970 UTC.

    `intervals` are the GTIDs of all logs before it, in the order of their event; None if the log does not tell. `first`
    is the GTID of the first transaction, if it has one, and `first_commit` the time of its commit.
    """

    def __init__(self, name: str, end: int = 0, begun: int = 0, server_id: int = 0, version: str = ""):
        self.name = name
        self.end = end
        self.begun = begun
        self.server_id = server_id
        self.version = version
        self.intervals: list[Interval] | None = None
        self._previous: GtidSet | None = None
        self.listed: tuple[tuple[int, int, int], ...] = ()
        self.is_anonymous = False
        """True if the first transaction has no GTID. (MySQL)"""
        self.first: list[Interval] = []
        self.first_commit = 0
        self._sign = RelayLogSign()

    @property
    def is_relay_log(self) -> bool:
        return self._sign.is_relay_log

    @property
    def previous(self) -> GtidSet | None:
        """The set of the intervals."""
        if self._previous is None and self.intervals is not None:
            self._previous = set_of(self.intervals)
        return self._previous

    @property
    def is_of_mariadb(self) -> bool:
        return "MariaDB" in self.version

    def read(self, batch: EventBatch) -> bool:
        """Read the next events. Return True if the opening ends among them.

        Raise EncryptedError if those after them are encrypted.
        """
        for index in range(batch.count):
            kind = batch.type(index)
            if self._sign.waits:
                header = batch.header(index)
                self._sign.note(header.timestamp, kind, header.flags)
            if kind not in OPENING_TYPES:
                self.end = batch.header(index).position
                self.is_anonymous = kind == event.ANONYMOUS_GTID
                first = HeldGtids()
                first.read_one(batch, index)
                self.first, self.first_commit = first.intervals(), first.last_commit
                return True
            if kind == event.MARIA_START_ENCRYPTION:  # a keyring has made another type of it
                position = batch.header(index).position
                raise EncryptedError(EVENTS_ENCRYPTED, file=self.name, position=position, hint=KEYRING_HINT)
            if kind == event.FORMAT_DESCRIPTION:
                header = batch.header(index)
                self.begun, self.server_id = header.timestamp, header.server_id
                self.version = batch.server_version
            elif kind == event.PREVIOUS_GTIDS:
                self.intervals, self._previous = previous_intervals(batch.body(index)), None
            elif kind == event.MARIA_GTID_LIST:
                self.listed = tuple(maria_gtid_list(batch.body(index)) or ())
                self.intervals, self._previous = up_to(self.listed), None
        if batch.count:
            self.end = batch.header(batch.count - 1).end
        return False

    def executed(self) -> Executed:
        """Return what was executed before the log."""
        from pybinlog.log.executed import Executed

        return Executed(None if self.listed else self.previous, self.listed)


def read_head(name: str) -> LogHead:
    """Read the events that a log opens with. Raise BinlogError if they are unreadable."""
    with open_source(name, head=True) as source:
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
