"""Builds a binary log event by event, with `layout` alone."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import Format, StatusVar, new_event
from pybinlog.layout.envelope import CHECKSUM_UNDEFINED

MAGIC = b"\xfebin"
START = 1795224000
"""The time of the first event, as in the corpus: 2026-11-21 01:20:00 UTC."""

MYSQL_5_0 = Format.of("5.0.96-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200004b00041a"))
MYSQL_5_1_EARLY = Format.of(
    "5.1.15-beta-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200004f00041a08080808")
)
MYSQL_5_5 = Format.of(
    "5.5.62-log", post_header_lengths=bytes.fromhex("380d0008001200040404041200005400041a080000000808080200")
)
MYSQL_5_6 = Format.of(
    "5.6.24-log",
    post_header_lengths=bytes.fromhex("380d0008001200040404041200005c00041a08000000080808020000000a0a0a191900"),
)
MYSQL_9_7 = Format.of("9.7.4")
_MARIADB_FIRST = bytes.fromhex("380d000800120004040404120000e400041a08000000080808020000000a0a0a0000000000000a0a0a")
_MARIADB_LAST = bytes.fromhex("041304000d0808080a0a0a")
MARIADB_10_11 = Format.of(
    "10.11.19-MariaDB-log",
    post_header_lengths=_MARIADB_FIRST + bytes(171 - len(_MARIADB_FIRST) - len(_MARIADB_LAST)) + _MARIADB_LAST,
)
"""171 types; the last eleven lengths are those of MariaDB's own from 161 on."""
CHARSET = {"character_set_client": 33, "collation_connection": 33, "collation_server": 8}

SID = bytes.fromhex("1bcbbf4ce54911f188f402fc00000001")
OTHER_SID = bytes.fromhex("aaaaaaaabbbbccccddddeeeeeeeeeeee")
INT_AND_TEXT = [(ColumnType.LONG, None), (ColumnType.VARCHAR, {"max_length": 20})]


def row(number: int, text: str) -> bytes:
    """A row image of the columns `INT_AND_TEXT`."""
    return b"\xfc" + struct.pack("<iB", number, len(text)) + text.encode()


class LogBuilder:
    """A log that grows: each event gets the position where it stands and a time one second after the one before."""

    def __init__(self, format: Format, inside_payload: bool = False) -> None:
        self.format = format
        self.inside_payload = inside_payload
        """Events inside a Transaction_payload have no position."""
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
                "checksum_algorithm": None
                if format.checksum_algorithm == CHECKSUM_UNDEFINED
                else format.checksum_algorithm,
            },
        )

    def add(self, event_type: int, body: Mapping[str, Any], flags: int = 0, **header: Any) -> LogBuilder:
        """Appends an event."""
        position = {"end_log_pos": 0} if self.inside_payload else {"position": len(self.data)}
        fields = {"timestamp": self.time, **position, **header}
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

    def previous_gtids(self) -> LogBuilder:
        """Appends an empty Previous_gtids."""
        return self.add(EventType.PREVIOUS_GTIDS, {"sources": []}, EventFlag.IGNORABLE)

    def gtid(self, gno: int, **fields: Any) -> LogBuilder:
        """Appends a Gtid as 9.7 writes it, but for the fields given."""
        body = {
            "gtid_flags": 1,
            "sid": SID,
            "gno": gno,
            "lt_type": 2,
            "last_committed": gno - 1,
            "sequence_number": gno,
            "commit_timestamps": (1795224000000000 + gno, 1795224000000000 + gno),
            "transaction_length": 300,
            "server_versions": (90704, 90704),
            **fields,
        }
        return self.add(EventType.GTID, body)

    def table_map(self, columns: Sequence[tuple[int, Any]], table_id: int = 71, name: str = "t") -> LogBuilder:
        """Appends a Table_map of columns given as (type, metadata), all of which may be NULL."""
        body = {
            "table_id": table_id,
            "flags": 1,
            "db": "test",
            "table": name,
            "column_types": [kind for kind, _ in columns],
            "column_metadata": [metadata for _, metadata in columns],
            "null_bits": bytes((len(columns) + 7) // 8 * [255]),
            "optional_metadata": [],
        }
        return self.add(EventType.TABLE_MAP, body)

    def rows(self, event_type: int, rows: Any, columns: int, after: bool = False, **fields: Any) -> LogBuilder:
        """Appends a row event whose images hold all of `columns` columns."""
        bitmap = bytes((columns + 7) // 8 * [255])
        body = {
            "table_id": 71,
            "flags": 1,
            "extra_row_info": [],
            "column_count": columns,
            "columns_before_image": bitmap,
            "columns_after_image": bitmap if after else None,
            "rows": rows,
            **fields,
        }
        return self.add(event_type, body)

    def maria_gtid(self, number: int) -> LogBuilder:
        """Appends MariaDB's Gtid, which begins a transaction."""
        body = {"seq_no": number, "domain_id": 0, "flags2": 12, "flags_extra": 0}
        return self.add(EventType.MARIA_GTID, body, EventFlag.SUPPRESS_USE)
