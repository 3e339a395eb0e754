"""The events that a server makes up for a stream: they stand in no log."""

import zlib
from collections.abc import Iterable
from dataclasses import replace

from pybinlog.event_types import EventFlag, EventType
from pybinlog.gtid_set import MariaGtid
from pybinlog.kernel.base.event import CREATED_AT
from pybinlog.layout.envelope import Format, new_event

IGNORE = 1 << 10
"""The boundary marker Ignore, in the flags of an event's header (WL#4162)."""
MARKER_MASK = 0x1C00
FLAGS_AT, POSITION_AT = 17, 13
CHECKSUM_SIZE = 4
LARGEST_POSITION = (1 << 32) - 1
UNTIL_REACHED = 1


class MadeEvents:
    """Makes events with the server's own id; `is_marked` gives them the boundary marker Ignore."""

    def __init__(self, server_id: int, *, is_marked: bool):
        self._server_id = server_id
        self._marker = IGNORE if is_marked else 0

    def rotate(self, name: str, position: int, format: Format, *, checksum: bool) -> bytes:
        """Announce a log and a position in it. `checksum`: whether the client expects one just then."""
        body = {"position": position, "new_log_ident": name}
        return self._made(EventType.ROTATE, body, replace(format, checksum_algorithm=int(checksum)))

    def format_description(self, opening: bytes, format: Format, *, is_first: bool) -> bytes:
        """Return a log's own, without the flag of one in use. Sent before a later part of the log, it has no position.

        Then it says nothing of when the server started: a replica would remove its temporary tables.
        """
        event = bytearray(opening)
        flags = int.from_bytes(event[FLAGS_AT : FLAGS_AT + 2], "little") & ~EventFlag.BINLOG_IN_USE
        if self._marker and not flags & MARKER_MASK:
            flags |= self._marker
        event[FLAGS_AT : FLAGS_AT + 2] = flags.to_bytes(2, "little")
        if not is_first:
            event[POSITION_AT : POSITION_AT + 4] = event[CREATED_AT : CREATED_AT + 4] = bytes(4)
        if format.checksum_algorithm <= 1:  # else its server knows none
            end = len(event) - CHECKSUM_SIZE
            event[end:] = zlib.crc32(event[:end]).to_bytes(CHECKSUM_SIZE, "little")
        return bytes(event)

    def heartbeat(self, name: str, position: int, format: Format, *, is_wide: bool) -> bytes:
        """Say that the stream stands at a position; `is_wide`: in MySQL's version 2, whose positions have 64 bits."""
        if is_wide:
            fields = [{"type": 1, "value": name}, {"type": 2, "value": position}, {"type": 0, "value": None}]
            return self._made(EventType.HEARTBEAT_V2, {"fields": fields}, format, flags=0)
        if format.mariadb and position > LARGEST_POSITION:
            body = position.to_bytes(8, "little") + name.encode("utf-8", "surrogateescape")
            return self._made(EventType.HEARTBEAT, body, format, flags=0)
        return self._made(EventType.HEARTBEAT, {"log_ident": name}, format, flags=0, end=position & LARGEST_POSITION)

    def until_reached(self, gtids: Iterable[MariaGtid], format: Format, position: int) -> bytes:
        """Tell a replica of MariaDB that it has all that it wanted."""
        listed = [{"domain_id": domain, "server_id": server, "seq_no": number} for domain, server, number in gtids]
        body = {"list": listed, "gl_flags": UNTIL_REACHED}
        return self._made(EventType.MARIA_GTID_LIST, body, format, end=position & LARGEST_POSITION)

    def _made(self, kind: EventType, body: object, format: Format, flags: int | None = None, end: int = 0) -> bytes:
        flags = EventFlag.ARTIFICIAL | self._marker if flags is None else flags
        return new_event(kind, body, format, server_id=self._server_id, flags=flags, end_log_pos=end)  # type: ignore[arg-type]
