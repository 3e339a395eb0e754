"""Start_v3, Slave, Heartbeat, Transaction_context and View_change as text: what no log of an ordinary server holds.

Transaction_context and View_change are the MySQL tool's lines, Start_v3 is mariadb-binlog's; no tool prints the others,
whose form is docs/parity-mariadb.md's.
"""

from __future__ import annotations

import base64
import time

from pybinlog.events import EventFlag, EventType
from pybinlog.kernel.batch import EventBatch
from pybinlog.kernel.render import Renderer
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.envelope import parse_body
from pybinlog.layout.format import Format

__all__ = ["put_heartbeat", "put_slave", "put_start_v3", "put_transaction_context", "put_view_change"]

LONGEST_LINE = 255  # bytes of what the MySQL tool tells of an event of group replication


def put_start_v3(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """The Format_description of a log before v4, which a relay log of 5.0 could hold."""
    fields = parse_body(EventType.START_V3, body, Format.default())
    _, timestamp, _, _, _, _, flags, *_ = batch.header(index)
    line = (
        f"\tStart: binlog v {fields.binlog_version}, server v {fields.server_version} created {local_time(timestamp)}"
    )
    text = b""
    if fields.create_timestamp:
        line += " at startup"
        if not flags & EventFlag.ARTIFICIAL:
            text = b"ROLLBACK/*!*/;\n"
    if renderer.base64_statements:
        text += b"BINLOG '\n" + base64.encodebytes(batch.data(index)) + b"'/*!*/;\n"
    renderer.put_line(batch, index, one_line(line), text)


def put_slave(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Where a replica before 5.0 stood in its source's logs."""
    fields = parse_body(EventType.SLAVE, body, Format.default())
    line = (
        f"\tSlave\tmaster_host={fields.master_host}\tmaster_port={fields.master_port}"
        f"\tmaster_log={fields.master_log}\tmaster_pos={fields.master_pos}"
    )
    renderer.put_line(batch, index, one_line(line), b"")


def put_heartbeat(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """What a source sends a replica while it has nothing to say: the log and the position that it is at."""
    _, _, kind, _, _, position, *_ = batch.header(index)
    fields = parse_body(kind, body, Format.default())
    log = ""
    if kind == EventType.HEARTBEAT:
        log = fields.log_ident
    else:
        for entry in fields.fields:
            if entry.type == HeartbeatField.LOG_FILENAME:
                log = entry.value
            elif entry.type == HeartbeatField.LOG_POSITION:
                position = entry.value
    renderer.put_line(batch, index, one_line(f"\tHeartbeat\tlog={log}\tposition={position}"), b"")


def put_transaction_context(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Group replication: which server's transaction this is."""
    fields = parse_body(EventType.TRANSACTION_CONTEXT, body, Format.default())
    uuid = fields.server_uuid.partition("\0")[0]
    line = one_line(f"server_uuid={uuid}\tthread_id={fields.thread_id}")
    renderer.put_line(batch, index, b"Transaction_context: " + line[:LONGEST_LINE], b"")


def put_view_change(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Group replication: the group's members are others from here on."""
    view_id = parse_body(EventType.VIEW_CHANGE, body, Format.default()).view_id
    line = one_line("view_id=" + view_id.partition("\0")[0])
    renderer.put_line(batch, index, b"View_change_log_event: " + line[:LONGEST_LINE], b"")


def local_time(timestamp: int) -> str:
    """As in the header line: YYMMDD hh:mm:ss, the hour without a leading zero."""
    t = time.localtime(timestamp)
    return f"{t.tm_year % 100:02d}{t.tm_mon:02d}{t.tm_mday:02d} {t.tm_hour:2d}:{t.tm_min:02d}:{t.tm_sec:02d}"


def one_line(text: str) -> bytes:
    """In bytes, and no name can end the line."""
    return text.replace("\n", "\\n").replace("\r", "\\r").encode("utf-8", "surrogateescape")
