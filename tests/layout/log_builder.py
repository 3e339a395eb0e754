"""Builds a binary log event by event, with `layout` alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pybinlog.events import EventFlag, EventType
from pybinlog.layout import Format, StatusVar, new_event, parse_event

MAGIC = b"\xfebin"
START = 1795224000
"""The time of the first event, as in the corpus: 2026-11-21 01:20:00 UTC."""

MYSQL_5_0 = Format.of("5.0.96-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200004b00041a"))
MYSQL_5_1_EARLY = Format.of(
    "5.1.15-beta-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200004f00041a08080808")
)
MYSQL_5_5 = Format.of(
    "5.5.62-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200005400041a08000000080808020000")[:27]
)
MYSQL_5_6 = Format.of(
    "5.6.24-log",
    post_header_lengths=bytes.fromhex("380d0008001200040404041200005c00041a08000000080808020000000a0a0a191900"),
)
MYSQL_9_7 = Format.of("9.7.4")
MARIADB_10_11 = Format.of(
    "10.11.19-MariaDB-log",
    post_header_lengths=bytes.fromhex(
        "380d000800120004040404120000e400041a08000000080808020000000a0a0a0000000000000a0a0a"
    )
    + bytes(118)
    + bytes.fromhex("041304000d0808080a0a0a"),
)
CHARSET = {"character_set_client": 33, "collation_connection": 33, "collation_server": 8}


class LogBuilder:
    """A log that grows: each event gets the position where it stands and a time one second after the one before."""

    def __init__(self, format: Format) -> None:
        self.format = format
        self.data = MAGIC
        self.time = START
        self.add(
            EventType.FORMAT_DESCRIPTION,
            {
                "binlog_version": 4,
                "server_version": format.server_version,
                "create_timestamp": START,
                "header_length": format.header_length,
                "post_header_lengths": format.post_header_lengths,
                "checksum_algorithm": format.checksum_algorithm if format.checksum_length else None,
            },
        )

    def add(self, event_type: int, body: Mapping[str, Any], flags: int = 0, **header: Any) -> LogBuilder:
        """Appends an event."""
        fields = {"timestamp": self.time, "position": len(self.data), **header}
        self.data += new_event(event_type, body, self.format, flags=flags, **fields)
        self.time += 1
        return self

    def add_bytes(self, event: bytes) -> LogBuilder:
        """Appends bytes that are not built here."""
        self.data += event
        return self

    def query(self, text: str, db: str = "test", flags: int = 0, status_vars: Any = None) -> LogBuilder:
        """Appends a Query with the status variables that every server writes, or those given."""
        if status_vars is None:
            status_vars = [
                {"code": StatusVar.FLAGS2, "value": 0},
                {"code": StatusVar.SQL_MODE, "value": 0},
                {"code": StatusVar.CATALOG_NZ, "value": "std"},
                {"code": StatusVar.CHARSET, "value": CHARSET},
            ]
        body = {
            "thread_id": 3,
            "exec_time": 0,
            "error_code": 0,
            "status_vars": status_vars,
            "db": db,
            "query": text.encode(),
        }
        return self.add(EventType.QUERY, body, flags)

    def begin(self) -> LogBuilder:
        """Appends the Query that begins a transaction."""
        return self.query("BEGIN", flags=EventFlag.SUPPRESS_USE)

    def commit(self, xid: int) -> LogBuilder:
        """Appends the Xid that ends a transaction."""
        return self.add(EventType.XID, {"xid": xid})

    def rotate(self) -> LogBuilder:
        """Appends the Rotate that ends the log."""
        return self.add(EventType.ROTATE, {"position": 4, "new_log_ident": "binlog.000002"})

    @property
    def events(self) -> list[Any]:
        """The events so far, parsed."""
        position, events = len(MAGIC), []
        while position < len(self.data):
            size = int.from_bytes(self.data[position + 9 : position + 13], "little")
            events.append(parse_event(self.data[position : position + size], self.format))
            position += size
        return events
