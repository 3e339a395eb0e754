"""Logs of the event types of MySQL 9.7 that no real log of the corpus holds, built from their documented fields."""

import struct
from collections.abc import Callable
from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import GtidField, StatusVar
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.gtid import CompressionType, PayloadField

from .log_builder import CHARSET, INT_AND_TEXT, MYSQL_9_7, OTHER_SID, SID, LogBuilder, row
from .unseen_old_logs import OLD_LOGS

LOGS: dict[str, Callable[[], LogBuilder]] = {**OLD_LOGS}


def log(build: Callable[[], LogBuilder]) -> Callable[[], LogBuilder]:
    """Registers a log under the name of the function that builds it."""
    LOGS[build.__name__] = build
    return build


@log
def incident() -> LogBuilder:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.gtid(1).add(EventType.INCIDENT, {"incident": 1, "message": "error writing to the binary log"})
    builder.add(EventType.INCIDENT, {"incident": 1, "message": ""})
    return builder.query("CREATE TABLE after_it (id INT)").rotate()


@log
def ignorable() -> LogBuilder:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.gtid(1).begin()
    builder.add(EventType.IGNORABLE, {"data": b""}, EventFlag.IGNORABLE)
    builder.add(EventType.IGNORABLE, {"data": b"some bytes of a newer server"}, EventFlag.IGNORABLE)
    return builder.commit(7).rotate()


@log
def unknown_ignorable() -> LogBuilder:
    """Event types of a newer server, which the ignorable flag lets a reader skip (WL#4033)."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.gtid(1).begin()
    builder.add(77, {"data": b"what it says is not known"}, EventFlag.IGNORABLE)
    builder.commit(7)
    return builder.add(159, {"data": b""}, EventFlag.IGNORABLE).rotate()


@log
def unknown_not_ignorable() -> LogBuilder:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.gtid(1).begin()
    return builder.add(77, {"data": b"what it says is not known"}).commit(7).rotate()


@log
def view_change() -> LogBuilder:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    info = [{"key": "8d3c2ab2", "value": SID + struct.pack("<QQQ", 1, 1, 5)}, {"key": "gtids_certified", "value": b""}]
    body = {"view_id": "17952240001234567:3", "sequence_number": 12, "certification_info": info}
    builder.gtid(1).begin().add(EventType.VIEW_CHANGE, body).query("COMMIT", flags=EventFlag.SUPPRESS_USE)
    return builder.rotate()


@log
def transaction_context() -> LogBuilder:
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    body = {
        "server_uuid": "1bcbbf4c-e549-11f1-88f4-02fc00000001",
        "thread_id": 12,
        "gtid_specified": 0,
        "snapshot_version": struct.pack("<Q", 1) + SID + struct.pack("<QQQ", 1, 1, 9),
        "write_set": [b"PRIMARY\xc2\xbdtest", b"\0\1\2\3\4\5\6\7"],
        "read_set": [],
    }
    builder.add(EventType.TRANSACTION_CONTEXT, body)
    return builder.gtid(1).begin().commit(7).rotate()


@log
def heartbeat() -> LogBuilder:
    """Both versions; a server only sends them, so no file has them but one that a stream was saved to."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.add(EventType.HEARTBEAT, {"log_ident": "binlog.000007"}, timestamp=0, end_log_pos=1234)
    fields = [
        {"type": HeartbeatField.LOG_FILENAME, "value": "binlog.000007"},
        {"type": HeartbeatField.LOG_POSITION, "value": 5_000_000_000},
        {"type": HeartbeatField.END_MARK},
    ]
    builder.add(EventType.HEARTBEAT_V2, {"fields": fields}, timestamp=0, end_log_pos=0)
    return builder.rotate()


@log
def previous_gtids_tagged() -> LogBuilder:
    def intervals(*pairs: tuple[int, int]) -> list[dict[str, int]]:
        return [{"start": start, "end": end} for start, end in pairs]

    sources = [
        {"sid": SID, "tag": "", "intervals": intervals((1, 6), (8, 9), (11, 1 << 62))},
        {"sid": SID, "tag": "a_tag", "intervals": intervals((1, 2))},
        {"sid": OTHER_SID, "tag": "x" * 32, "intervals": intervals((5, 7), (9, 10))},
    ]
    builder = LogBuilder(MYSQL_9_7)
    builder.add(EventType.PREVIOUS_GTIDS, {"sources": sources}, EventFlag.IGNORABLE)
    return builder.rotate()


