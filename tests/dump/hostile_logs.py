"""Logs whose names would begin statements, end strings or move a terminal's cursor, in each place where a name can be."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from pybinlog.events import EventType
from pybinlog.layout import Format, GtidField, StatusVar
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.table_map import ColumnType
from pybinlog.layout.table_metadata import MetadataType
from pybinlog.layout.variable import UserVarType

from ..layout.log_builder import MARIADB_10_11, MYSQL_5_0, MYSQL_5_6, MYSQL_9_7, OTHER_SID, SID, LogBuilder, row

PAYLOAD = b"DROP TABLE x"
"""What no line of a text may begin with."""

NAMES: dict[str, bytes] = {
    "newline": b"a\nDROP TABLE x;\n#",
    "carriage-return": b"a\r\nDROP TABLE x;\r#",
    "delimiter": b"a\n/*!*/;\nDROP TABLE x/*!*/;\n#",
    "quote": b"a';\nDROP TABLE x;-- ",
    "backslash-quote": b"a\\';\nDROP TABLE x;#",
    "backtick": b"a`;\nDROP TABLE x;`",
    "comment-end": b"a*/\nDROP TABLE x;/*",
    "null": b"a\0\nDROP TABLE x;",
    "field": b"a\tTBM: Statement\nDROP TABLE x;",
    "terminal": b"a\x1b[2J\x07\x7f\xc2\x9b31m\x9b\xff\x0b\x0c\nDROP TABLE x;",
}

PLACES: dict[str, Callable[[bytes], LogBuilder]] = {}
OPTIONS: dict[str, list[str]] = {}
"""What a place's text needs to show, where that is more than `-vv`."""
NOT_IN_MYSQL = {
    "binlog-checkpoint", "annotate-rows", "heartbeat", "heartbeat-v2", "start-v3", "slave", "load-database", "load-table",
    "load-file", "load-columns", "load-separator", "create-file",
}  # fmt: skip
"""Places in events that mysqlbinlog refuses."""


def place(name: str, *options: str) -> Callable[[Callable[[bytes], LogBuilder]], Callable[[bytes], LogBuilder]]:
    """Registers a log under the name of the place where the name stands in it."""

    def register(build: Callable[[bytes], LogBuilder]) -> Callable[[bytes], LogBuilder]:
        PLACES[name] = build
        OPTIONS[name] = list(options)
        return build

    return register


def text(name: bytes) -> str:
    """As `layout` takes it."""
    return name.decode("utf-8", "surrogateescape")


def mysql() -> LogBuilder:
    return LogBuilder(MYSQL_9_7).previous_gtids()


@place("server-version")
def _(name: bytes) -> LogBuilder:
    length = 49 - len("9.7.4")
    return LogBuilder(Format.of(text(b"9.7.4" + name[:length]))).rotate()


@place("rotate")
def _(name: bytes) -> LogBuilder:
    return mysql().add(EventType.ROTATE, {"position": 4, "new_log_ident": text(name)})


def mapped(name: bytes, **fields: Any) -> LogBuilder:
    """Rows of a table; what of its Table_map is given is not as usual."""
    body = {
        "table_id": 71,
        "flags": 1,
        "db": "test",
        "table": "t",
        "column_types": [ColumnType.LONG],
        "column_metadata": [None],
        "null_bits": b"\xff",
        "optional_metadata": [],
        **fields,
    }
    builder = mysql().gtid(1, gtid_flags=0).begin().add(EventType.TABLE_MAP, body)
    builder.rows(EventType.WRITE_ROWS, b"\0" + struct.pack("<i", 5), 1)
    builder.add(EventType.TABLE_MAP, body).rows(EventType.WRITE_ROWS, b"", 1)
    return builder.commit(7).rotate()


@place("table-map-database")
def _(name: bytes) -> LogBuilder:
    return mapped(name, db=text(name))


@place("table-map-table")
def _(name: bytes) -> LogBuilder:
    return mapped(name, table=text(name))


@place("column-name", "--print-table-metadata")
def _(name: bytes) -> LogBuilder:
    metadata = [
        {"type": MetadataType.COLUMN_NAME, "value": [text(name)]},
        {"type": MetadataType.SIMPLE_PRIMARY_KEY, "value": [0]},
    ]
    return mapped(name, optional_metadata=metadata)


