"""Which declaration stands for which event type."""

from __future__ import annotations

from construct import Construct, GreedyBytes

from pybinlog.event_types import EventType
from pybinlog.layout.control.control import HEARTBEAT, HEARTBEAT_V2, IGNORABLE, INCIDENT, ROTATE, SLAVE, START_V3, STOP
from pybinlog.layout.control.format_description import FORMAT_DESCRIPTION
from pybinlog.layout.control.group_replication import TRANSACTION_CONTEXT, VIEW_CHANGE
from pybinlog.layout.mariadb import (
    ANNOTATE_ROWS,
    BINLOG_CHECKPOINT,
    COMPRESSED_ROWS,
    GTID_LIST,
    MARIA_GTID,
    QUERY_COMPRESSED,
    START_ENCRYPTION,
)
from pybinlog.layout.primitive import Body
from pybinlog.layout.rows.rows import ROWS
from pybinlog.layout.rows.table_map import TABLE_MAP
from pybinlog.layout.statement.load import APPEND_BLOCK, BEGIN_LOAD_QUERY, DELETE_FILE, EXECUTE_LOAD_QUERY
from pybinlog.layout.statement.old_load import CREATE_FILE, EXECUTE_LOAD, LOAD, NEW_LOAD
from pybinlog.layout.statement.query import QUERY
from pybinlog.layout.statement.rows_query import ROWS_QUERY
from pybinlog.layout.statement.variable import INTVAR, RAND, USER_VAR
from pybinlog.layout.transaction.gtid import GTID
from pybinlog.layout.transaction.gtid_tagged import GTID_TAGGED
from pybinlog.layout.transaction.payload import TRANSACTION_PAYLOAD
from pybinlog.layout.transaction.previous_gtids import PREVIOUS_GTIDS
from pybinlog.layout.transaction.xa import XA_PREPARE, XID

__all__ = ["DECLARATIONS", "UNKNOWN"]

UNKNOWN = Body("data" / GreedyBytes)
"""The body of a type that is not known."""

DECLARATIONS: dict[int, Construct] = {
    EventType.START_V3: START_V3,
    EventType.QUERY: QUERY,
    EventType.STOP: STOP,
    EventType.ROTATE: ROTATE,
    EventType.INTVAR: INTVAR,
    EventType.LOAD: LOAD,
    EventType.SLAVE: SLAVE,
    EventType.CREATE_FILE: CREATE_FILE,
    EventType.APPEND_BLOCK: APPEND_BLOCK,
    EventType.EXECUTE_LOAD: EXECUTE_LOAD,
    EventType.DELETE_FILE: DELETE_FILE,
    EventType.NEW_LOAD: NEW_LOAD,
    EventType.RAND: RAND,
    EventType.USER_VAR: USER_VAR,
    EventType.FORMAT_DESCRIPTION: FORMAT_DESCRIPTION,
    EventType.XID: XID,
    EventType.BEGIN_LOAD_QUERY: BEGIN_LOAD_QUERY,
    EventType.EXECUTE_LOAD_QUERY: EXECUTE_LOAD_QUERY,
    EventType.TABLE_MAP: TABLE_MAP,
    EventType.WRITE_ROWS_V0: ROWS,
    EventType.UPDATE_ROWS_V0: ROWS,
    EventType.DELETE_ROWS_V0: ROWS,
    EventType.WRITE_ROWS_V1: ROWS,
    EventType.UPDATE_ROWS_V1: ROWS,
    EventType.DELETE_ROWS_V1: ROWS,
    EventType.INCIDENT: INCIDENT,
    EventType.HEARTBEAT: HEARTBEAT,
    EventType.IGNORABLE: IGNORABLE,
    EventType.ROWS_QUERY: ROWS_QUERY,
    EventType.WRITE_ROWS: ROWS,
    EventType.UPDATE_ROWS: ROWS,
    EventType.DELETE_ROWS: ROWS,
    EventType.GTID: GTID,
    EventType.ANONYMOUS_GTID: GTID,
    EventType.PREVIOUS_GTIDS: PREVIOUS_GTIDS,
    EventType.TRANSACTION_CONTEXT: TRANSACTION_CONTEXT,
    EventType.VIEW_CHANGE: VIEW_CHANGE,
    EventType.XA_PREPARE: XA_PREPARE,
    EventType.PARTIAL_UPDATE_ROWS: ROWS,
    EventType.TRANSACTION_PAYLOAD: TRANSACTION_PAYLOAD,
    EventType.HEARTBEAT_V2: HEARTBEAT_V2,
    EventType.GTID_TAGGED: GTID_TAGGED,
    EventType.MARIA_ANNOTATE_ROWS: ANNOTATE_ROWS,
    EventType.MARIA_BINLOG_CHECKPOINT: BINLOG_CHECKPOINT,
    EventType.MARIA_GTID: MARIA_GTID,
    EventType.MARIA_GTID_LIST: GTID_LIST,
    EventType.MARIA_START_ENCRYPTION: START_ENCRYPTION,
    EventType.MARIA_QUERY_COMPRESSED: QUERY_COMPRESSED,
    EventType.MARIA_WRITE_ROWS_COMPRESSED_V1: COMPRESSED_ROWS,
    EventType.MARIA_UPDATE_ROWS_COMPRESSED_V1: COMPRESSED_ROWS,
    EventType.MARIA_DELETE_ROWS_COMPRESSED_V1: COMPRESSED_ROWS,
    EventType.MARIA_WRITE_ROWS_COMPRESSED: COMPRESSED_ROWS,
    EventType.MARIA_UPDATE_ROWS_COMPRESSED: COMPRESSED_ROWS,
    EventType.MARIA_DELETE_ROWS_COMPRESSED: COMPRESSED_ROWS,
}
"""Event type -> the declaration of its body; each is parsed with `format` and `event_type` as context."""
