"""Query, GTID, Table_map and row events as the reference prints them, from what `layout` parsed.

It is written for the tests alone and shares nothing with the dumper: two ways to the same text.
"""

import re
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import Format, GtidField, StatusVar, build_event, crc32, gtid_field, status_var
from pybinlog.layout.envelope import CHECKSUM_LENGTH

from .reference_metadata import metadata_text
from .reference_values import rows_text

GTID_TYPES = frozenset({EventType.GTID, EventType.ANONYMOUS_GTID, EventType.GTID_TAGGED})
CLIENT_CHARACTER_SETS = {7: "koi8r", 8: "latin1", 33: "utf8mb3", 45: "utf8mb4", 51: "cp1251"}
_TRANSACTION_WORDS = re.compile(rb"(SAVEPOINT|ROLLBACK|XA (START|END|PREPARE|COMMIT|ROLLBACK))", re.IGNORECASE)
_FLAGS2 = (
    ("foreign_key_checks", 1 << 26, True),
    ("sql_auto_is_null", 1 << 14, False),
    ("unique_checks", 1 << 27, True),
    ("autocommit", 1 << 19, True),
)
_ROW_NAMES = {
    EventType.WRITE_ROWS: "Write_rows",
    EventType.UPDATE_ROWS: "Update_rows",
    EventType.DELETE_ROWS: "Delete_rows",
    EventType.PARTIAL_UPDATE_ROWS: "Update_rows_partial",
}
_REMOVED_MODES = 0x1003FF00
_INVISIBLE_KEY_SINCE = 80030
_UNDEFINED_VERSION = 999999


def _moment(microseconds: int) -> str:
    return (
        f"{datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=microseconds):%Y-%m-%d %H:%M:%S.%f} UTC"
    )


