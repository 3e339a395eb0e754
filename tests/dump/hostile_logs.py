"""Logs whose names would begin statements, end strings or move a terminal's cursor, in each place where a name can be.

`python -m tests.dump.hostile_logs` writes those that mysqlbinlog reads to testdata/more/hostile-names. If mysqlbinlog
9.7 is installed, it records its output for logs without runs.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pybinlog.column_types import ColumnType, MetadataType
from pybinlog.event_types import EventType
from pybinlog.layout import Format, GtidField, StatusVar
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.statement import UserVarType

from ..corpus import TESTDATA, Scenario
from ..layout.log_builder import MARIADB_10_11, MYSQL_5_0, MYSQL_9_7, OTHER_SID, SID, LogBuilder
from ..parity.reference import reference
from ..record import record

PAYLOAD = b"DROP TABLE x"
"""Bytes with which no line of a text may begin."""

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

Add = Callable[[LogBuilder, bytes], LogBuilder]


@dataclass(frozen=True)
class Place:
    """A place of a name: `add` appends events with the name there. `in_mysql`: mysqlbinlog prints such an event."""

    add: Add
    format: Format
    in_mysql: bool

    def log(self, name: bytes) -> bytes:
        """A log with this name."""
        return self.add(LogBuilder(self.format), name).rotate().data


PLACES: dict[str, Place] = {}


def place(name: str, format: Format = MYSQL_9_7, in_mysql: bool = True) -> Callable[[Add], Add]:
    """Registers what adds events under the name of the place where the name stands in them."""

    def register(add: Add) -> Add:
        PLACES[name] = Place(add, format, in_mysql)
        return add

    return register


def text(name: bytes) -> str:
    """As `layout` takes it."""
    return name.decode("utf-8", "surrogateescape")


def of_server(name: bytes) -> bytes:
    """A log whose server's version ends in the name."""
    return LogBuilder(Format.of(text(b"9.7.4" + name[:44]))).rotate().data


def everywhere(name: bytes) -> bytes:
    """A log with the name in each place that mysqlbinlog reads, the server's version among them."""
    log = LogBuilder(Format.of(text(b"9.7.4" + name[:44]), MYSQL_9_7.checksum_algorithm, MYSQL_9_7.post_header_lengths))
    for each in PLACES.values():
        if each.in_mysql:
            each.add(log, name)
    return log.rotate().data


@place("rotate")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.add(EventType.ROTATE, {"position": 4, "new_log_ident": text(name)})


def table_map(log: LogBuilder, **fields: Any) -> LogBuilder:
    """Appends a Table_map of one column; what is given is not as usual."""
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
    return log.add(EventType.TABLE_MAP, body)


def mapped(log: LogBuilder, **fields: Any) -> LogBuilder:
    """Appends a transaction with rows of such a table, once none."""
    table_map(log.gtid(1, gtid_flags=0).begin(), **fields)
    log.rows(EventType.WRITE_ROWS, b"\0" + struct.pack("<i", 5), 1)
    return table_map(log, **fields).rows(EventType.WRITE_ROWS, b"", 1).commit(7)


@place("table-map-database")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return mapped(log, db=text(name))


@place("table-map-table")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return mapped(log, table=text(name))


@place("column-name")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    metadata = [
        {"type": MetadataType.COLUMN_NAME, "value": [text(name)]},
        {"type": MetadataType.SIMPLE_PRIMARY_KEY, "value": [0]},
    ]
    return mapped(log, optional_metadata=metadata)


def listed(log: LogBuilder, name: bytes, kind: ColumnType, values: MetadataType) -> LogBuilder:
    metadata = [
        {"type": values, "value": [[text(name), "b"]]},
        {"type": MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, "value": {"default_charset": 33, "exceptions": []}},
    ]
    column = {"real_type": int(kind), "length": 1}
    log.gtid(1, gtid_flags=0).begin()
    table_map(log, column_types=[ColumnType.STRING], column_metadata=[column], optional_metadata=metadata)
    return log.rows(EventType.WRITE_ROWS, b"\0\1", 1).commit(7)


@place("enumeration")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return listed(log, name, ColumnType.ENUM, MetadataType.ENUM_STR_VALUE)


@place("set")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return listed(log, name, ColumnType.SET, MetadataType.SET_STR_VALUE)


@place("value")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    builder = log.gtid(1, gtid_flags=0).begin()
    builder.table_map([(ColumnType.LONG, None), (ColumnType.VARCHAR, {"max_length": 200})])
    return builder.rows(EventType.WRITE_ROWS, b"\xfc" + struct.pack("<iB", 1, len(name)) + name, 2).commit(7)


@place("database")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.gtid(1).query("CREATE TABLE t (id INT)", db=text(name))


@place("time-zone")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    variables = [{"code": StatusVar.TIME_ZONE, "value": text(name)}]
    return log.gtid(1).query("CREATE TABLE t (id INT)", status_vars=variables)