@log
def gtid_versions() -> LogBuilder:
    """A GTID in each length that servers wrote, and a tagged one with every field."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    without = {"commit_timestamps": None, "transaction_length": None, "server_versions": None}
    builder.gtid(1, **without, lt_type=None).query("CREATE TABLE mysql_5_6 (id INT)")
    builder.gtid(2, **without).query("CREATE TABLE mysql_5_7 (id INT)")
    builder.gtid(3, transaction_length=None, server_versions=None).query("CREATE TABLE mysql_8_0_1 (id INT)")
    builder.gtid(4, server_versions=None).query("CREATE TABLE mysql_8_0_2 (id INT)")
    replicated = (1795224000000009, 1695224000000001)
    builder.gtid(5, commit_timestamps=replicated, server_versions=(90704, 80012)).query("CREATE TABLE r (id INT)")
    builder.gtid(6, commit_timestamps=(0, 0), commit_group_ticket=123456789).query("CREATE TABLE ticket (id INT)")
    fields = {
        GtidField.GTID_FLAGS: 1,
        GtidField.SID: list(OTHER_SID),
        GtidField.GNO: 9,
        GtidField.TAG: "every_field",
        GtidField.LAST_COMMITTED: 6,
        GtidField.SEQUENCE_NUMBER: 7,
        GtidField.IMMEDIATE_COMMIT_TIMESTAMP: replicated[0],
        GtidField.ORIGINAL_COMMIT_TIMESTAMP: replicated[1],
        GtidField.TRANSACTION_LENGTH: 70000,
        GtidField.IMMEDIATE_SERVER_VERSION: 90704,
        GtidField.ORIGINAL_SERVER_VERSION: 90300,
        GtidField.COMMIT_GROUP_TICKET: 5,
    }
    body = {"fields": [{"id": key, "value": value} for key, value in fields.items()]}
    return builder.add(EventType.GTID_TAGGED, body).query("CREATE TABLE tagged (id INT)").rotate()


@log
def status_variables() -> LogBuilder:
    """Every status variable of a Query, in events that change them and change them back."""
    var: list[dict[str, Any]] = [
        {"code": StatusVar.FLAGS2, "value": 1 << 14 | 1 << 19 | 1 << 26 | 1 << 27},
        {"code": StatusVar.SQL_MODE, "value": 0x1003FF00 | 1 << 22},
        {"code": StatusVar.AUTO_INCREMENT, "value": {"increment": 10, "offset": 3}},
        {"code": StatusVar.CHARSET, "value": {**CHARSET, "collation_connection": 8}},
        {"code": StatusVar.TIME_ZONE, "value": "Europe/Paris"},
        {"code": StatusVar.CATALOG_NZ, "value": "std"},
        {"code": StatusVar.LC_TIME_NAMES, "value": 2},
        {"code": StatusVar.CHARSET_DATABASE, "value": 8},
        {"code": StatusVar.TABLE_MAP_FOR_UPDATE, "value": 5},
        {"code": StatusVar.MASTER_DATA_WRITTEN, "value": 77},
        {"code": StatusVar.INVOKER, "value": {"user": "someone", "host": "a.host"}},
        {"code": StatusVar.UPDATED_DB_NAMES, "value": {"names": ["one", "two"]}},
        {"code": StatusVar.MICROSECONDS, "value": 123456},
        {"code": StatusVar.COMMIT_TS, "value": 1},
        {"code": StatusVar.COMMIT_TS2, "value": 2},
        {"code": StatusVar.EXPLICIT_DEFAULTS_FOR_TIMESTAMP, "value": 1},
        {"code": StatusVar.DDL_LOGGED_WITH_XID, "value": 99},
        {"code": StatusVar.DEFAULT_COLLATION_FOR_UTF8MB4, "value": 45},
        {"code": StatusVar.SQL_REQUIRE_PRIMARY_KEY, "value": 1},
        {"code": StatusVar.DEFAULT_TABLE_ENCRYPTION, "value": 1},
    ]
    drop = (StatusVar.COMMIT_TS, StatusVar.COMMIT_TS2, StatusVar.MASTER_DATA_WRITTEN)
    many = {"code": StatusVar.UPDATED_DB_NAMES, "value": {"count": 254, "names": None}}
    catalog = {"code": StatusVar.CATALOG, "value": {"catalog": "std"}}
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    builder.gtid(1).query("CREATE TABLE plain (id INT)")
    builder.gtid(2).query("CREATE TABLE every (id INT)", status_vars=[v for v in var if v["code"] not in drop])
    builder.gtid(3).query("CREATE TABLE back (id INT)", db="back`tick")
    builder.gtid(4).query("CREATE TABLE old (id INT)", db="", status_vars=[*var[:2], catalog, *var[2:4], many])
    newer = {"code": 99, "value": b"of a newer server"}
    builder.gtid(5).query("CREATE TABLE none (id INT)", flags=EventFlag.THREAD_SPECIFIC, status_vars=[newer])
    return builder.rotate()


@log
def extra_row_info() -> LogBuilder:
    """Build the data that NDB and partitioned tables add to a version 2 row event."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    ndb = {"type": 0, "value": {"format": 3, "data": b"\0ndb\xff"}}
    part = {"type": 1, "value": {"partition_id": 5}}
    moved = {"type": 1, "value": {"partition_id": 5, "source_partition_id": 2}}
    builder.gtid(1, gtid_flags=0).begin()
    builder.table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS, row(1, "ndb"), 2, extra_row_info=[ndb], flags=0)
    builder.rows(EventType.WRITE_ROWS, row(2, "part"), 2, extra_row_info=[part], flags=0)
    change = row(2, "part") + row(3, "moved")
    builder.rows(EventType.UPDATE_ROWS, change, 2, after=True, extra_row_info=[ndb, moved], flags=0)
    builder.rows(EventType.DELETE_ROWS, row(3, "moved"), 2, extra_row_info=[part])
    return builder.commit(9).rotate()


@log
def payload_uncompressed() -> LogBuilder:
    """A Transaction_payload of compression type none, with every field and one that is not known."""
    builder = LogBuilder(MYSQL_9_7).previous_gtids()
    inside = LogBuilder(MYSQL_9_7.without_checksum(), inside_payload=True)
    start = len(inside.data)
    inside.begin()
    inside.table_map(INT_AND_TEXT)
    inside.rows(EventType.WRITE_ROWS, row(1, "one") + row(-2, "two"), 2)
    data = inside.commit(11).data[start:]
    fields = [
        {"type": PayloadField.COMPRESSION_TYPE, "value": CompressionType.NONE},
        {"type": PayloadField.PAYLOAD_SIZE, "value": len(data)},
        {"type": PayloadField.UNCOMPRESSED_SIZE, "value": len(data)},
        {"type": 9, "value": b"new"},
        {"type": PayloadField.END_MARK},
    ]
    builder.gtid(1, gtid_flags=0).add(EventType.TRANSACTION_PAYLOAD, {"fields": fields, "payload": data})
    return builder.rotate()