def listed(name: bytes, kind: ColumnType, values: MetadataType) -> LogBuilder:
    metadata = [
        {"type": values, "value": [[text(name), "b"]]},
        {"type": MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, "value": {"default_charset": 33, "exceptions": []}},
    ]
    body = {
        "table_id": 71,
        "flags": 1,
        "db": "test",
        "table": "t",
        "column_types": [ColumnType.STRING],
        "column_metadata": [{"real_type": int(kind), "length": 1}],
        "null_bits": b"\xff",
        "optional_metadata": metadata,
    }
    builder = mysql().gtid(1, gtid_flags=0).begin().add(EventType.TABLE_MAP, body)
    return builder.rows(EventType.WRITE_ROWS, b"\0\1", 1).commit(7).rotate()


@place("enumeration", "--print-table-metadata")
def _(name: bytes) -> LogBuilder:
    return listed(name, ColumnType.ENUM, MetadataType.ENUM_STR_VALUE)


@place("set", "--print-table-metadata")
def _(name: bytes) -> LogBuilder:
    return listed(name, ColumnType.SET, MetadataType.SET_STR_VALUE)


@place("value")
def _(name: bytes) -> LogBuilder:
    builder = mysql().gtid(1, gtid_flags=0).begin()
    builder.table_map([(ColumnType.LONG, None), (ColumnType.VARCHAR, {"max_length": 200})])
    return builder.rows(EventType.WRITE_ROWS, row(1, "") [:-1] + bytes([len(name)]) + name, 2).commit(7).rotate()


@place("database")
def _(name: bytes) -> LogBuilder:
    return mysql().gtid(1).query("CREATE TABLE t (id INT)", db=text(name)).rotate()


@place("time-zone")
def _(name: bytes) -> LogBuilder:
    variables = [{"code": StatusVar.TIME_ZONE, "value": text(name)}]
    return mysql().gtid(1).query("CREATE TABLE t (id INT)", status_vars=variables).rotate()


@place("user-variable")
def _(name: bytes) -> LogBuilder:
    fields = {"name": text(name), "is_null": 0, "type": UserVarType.INT, "charset": 33, "value": bytes(8), "flags": 0}
    builder = LogBuilder(MYSQL_5_6).begin().add(EventType.USER_VAR, fields)
    return builder.query("INSERT INTO t VALUES (1)").commit(4).rotate()


@place("gtid-tag")
def _(name: bytes) -> LogBuilder:
    fields = {
        GtidField.GTID_FLAGS: 1,
        GtidField.SID: list(OTHER_SID),
        GtidField.GNO: 9,
        GtidField.TAG: text(name[:32]),
        GtidField.LAST_COMMITTED: 6,
        GtidField.SEQUENCE_NUMBER: 7,
        GtidField.IMMEDIATE_COMMIT_TIMESTAMP: 1,
        GtidField.TRANSACTION_LENGTH: 70000,
        GtidField.IMMEDIATE_SERVER_VERSION: 90704,
    }
    body = {"fields": [{"id": key, "value": value} for key, value in fields.items()]}
    return mysql().add(EventType.GTID_TAGGED, body).query("CREATE TABLE tagged (id INT)").rotate()


@place("previous-gtids-tag")
def _(name: bytes) -> LogBuilder:
    source = {"sid": SID, "tag": text(name[:32]), "intervals": [{"start": 1, "end": 2}]}
    return LogBuilder(MYSQL_9_7).add(EventType.PREVIOUS_GTIDS, {"sources": [source]}).rotate()


@place("rows-query")
def _(name: bytes) -> LogBuilder:
    builder = mysql().gtid(1, gtid_flags=0).begin().add(EventType.ROWS_QUERY, {"query": name})
    builder.table_map([(ColumnType.LONG, None)])
    return builder.rows(EventType.WRITE_ROWS, b"\0" + struct.pack("<i", 5), 1).commit(7).rotate()


@place("incident")
def _(name: bytes) -> LogBuilder:
    return mysql().gtid(1).add(EventType.INCIDENT, {"incident": 1, "message": text(name)}).rotate()


