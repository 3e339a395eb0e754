"""NewLog: a log written anew, whose events may be fewer or have other sizes; all that names positions follows."""

from collections.abc import Callable
from typing import Any

from pybinlog.event_types import EventType
from pybinlog.kernel.base.event import MAGIC
from pybinlog.layout.envelope import CHECKSUM_LENGTH, Format, build_body, crc32, parse_body
from pybinlog.layout.gtid import GtidField

MYSQL_GTIDS = (EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED)
"""The events that say how long their transaction is."""
_SIZE_AT, _END_AT, _FLAGS_AT = 9, 13, 17
_POSITION_BITS = 0xFFFFFFFF


class NewLog:
    """Hands events to `write` as a log of their own, from its magic bytes on.

    Three fields follow the new positions: `end_log_pos`, if it was that of the event's place; `transaction_length` of
    MySQL's Gtids, whose own size may change by that; checksums. A Gtid waits for the event after it: only a
    Transaction_payload, which follows its Gtid, can change the length of its transaction.
    """

    def __init__(self, write: Callable[[bytes | memoryview], object]):
        self._write = write
        self.size = 0
        """Bytes of the new log, which is the position of its next event."""
        self.has_moved = False
        """Some event stands at another position than in its own log."""
        self._gtid: tuple[bytes, int, Format] | None = None
        self._put(MAGIC)

    def copies(self, position: int) -> bool:
        """Return True if the events from that position of the old log on do not move."""
        return self._gtid is None and self.size == position

    def copy(self, events: memoryview) -> None:
        """Write whole events that do not move. The last one must not be a Gtid of MySQL."""
        self._put(events)

    def add(self, event: bytes, end: int, old_size: int, format: Format) -> None:
        """Write one event, which ended at `end` of the old log, and had `old_size` bytes there."""
        if self._gtid is not None:
            gtid, gtid_end, gtid_format = self._gtid
            self._gtid = None
            if len(event) != old_size:
                gtid = with_length_changed(gtid, len(event) - old_size, gtid_format)
            self._place(gtid, gtid_end, gtid_format)
        if event[4] in MYSQL_GTIDS and not format.mariadb:
            self._gtid = event, end, format
        else:
            self._place(event, end, format)

    def end(self) -> None:
        """Write the event that waits, if one does."""
        if self._gtid is not None:
            self._place(*self._gtid)
            self._gtid = None

    def _place(self, event: bytes, end: int, format: Format) -> None:
        new_end = self.size + len(event)
        if new_end != end:
            self.has_moved = True
            if int.from_bytes(event[_END_AT : _END_AT + 4], "little") == end & _POSITION_BITS:
                place = (new_end & _POSITION_BITS).to_bytes(4, "little")
                event = with_checksum_of(event[:_END_AT] + place + event[_END_AT + 4 :], format)
        self._put(event)

    def _put(self, data: bytes | memoryview) -> None:
        self._write(data)
        self.size += len(data)


def checksum_length(event: bytes, format: Format) -> int:
    """Return the length of an event's checksum; a Format_description has one if its server knows checksums."""
    if event[4] == EventType.FORMAT_DESCRIPTION:
        return CHECKSUM_LENGTH if format.checksum_algorithm in (0, 1) else 0
    return format.checksum_length


def with_checksum_of(event: bytes, format: Format) -> bytes:
    """Return a whole event with its checksum, if it has one, made again."""
    length = checksum_length(event, format)
    return event if not length else event[:-length] + crc32(event[:-length]).to_bytes(length, "little")


def with_body(event: bytes, body: bytes, start: int, format: Format) -> bytes:
    """Return an event with another body, which begins at `start`; its size and its checksum follow."""
    length = checksum_length(event, format)
    size = (start + len(body) + length).to_bytes(4, "little")
    return with_checksum_of(event[:_SIZE_AT] + size + event[_SIZE_AT + 4 : start] + body + bytes(length), format)


def with_length_changed(gtid: bytes, change: int, format: Format) -> bytes:
    """Return a Gtid of MySQL whose transaction is longer by so many bytes, besides its own."""
    start = format.header_length
    kind = EventType(gtid[4])
    body = gtid[start : len(gtid) - format.checksum_length]
    fields = parse_body(kind, body, format)
    length = length_of(fields)
    if length is None:
        return gtid
    new = body
    while True:  # the width of the length is part of the length
        set_length(fields, length + change + len(new) - len(body))
        again = build_body(kind, fields, format)
        if len(again) == len(new):
            return with_body(gtid, again, start, format)
        new = again


def length_of(fields: Any) -> int | None:
    """Return the transaction_length of a Gtid; None if it says none."""
    if "fields" not in fields:
        return None if fields.transaction_length is None else int(fields.transaction_length)
    return next((int(item.value) for item in fields.fields if item.id == GtidField.TRANSACTION_LENGTH), None)


def set_length(fields: Any, length: int) -> None:
    if "fields" not in fields:
        fields.transaction_length = length
        return
    for item in fields.fields:
        if item.id == GtidField.TRANSACTION_LENGTH:
            item.value = length