@place("user-variable")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    fields = {"name": text(name), "is_null": 0, "type": UserVarType.INT, "charset": 33, "value": bytes(8), "flags": 0}
    builder = log.gtid(1).begin().add(EventType.USER_VAR, fields)
    return builder.query("INSERT INTO t VALUES (1)").commit(4)


@place("gtid-tag")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
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
    return log.add(EventType.GTID_TAGGED, body).query("CREATE TABLE tagged (id INT)")


@place("previous-gtids-tag", in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    source = {"sid": SID, "tag": text(name[:32]), "intervals": [{"start": 1, "end": 2}]}
    return log.add(EventType.PREVIOUS_GTIDS, {"sources": [source]})


@place("rows-query")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    builder = log.gtid(1, gtid_flags=0).begin().add(EventType.ROWS_QUERY, {"query": name})
    builder.table_map([(ColumnType.LONG, None)])
    return builder.rows(EventType.WRITE_ROWS, b"\0" + struct.pack("<i", 5), 1).commit(7)


@place("incident")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.gtid(1).add(EventType.INCIDENT, {"incident": 1, "message": text(name)})


@place("transaction-context")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    body = {
        "server_uuid": text(name),
        "thread_id": 12,
        "gtid_specified": 0,
        "snapshot_version": struct.pack("<Q", 1) + SID + struct.pack("<QQQ", 1, 1, 9),
        "write_set": [],
        "read_set": [],
    }
    return log.add(EventType.TRANSACTION_CONTEXT, body)


@place("view-change")
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    body = {"view_id": text(name[:40]), "sequence_number": 12, "certification_info": []}
    return log.gtid(1).begin().add(EventType.VIEW_CHANGE, body).commit(3)


@place("binlog-checkpoint", MARIADB_10_11, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.add(EventType.MARIA_BINLOG_CHECKPOINT, {"filename": text(name)})


@place("annotate-rows", MARIADB_10_11, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.maria_gtid(1).add(EventType.MARIA_ANNOTATE_ROWS, {"query": name}).commit(3)


@place("heartbeat", in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return log.add(EventType.HEARTBEAT, {"log_ident": text(name)}, timestamp=0, end_log_pos=1234)


@place("heartbeat-v2", in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    fields = [{"type": HeartbeatField.LOG_FILENAME, "value": text(name)}, {"type": HeartbeatField.END_MARK}]
    return log.add(EventType.HEARTBEAT_V2, {"fields": fields}, timestamp=0, end_log_pos=0)


@place("start-v3", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    version = text((b"4.1.22" + name)[:49])
    body = {"binlog_version": 3, "server_version": version, "create_timestamp": 1795220000}
    return log.add(EventType.START_V3, body)


@place("slave", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    name = name.replace(b"\0", b"")
    body = {"master_pos": 4711, "master_port": 3306, "master_host": text(name), "master_log": text(name)}
    return log.add(EventType.SLAVE, body)


SEPARATORS = {
    "field_term": b",", "enclosed": b'"', "line_term": b"\n", "line_start": b"", "escaped": b"\\", "opt_flags": 0,
    "empty_flags": 0,
}  # fmt: skip


def load(
    log: LogBuilder, kind: EventType = EventType.NEW_LOAD, separators: Any = SEPARATORS, **fields: Any
) -> LogBuilder:
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
    return log.add(kind, body)


@place("load-database", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return load(log, db=text(name.replace(b"\0", b"")))


@place("load-table", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return load(log, table_name=text(name.replace(b"\0", b"")))


@place("load-file", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return load(log, file_name=text(name))


@place("load-columns", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return load(log, field_names=[text(name.replace(b"\0", b"")), "b"])


@place("load-separator", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    return load(log, separators={**SEPARATORS, "field_term": name, "enclosed": name})


@place("create-file", MYSQL_5_0, in_mysql=False)
def _(log: LogBuilder, name: bytes) -> LogBuilder:
    whole = name.replace(b"\0", b"")
    fields = {"table_name": text(whole), "db": text(whole), "field_names": [text(whole)]}
    builder = load(log, EventType.CREATE_FILE, **fields, file_name=text(name), file_id=8, block_data=b"1\n")
    return builder.add(EventType.EXECUTE_LOAD, {"file_id": 8})


def main() -> None:
    folder = TESTDATA / "more" / "hostile-names"
    recorded = Scenario(folder).runs
    for number, (kind, name) in enumerate(NAMES.items(), 1):
        log = f"binlog.{number:06d}"
        (folder / log).write_bytes(everywhere(name))
        for options in (["-vv", "--print-table-metadata"], ["-v", "--base64-output=decode-rows"]):
            command = reference()
            if f"{kind}{options[0]}" not in recorded and command is not None:
                record(folder, f"{kind}{options[0]}", command, [*options, log])


if __name__ == "__main__":
    main()
