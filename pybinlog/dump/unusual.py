"""Start_v3, Slave, Heartbeat, Transaction_context, View_change, and what MariaDB ignores: no ordinary log holds these.

Transaction_context and View_change are the MySQL tool's lines, Start_v3 is mariadb-binlog's; no tool prints the others,
whose form is docs/parity-mariadb.md's.
"""

from __future__ import annotations

import base64
import time

from pybinlog.dump import old_load
from pybinlog.event_types import EventFlag, EventType, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.name import name_text
from pybinlog.kernel.text.render import Renderer
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.envelope import parse_body
from pybinlog.layout.format import Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Printer = Callable[[Renderer, EventBatch, int, bytes], None]

PRINTERS: dict[int, Printer] = {
    EventType.LOAD: old_load.put_load,
    EventType.NEW_LOAD: old_load.put_load,
    EventType.CREATE_FILE: old_load.put_create_file,
    EventType.EXECUTE_LOAD: old_load.put_execute_load,
}
"""Event type -> what prints it; `body` is what stands between its header and its checksum."""
MYSQL_ONLY = (
    EventType.ROWS_QUERY,
    EventType.GTID,
    EventType.ANONYMOUS_GTID,
    EventType.PREVIOUS_GTIDS,
    EventType.PARTIAL_UPDATE_ROWS,
    EventType.TRANSACTION_PAYLOAD,
    EventType.HEARTBEAT_V2,
    EventType.GTID_TAGGED,
)
LONGEST_LINE = 255  # bytes of what the MySQL tool says of an event of group replication


def prints(*kinds: EventType) -> Callable[[Printer], Printer]:
    """Put a function into the table, for events of these types."""

    def register(printer: Printer) -> Printer:
        PRINTERS.update(dict.fromkeys(kinds, printer))
        return printer

    return register


@prints(EventType.START_V3)
def put_start_v3(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append the Format_description of a log before v4, which a relay log of 5.0 could hold."""
    fields = parse_body(EventType.START_V3, body, Format.default())
    header = batch.header(index)
    version = renderer.name(encoded(fields.server_version.partition("\0")[0]))
    line = b"\tStart: binlog v %d, server v %b created %b" % (
        fields.binlog_version,
        version,
        local_time(header.timestamp),
    )
    text = b""
    if fields.create_timestamp:
        line += b" at startup"
        if not header.flags & EventFlag.ARTIFICIAL:
            text = b"ROLLBACK/*!*/;\n"
    if renderer.base64_statements:
        text += b"BINLOG '\n" + base64.encodebytes(batch.data(index)) + b"'/*!*/;\n"
    renderer.put_line(batch, index, line, text)


@prints(EventType.IGNORABLE)
def put_ignorable(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append an event that MariaDB ignores, with its code: one of MySQL's, or any with the flag for it.

    A server that sends an encrypted log decrypts it, and passes Start_encryption on so.
    """
    if renderer.short_form:
        return
    code = batch.code(index)
    of_mysql = "MySQL " if code in MYSQL_ONLY else ""
    comment = f"# Ignorable event type {code} ({of_mysql}{printed_name(code)})\n"
    renderer.put_line(batch, index, b"\tIgnorable", comment.encode())


@prints(EventType.SLAVE)
def put_slave(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append the position of a replica before 5.0 in its source's logs."""
    fields = parse_body(EventType.SLAVE, body, Format.default())
    line = b"\tSlave\tmaster_host=%b\tmaster_port=%d\tmaster_log=%b\tmaster_pos=%d" % (
        own_name(fields.master_host),
        fields.master_port,
        own_name(fields.master_log),
        fields.master_pos,
    )
    renderer.put_line(batch, index, line, b"")


@prints(EventType.HEARTBEAT, EventType.HEARTBEAT_V2)
def put_heartbeat(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append a source's message to a replica while there are no events: its current log and position."""
    header = batch.header(index)
    position = header.end_log_pos
    fields = parse_body(header.type, body, Format.default())
    log = ""
    if header.type == EventType.HEARTBEAT:
        log = fields.log_ident
    else:
        for entry in fields.fields:
            if entry.type == HeartbeatField.LOG_FILENAME:
                log = entry.value
            elif entry.type == HeartbeatField.LOG_POSITION:
                position = entry.value
    renderer.put_line(batch, index, b"\tHeartbeat\tlog=%b\tposition=%d" % (own_name(log), position), b"")


@prints(EventType.TRANSACTION_CONTEXT)
def put_transaction_context(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Group replication: which server's transaction this is."""
    fields = parse_body(EventType.TRANSACTION_CONTEXT, body, Format.default())
    uuid = fields.server_uuid.partition("\0")[0]
    line = b"server_uuid=%b\tthread_id=%d" % (renderer.name(encoded(uuid)), fields.thread_id)
    renderer.put_line(batch, index, b"Transaction_context: " + line[:LONGEST_LINE], b"")


@prints(EventType.VIEW_CHANGE)
def put_view_change(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Group replication: the group's members are others from here on."""
    view_id = parse_body(EventType.VIEW_CHANGE, body, Format.default()).view_id
    line = b"view_id=" + renderer.name(encoded(view_id.partition("\0")[0]))
    renderer.put_line(batch, index, b"View_change_log_event: " + line[:LONGEST_LINE], b"")


def local_time(timestamp: int) -> bytes:
    """As in the header line: YYMMDD hh:mm:ss, the hour without a leading zero."""
    t = time.localtime(timestamp)
    return b"%02d%02d%02d %2d:%02d:%02d" % (t.tm_year % 100, t.tm_mon, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def own_name(text: str) -> bytes:
    """In a line of a form that no other tool has, so that there is nothing to be equal to."""
    return name_text(encoded(text))