@dataclass
class ReferenceText:
    """The reference's memory between events, and the text of each event."""

    metadata: bool = False
    """True if --print-table-metadata was given."""
    rows: bool = True
    """True if -v was given."""
    comments: bool = True
    """True if it was given twice."""
    last: dict[str, Any] = field(
        default_factory=lambda: {"db": b"", "time_zone": "", "increment": (0, 0), "enable_cascade_triggers": 0}
    )
    tables: dict[int, Any] = field(default_factory=dict)
    pending: bytes = b""
    """Lines of rows that are printed at the statement's end."""
    immediate_server_version: int = _UNDEFINED_VERSION

    def text(self, event: Any, position: int, inside: bool = False) -> bytes | None:
        """The text of an event from its header line on; None for one of another family.

        `inside`: it stands in a Transaction_payload, whose end is `position`.
        """
        kind = event.header.event_type
        if kind == EventType.QUERY:
            body = self._query(event)
        elif kind in GTID_TYPES:
            body = self._gtid(event)
        elif kind == EventType.TABLE_MAP:
            body = self._table_map(event)
        elif kind in _ROW_NAMES:
            body = self._rows(event)
        else:
            return None
        return self._header(event, position, inside) + body

    def _header(self, event: Any, position: int, inside: bool) -> bytes:
        header = event.header
        when = datetime.fromtimestamp(header.timestamp, timezone.utc)
        text = f"#{when:%y%m%d} {when.hour:2d}:{when:%M:%S} server id {header.server_id}"
        text += f"  end_log_pos {position if inside else header.end_log_pos} "
        checksum = self._checksum_inside(event) if inside else event.checksum
        if checksum is not None:
            text += f"CRC32 0x{checksum:08x} "
        return text.encode()

    def _checksum_inside(self, event: Any) -> int:
        """The reference gives the events of a Transaction_payload a checksum, as if they had been written with one."""
        data = build_event(event, Format.default().without_checksum())
        return crc32(data[:9] + (len(data) + CHECKSUM_LENGTH).to_bytes(4, "little") + data[13:])

    def _changed(self, name: str, value: Any) -> bool:
        changed = name not in self.last or self.last[name] != value
        self.last[name] = value
        return changed

    def _query(self, event: Any) -> bytes:
        body = event.body
        xid = status_var(body, StatusVar.DDL_LOGGED_WITH_XID)
        text = f"\tQuery\tthread_id={body.thread_id}\texec_time={body.exec_time}\terror_code={body.error_code}"
        text += f"\tXid = {xid}\n" if xid is not None else "\n"
        return text.encode() + self.session(event) + body.query + b"\n/*!*/;\n"

    def session(self, event: Any) -> bytes:
        """The lines between a Query's header line and its text."""
        body = event.body

        def var(code: StatusVar, default: Any = None) -> Any:
            value = status_var(body, code)
            return default if value is None else value

        lines: list[str] = []
        use = b""
        db = body.db.encode("utf-8", "surrogateescape")
        if event.header.flags & EventFlag.SUPPRESS_USE:
            if body.query not in (b"BEGIN", b"COMMIT") and not _TRANSACTION_WORDS.match(body.query):
                self.last["db"] = b""
        elif self._changed("db", db) and db:
            use = b"use `" + db.replace(b"`", b"``") + b"`/*!*/;\n"
        microseconds = var(StatusVar.MICROSECONDS, 0)
        lines.append(f"SET TIMESTAMP={event.header.timestamp}" + (f".{microseconds:06d}" if microseconds else ""))
        thread_specific = event.header.flags & EventFlag.THREAD_SPECIFIC
        if "thread_id" not in self.last or (thread_specific and self.last["thread_id"] != body.thread_id):
            self.last["thread_id"] = body.thread_id
            lines.append(f"SET @@session.pseudo_thread_id={body.thread_id}")
        flags2 = var(StatusVar.FLAGS2)
        if flags2 is not None:
            before = self.last.get("flags2")
            changed = 0xFFFFFFFF if before is None else before ^ flags2
            self.last["flags2"] = flags2
            if changed:
                lines.append(
                    "SET "
                    + ", ".join(
                        f"@@session.{name}={bool(flags2 & bit) ^ inverted:d}"
                        for name, bit, inverted in _FLAGS2
                        if changed & bit
                    )
                )
        mode = var(StatusVar.SQL_MODE)
        if mode is not None and self._changed("sql_mode", mode):
            lines.append(
                f"SET @@session.sql_mode={mode}" + ("/*!80005 &~0x1003ff00*/" if mode & _REMOVED_MODES else "")
            )
        auto = var(StatusVar.AUTO_INCREMENT)
        increment = (auto.increment, auto.offset) if auto else (1, 1)
        if self._changed("increment", increment):
            lines.append(
                f"SET @@session.auto_increment_increment={increment[0]}, @@session.auto_increment_offset={increment[1]}"
            )
        charset = var(StatusVar.CHARSET)
        if charset is not None and self._changed("charset", tuple(charset.values())[-3:]):
            client = charset.character_set_client
            lines.append(f"/*!\\C {CLIENT_CHARACTER_SETS.get(client, 'utf8mb4')} */")
            lines.append(
                f"SET @@session.character_set_client={client},"
                f"@@session.collation_connection={charset.collation_connection},"
                f"@@session.collation_server={charset.collation_server}"
            )
        zone = var(StatusVar.TIME_ZONE, "")
        if zone and self._changed("time_zone", zone):
            lines.append(f"SET @@session.time_zone='{zone}'")
        names = var(StatusVar.LC_TIME_NAMES, 0)
        if self._changed("lc_time_names", names):
            lines.append(f"SET @@session.lc_time_names={names}")
        database = var(StatusVar.CHARSET_DATABASE, 0)
        if self._changed("charset_database", database):
            lines.append(f"SET @@session.collation_database={database or 'DEFAULT'}")
        explicit = var(StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP)
        if explicit is not None:
            lines.append(f"SET @@session.explicit_defaults_for_timestamp={bool(explicit):d}")
        collation = var(StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4, 0)
        if self._changed("utf8mb4", collation) and collation:
            lines.append(f"/*!80011 SET @@session.default_collation_for_utf8mb4={collation}*/")
        key = var(StatusVar.SQL_REQUIRE_PRIMARY_KEY, 0xFF)
        if key != 0xFF:
            lines.append(f"/*!80013 SET @@session.sql_require_primary_key={key}*/")
        encryption = var(StatusVar.DEFAULT_TABLE_ENCRYPTION, 0xFF)
        if encryption != 0xFF:
            lines.append(f"/*!80016 SET @@session.default_table_encryption={encryption}*/")
        triggers = var(StatusVar.ENABLE_CASCADE_TRIGGERS, 0)
        if self._changed("enable_cascade_triggers", triggers):
            lines.append(f"/*!90700 SET @@session.enable_cascade_triggers={triggers}*/")
        return use + "".join(f"{line}/*!*/;\n" for line in lines).encode("utf-8", "surrogateescape")

    def _gtid(self, event: Any) -> bytes:
        body = event.body
        if event.header.event_type == EventType.GTID_TAGGED:
            values = {item: gtid_field(body, item) for item in GtidField}
            rows_only = not values[GtidField.GTID_FLAGS] & 1
            clock = values[GtidField.LAST_COMMITTED], values[GtidField.SEQUENCE_NUMBER]
            immediate, original = (
                values[GtidField.IMMEDIATE_COMMIT_TIMESTAMP],
                values[GtidField.ORIGINAL_COMMIT_TIMESTAMP],
            )
            length = values[GtidField.TRANSACTION_LENGTH]
            versions = values[GtidField.IMMEDIATE_SERVER_VERSION], values[GtidField.ORIGINAL_SERVER_VERSION]
            tag = f"{values[GtidField.TAG]}:"
            sid, gno = bytes(values[GtidField.SID]), values[GtidField.GNO]
        else:
            rows_only = not body.gtid_flags & 1
            clock = body.last_committed or 0, body.sequence_number or 0
            immediate, original = body.commit_timestamps or (0, 0)
            length = body.transaction_length or 0
            missing = _UNDEFINED_VERSION if body.commit_timestamps else 0
            versions = body.server_versions or (missing, missing)
            tag, sid, gno = "", body.sid, body.gno
        self.immediate_server_version = versions[0]
        anonymous = event.header.event_type == EventType.ANONYMOUS_GTID
        gtid = "ANONYMOUS" if anonymous else f"{uuid.UUID(bytes=bytes(sid))}:{tag}{gno}"
        text = f"\t{'Anonymous_GTID' if anonymous else 'GTID'}\tlast_committed={clock[0]}\tsequence_number={clock[1]}\t"
        text += f"rbr_only={'yes' if rows_only else 'no'}\toriginal_committed_timestamp={original}\t"
        text += f"immediate_commit_timestamp={immediate}\ttransaction_length={length}\n"
        if rows_only:
            text += "/*!50718 SET TRANSACTION ISOLATION LEVEL READ COMMITTED*//*!*/;\n"
        text += f"# original_commit_timestamp={original} ({_moment(original)})\n"
        text += f"# immediate_commit_timestamp={immediate} ({_moment(immediate)})\n"
        text += f"/*!80001 SET @@session.original_commit_timestamp={original}*//*!*/;\n"
        text += f"/*!80014 SET @@session.original_server_version={versions[1]}*//*!*/;\n"
        text += f"/*!80014 SET @@session.immediate_server_version={versions[0]}*//*!*/;\n"
        return (text + f"SET @@SESSION.GTID_NEXT= '{gtid}'/*!*/;\n").encode()

    def _table_map(self, event: Any) -> bytes:
        body = event.body
        self.tables[body.table_id] = body
        text = f"\tTable_map: `{body.db}`.`{body.table}` mapped to number {body.table_id}\n"
        if _INVISIBLE_KEY_SINCE <= self.immediate_server_version != _UNDEFINED_VERSION:
            text += f"# has_generated_invisible_primary_key={body.flags >> 2 & 1}\n"
        return text.encode() + (metadata_text(body) if self.metadata else b"")

    def _rows(self, event: Any) -> bytes:
        body = event.body
        text = f"\t{_ROW_NAMES[event.header.event_type]}: table id {body.table_id}"
        flags = [name for bit, name in ((1, "STMT_END_F"), (16, "USE_SQL_FOREIGN_KEY_F")) if body.flags & bit]
        text += f" flags: {' '.join(flags)}\n" if flags else "\n"
        if self.rows:
            self.pending += rows_text(event, self.tables[body.table_id], self.comments)
        if not body.flags & 1:
            return text.encode()
        pending, self.pending = self.pending, b""
        return text.encode() + pending
