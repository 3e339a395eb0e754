"""RelayLogSign: whether a log is a relay log, by its first two events.

A replica marks what it writes itself with the flag RELAY_LOG, the Format_description at the log's head first of all.
Those of MySQL 5.0 and 5.1 do not. But after their own Format_description comes what describes the source: a fake
Rotate, or the source's Format_description at once. No binary log has either in that place.
"""

from pybinlog.kernel.base import event
from pybinlog.kernel.base.batch import EventBatch

LARGEST_FORMAT_DESCRIPTION = 1 << 16


class RelayLogSign:
    """Is given the batches of a log in order, until it has seen two events; it needs none of them after that."""

    def __init__(self) -> None:
        self.is_relay_log = False
        self.is_marked = False
        """The replica's own events have the flag RELAY_LOG."""
        self._seen = 0

    @property
    def waits(self) -> bool:
        """True if it has seen less than two events."""
        return self._seen < 2

    def note_batch(self, batch: EventBatch) -> None:
        for index in range(min(2 - self._seen, len(batch))):
            header = batch.header(index)
            self.note(header.timestamp, header.type, header.flags)

    def settle(self) -> None:
        """Note that the next event is not the log's second."""
        self._seen = 2

    def note(self, timestamp: int, kind: int, flags: int) -> None:
        """Note the next event by fields of its header."""
        self._seen += 1
        if self._seen == 1:
            if kind != event.FORMAT_DESCRIPTION:
                self.settle()  # it is not the log's first event
            self.is_marked = self.is_relay_log = bool(flags & event.RELAY_LOG)
        elif kind == event.FORMAT_DESCRIPTION:
            self.is_relay_log = True
        elif kind == event.ROTATE:
            self.is_relay_log = self.is_relay_log or timestamp == 0 or bool(flags & event.ARTIFICIAL)

    def note_header(self, header: bytes) -> None:
        """Note the next event by its header alone."""
        self.note(int.from_bytes(header[:4], "little"), header[4], int.from_bytes(header[17:19], "little"))


def looks_like_relay_log(name: str) -> bool:
    """Return True if the log's first events are those of a relay log; False if they cannot be read."""
    from pybinlog.errors import BinlogError
    from pybinlog.source import SERVER, open_source
    from pybinlog.source.location import read_once

    if name.startswith(SERVER) or read_once(name):
        return False  # servers send binary logs only; of a pipe no byte must be lost
    sign = RelayLogSign()
    data = b""
    at = event.MAGIC_LENGTH
    try:
        with open_source(name, head=True) as source:
            for _ in range(2):
                while len(data) < at + event.COMMON_HEADER_LENGTH:
                    more = source.read(at + event.COMMON_HEADER_LENGTH - len(data))
                    if not more:
                        return sign.is_relay_log
                    data += more
                sign.note_header(data[at : at + event.COMMON_HEADER_LENGTH])
                size = int.from_bytes(data[at + 9 : at + 13], "little")
                if sign.is_relay_log or not event.COMMON_HEADER_LENGTH <= size <= LARGEST_FORMAT_DESCRIPTION:
                    break
                at += size
    except BinlogError:
        return False
    return sign.is_relay_log
