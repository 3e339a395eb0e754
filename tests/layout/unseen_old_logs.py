"""Logs of the event types of servers before 5.6, and of MariaDB, that no real log of the corpus holds."""

import hashlib
import struct
from collections.abc import Callable
from typing import Any

from pybinlog.column_types import ColumnType
from pybinlog.event_types import EventFlag, EventType
from pybinlog.layout import new_event
from pybinlog.layout.statement import UserVarType
from tests.layout.compression import compress

from .log_builder import INT_AND_TEXT, MARIADB_10_11, MYSQL_5_0, MYSQL_5_1_EARLY, MYSQL_5_5, MYSQL_5_6, LogBuilder, row

OLD_LOGS: dict[str, Callable[[], LogBuilder]] = {}


def log(build: Callable[[], LogBuilder]) -> Callable[[], LogBuilder]:
    """Registers a log under the name of the function that builds it."""
    OLD_LOGS[build.__name__] = build
    return build


@log
def old_types() -> LogBuilder:
    """Column types that servers before 5.6.4 wrote, and those that only the table map's format knows."""
    columns: list[tuple[int, Any]] = [
        (ColumnType.TIMESTAMP, None),
        (ColumnType.DATETIME, None),
        (ColumnType.TIME, None),
        (ColumnType.NEWDATE, None),
        (ColumnType.STRING, {"real_type": 0xEE, "length": 0x2C}),
        (ColumnType.ENUM, {"real_type": 247, "length": 2}),
        (ColumnType.YEAR, None),
        (ColumnType.VAR_STRING, {"max_length": 300}),
    ]
    values = (
        struct.pack("<I", 1234567890)
        + struct.pack("<Q", 20091213233130)
        + (235959).to_bytes(3, "little")
        + (2009 << 9 | 12 << 5 | 13).to_bytes(3, "little")
        + b"\4\0long"
        + b"\2\1"
        + b"\0"
        + b"\3\0abc"
    )
    zeros = bytes(4 + 8 + 3 + 3) + b"\0\0" + b"\0\0" + b"\xff" + b"\0\0"
    builder = LogBuilder(MYSQL_5_6).previous_gtids().begin()
    builder.table_map(columns)
    builder.rows(EventType.WRITE_ROWS, b"\0" + values + b"\xff" + b"\0" + zeros, len(columns))
    return builder.commit(3).rotate()


@log
def user_var() -> LogBuilder:
    """User variables of every type."""

    def add(name: str, kind: int, value: bytes, charset: int = 63, flags: int | None = 0) -> None:
        fields = {"name": name, "is_null": 0, "type": kind, "charset": charset, "value": value, "flags": flags}
        builder.add(EventType.USER_VAR, fields)

    builder = LogBuilder(MYSQL_5_6).begin()
    builder.add(EventType.USER_VAR, {"name": "nothing", "is_null": 1})
    add("text", UserVarType.STRING, "naïve 'q' \\ \0".encode(), 45)
    add("empty", UserVarType.STRING, b"", 33)
    add("bytes", UserVarType.STRING, bytes(range(250, 256)))
    add("latin", UserVarType.STRING, b"\xe9", 8)
    add("no such collation", UserVarType.STRING, b"abc", 9999)
    add("real", UserVarType.REAL, struct.pack("<d", -1.5e-7))
    add("whole real", UserVarType.REAL, struct.pack("<d", 1e15))
    add("signed", UserVarType.INT, struct.pack("<q", -(1 << 63)))
    add("unsigned", UserVarType.INT, struct.pack("<Q", (1 << 64) - 1), flags=1)
    add("without flags", UserVarType.INT, struct.pack("<Q", (1 << 64) - 2), flags=None)
    add("decimal", UserVarType.DECIMAL, bytes.fromhex("0e04 810dfb38d204d2"))
    add("negative `decimal`", UserVarType.DECIMAL, bytes.fromhex("0e04 7ef204c72dfb2d"))
    builder.query("INSERT INTO t VALUES (@text, @real, @signed, @decimal)")
    return builder.commit(4).rotate()


@log
def start_v3() -> LogBuilder:
    """The first event of a log before v4, in the midst of a v4 log, as a relay log of 5.0 could hold it."""
    builder = LogBuilder(MYSQL_5_0)
    body = {"binlog_version": 3, "server_version": "4.1.22-log", "create_timestamp": 1795220000}
    builder.add(EventType.START_V3, body)
    return builder.query("CREATE TABLE t (id INT)").rotate()


@log
def slave() -> LogBuilder:
    builder = LogBuilder(MYSQL_5_0)
    body = {"master_pos": 4711, "master_port": 3306, "master_host": "source.example", "master_log": "binlog.000003"}
    builder.add(EventType.SLAVE, body)
    return builder.query("CREATE TABLE t (id INT)").rotate()