@place("transaction-context")
def _(name: bytes) -> LogBuilder:
    body = {
        "server_uuid": text(name),
        "thread_id": 12,
        "gtid_specified": 0,
        "snapshot_version": struct.pack("<Q", 1) + SID + struct.pack("<QQQ", 1, 1, 9),
        "write_set": [],
        "read_set": [],
    }
    return mysql().add(EventType.TRANSACTION_CONTEXT, body).rotate()


@place("view-change")
def _(name: bytes) -> LogBuilder:
    body = {"view_id": text(name), "sequence_number": 12, "certification_info": []}
    return mysql().gtid(1).begin().add(EventType.VIEW_CHANGE, body).commit(3).rotate()


@place("binlog-checkpoint")
def _(name: bytes) -> LogBuilder:
    return LogBuilder(MARIADB_10_11).add(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": text(name)}).rotate()


@place("annotate-rows")
def _(name: bytes) -> LogBuilder:
    return LogBuilder(MARIADB_10_11).maria_gtid(1).add(EventType.MARIA_ANNOTATE_ROWS, {"query": name}).commit(3)


@place("heartbeat")
def _(name: bytes) -> LogBuilder:
    return mysql().add(EventType.HEARTBEAT, {"log_ident": text(name)}, timestamp=0, end_log_pos=1234).rotate()


@place("heartbeat-v2")
def _(name: bytes) -> LogBuilder:
    fields = [{"type": HeartbeatField.LOG_FILENAME, "value": text(name)}, {"type": HeartbeatField.END_MARK}]
    return mysql().add(EventType.HEARTBEAT_V2, {"fields": fields}, timestamp=0, end_log_pos=0).rotate()


@place("start-v3")
def _(name: bytes) -> LogBuilder:
    version = text((b"4.1.22" + name)[:49])
    body = {"binlog_version": 3, "server_version": version, "create_timestamp": 1795220000}
    return LogBuilder(MYSQL_5_0).add(EventType.START_V3, body).rotate()


@place("slave")
def _(name: bytes) -> LogBuilder:
    name = name.replace(b"\0", b"")
    body = {"master_pos": 4711, "master_port": 3306, "master_host": text(name), "master_log": text(name)}
    return LogBuilder(MYSQL_5_0).add(EventType.SLAVE, body).rotate()


SEPARATORS = {
    "field_term": b",", "enclosed": b'"', "line_term": b"\n", "line_start": b"", "escaped": b"\\", "opt_flags": 0,
    "empty_flags": 0,
}  # fmt: skip


def load(kind: EventType = EventType.NEW_LOAD, separators: Any = SEPARATORS, **fields: Any) -> LogBuilder:
    body = {
        "thread_id": 5,
        "exec_time": 0,
        "skip_lines": 1,
        "field_names": ["a", "b column"],
        "table_name": "t",
        "db": "test",
        "sql_ex_info": separators,
        "file_name": "/tmp/new.csv",
        **fields,
    }
    return LogBuilder(MYSQL_5_0).add(kind, body)


@place("load-database")
def _(name: bytes) -> LogBuilder:
    return load(db=text(name.replace(b"\0", b""))).rotate()


@place("load-table")
def _(name: bytes) -> LogBuilder:
    return load(table_name=text(name.replace(b"\0", b""))).rotate()


@place("load-file")
def _(name: bytes) -> LogBuilder:
    return load(file_name=text(name)).rotate()


@place("load-columns")
def _(name: bytes) -> LogBuilder:
    return load(field_names=[text(name.replace(b"\0", b"")), "b"]).rotate()


@place("load-separator")
def _(name: bytes) -> LogBuilder:
    return load(separators={**SEPARATORS, "field_term": name, "enclosed": name}).rotate()


@place("create-file")
def _(name: bytes) -> LogBuilder:
    whole = name.replace(b"\0", b"")
    fields = {"table_name": text(whole), "db": text(whole), "field_names": [text(whole)]}
    builder = load(EventType.CREATE_FILE, **fields, file_name=text(name), file_id=8, block_data=b"1\n")
    return builder.add(EventType.EXECUTE_LOAD, {"file_id": 8}).rotate()