@log
def delete_file() -> LogBuilder:
    """A LOAD DATA that failed."""
    builder = LogBuilder(MYSQL_5_5).begin()
    builder.add(EventType.BEGIN_LOAD_QUERY, {"file_id": 3, "block_data": b"1\tone\n2\ttwo\n"})
    builder.add(EventType.APPEND_BLOCK, {"file_id": 3, "block_data": b"3\tthree\n"})
    builder.add(EventType.DELETE_FILE, {"file_id": 3})
    return builder.query("ROLLBACK", flags=EventFlag.SUPPRESS_USE).rotate()


_LOAD = {
    "thread_id": 5,
    "exec_time": 0,
    "skip_lines": 1,
    "field_names": ["a", "b column"],
    "table_name": "t",
    "db": "test",
}
_SEPARATORS = {"field_term": b",", "enclosed": b'"', "line_term": b"\n", "line_start": b"", "escaped": b"\\"}


@log
def old_load() -> LogBuilder:
    """LOAD DATA as servers before 5.0.3 logged it."""
    builder = LogBuilder(MYSQL_5_0)
    old = {**_SEPARATORS, "line_start": b"\0", "opt_flags": 2, "empty_flags": 8}
    builder.add(EventType.LOAD, {**_LOAD, "sql_ex_info": old, "file_name": "/tmp/old.csv"})
    new = {**_SEPARATORS, "field_term": b"<tab>", "opt_flags": 4}
    builder.add(EventType.NEW_LOAD, {**_LOAD, "sql_ex_info": new, "file_name": "/tmp/new.csv", "skip_lines": 0})
    fields = {**_LOAD, "sql_ex_info": {**new, "opt_flags": 0}, "file_name": "/tmp/file.csv"}
    builder.add(EventType.CREATE_FILE, {**fields, "file_id": 8, "block_data": b'1<tab>"one"\n'})
    builder.add(EventType.APPEND_BLOCK, {"file_id": 8, "block_data": b'2<tab>"two"\n'})
    builder.add(EventType.EXECUTE_LOAD, {"file_id": 8})
    builder.add(EventType.CREATE_FILE, {**fields, "field_names": [], "file_id": 9, "block_data": b""})
    builder.add(EventType.DELETE_FILE, {"file_id": 9})
    return builder.query("CREATE TABLE after_it (id INT)").rotate()


@log
def rows_v0() -> LogBuilder:
    """The row events of 5.1 before it was released."""
    builder = LogBuilder(MYSQL_5_1_EARLY)
    builder.begin().table_map(INT_AND_TEXT)
    builder.rows(EventType.WRITE_ROWS_V0, row(1, "one") + row(2, "two"), 2, extra_row_info=None)
    builder.table_map(INT_AND_TEXT)
    builder.rows(EventType.UPDATE_ROWS_V0, row(1, "one") + row(1, "eins"), 2, extra_row_info=None)
    builder.table_map(INT_AND_TEXT)
    builder.rows(EventType.DELETE_ROWS_V0, row(2, "two"), 2, extra_row_info=None)
    return builder.commit(5).rotate()


@log
def maria_start_encryption() -> LogBuilder:
    """The events after it are not readable without the key; only their sizes are."""
    builder = LogBuilder(MARIADB_10_11)
    builder.add(EventType.MARIA_START_ENCRYPTION, {"crypto_scheme": 1, "key_version": 1, "nonce": bytes(range(12))})
    for number in range(2):
        event = new_event(EventType.MARIA_GTID_LIST, {"list": []}, builder.format, position=len(builder.data))
        secret = hashlib.sha256(b"%d" % number).digest() * 2
        builder.add_bytes(secret[:9] + event[9:13] + secret[13 : len(event)])
    return builder


@log
def maria_compressed_v2() -> LogBuilder:
    """Version 2 of the compressed row events, which MariaDB reads and never writes."""
    builder = LogBuilder(MARIADB_10_11)
    builder.add(EventType.MARIA_GTID_LIST, {"list": []})
    builder.maria_gtid(1)
    part = [{"type": 1, "value": {"partition_id": 1}}]
    long = "x" * 20
    for kind, rows, after, extra in (
        (EventType.MARIA_WRITE_ROWS_COMPRESSED, row(1, long) * 5, False, []),
        (EventType.MARIA_UPDATE_ROWS_COMPRESSED, (row(1, long) + row(2, "short")) * 5, True, []),
        (EventType.MARIA_DELETE_ROWS_COMPRESSED, row(2, "short"), False, part),
    ):
        builder.table_map(INT_AND_TEXT)
        builder.rows(kind, compress(rows), 2, after=after, extra_row_info=extra)
    return builder.commit(6).rotate()
