"""Start_v3, Slave, Heartbeat, Transaction_context, View_change, LOAD DATA of old servers: no ordinary log holds these.

Transaction_context and View_change are the MySQL tool's lines, Start_v3 is mariadb-binlog's; no tool prints the others,
whose form is docs/parity-mariadb.md's.
"""

import base64
import time
from collections.abc import Callable
from typing import Any

from pybinlog.event_types import FACTS, IGNORED, EventFlag, EventType, Kind, printed_name
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.base.name import name_text
from pybinlog.kernel.text.render import Renderer
from pybinlog.layout.control import HeartbeatField
from pybinlog.layout.envelope import Format, parse_body

Printer = Callable[[Renderer, EventBatch, int, bytes], None]

PRINTERS: dict[int, Printer] = {}
"""Event type -> what prints it; `body` is what stands between its header and its checksum."""
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
    facts = FACTS.get(code)
    of_mysql = "MySQL " if facts and facts.mariadb >= IGNORED and facts.kind != Kind.GROUP_REPLICATION else ""
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
    """Return a time as in the header line: YYMMDD hh:mm:ss, the hour without a leading zero."""
    t = time.localtime(timestamp)
    return b"%02d%02d%02d %2d:%02d:%02d" % (t.tm_year % 100, t.tm_mon, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def own_name(text: str) -> bytes:
    """Return a name for a line of a form that no other tool has, and so needs to equal nothing."""
    return name_text(encoded(text))


# ---- LOAD DATA of servers before 5.0.3
# Load and New_load are statements that read a file of the source's machine. Create_file, and the Append_block events
# after it, hold the file itself; Execute_load is where the statement is run. The text is mariadb-binlog's, but the
# statement comes after the Execute_load event's own header line and its file is named as those of later servers are.


# How the file's lines are read (sql_ex_info).
REPLACE, OPTIONALLY_ENCLOSED, IGNORE = 4, 2, 8
# Which of the one-character separators of a Load are none.
NO_FIELD_TERM, NO_ENCLOSED, NO_LINE_TERM, NO_LINE_START, NO_ESCAPED = 1, 2, 4, 8, 16

ESCAPES = str.maketrans({"\n": "\\n", "\r": "\\r", "\\": "\\\\", "\b": "\\b", "\t": "\\t", "'": "\\'", "\0": "\\0"})


@prints(EventType.LOAD, EventType.NEW_LOAD)
def put_load(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Load and New_load."""
    load = parse_body(batch.header(index).type, body, Format.default())
    if batch.is_left_out(index):
        return
    renderer.put_line(batch, index, header_line(load), statement(renderer, batch, index, load))


@prints(EventType.CREATE_FILE)
def put_create_file(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append the beginning of a file, which is written out, and the statement that will read it, as a comment."""
    load = parse_body(EventType.CREATE_FILE, body, Format.default())
    renderer.slow_path.load_files.begin(load.file_id, load.block_data)
    if renderer.old_loads is None:
        renderer.old_loads = {}
    left_out = batch.is_left_out(index)
    renderer.old_loads[load.file_id] = load, not left_out
    if renderer.short_form or left_out:
        return
    lines = b"".join(b"# " + line + b"\n" for line in statement(renderer, None, index, load).splitlines())
    lines += b"# file_id: %d  block_len: %d\n" % (load.file_id, len(load.block_data))
    renderer.put_line(batch, index, header_line(load), lines)


@prints(EventType.EXECUTE_LOAD)
def put_execute_load(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Append the statement of a Create_file, which reads the file that was written out."""
    file_id = parse_body(EventType.EXECUTE_LOAD, body, Format.default()).file_id
    load, shown = (renderer.old_loads or {}).pop(file_id, (None, False))
    name = renderer.slow_path.load_file(file_id, shown)
    comment = b"" if renderer.short_form else b"#Exec_load: file_id=%d\n" % file_id
    if load is None or name is None:
        renderer.put_line(batch, index, b"", comment)
        renderer.slow_path.no_load_file(batch, index, file_id)
    elif shown:
        renderer.put_line(batch, index, b"", comment + statement(renderer, batch, index, load, name))


def header_line(load: Any) -> bytes:
    return b"\tQuery\tthread_id=%d\texec_time=%d" % (load.thread_id, load.exec_time)


def statement(renderer: Renderer, batch: EventBatch | None, index: int, load: Any, file: bytes | None = None) -> bytes:
    """LOAD DATA, and the SET statements before it.

    `file` is the name of a file on this side, else it is that of the event, on the source's. Without `batch` the
    statement is a comment: the session's state stays what it is.
    """
    text = b""
    if batch is not None:
        text = renderer.use_database(encoded(load.db))
        if batch.header(index).flags & EventFlag.THREAD_SPECIFIC:
            text += b"SET @@session.pseudo_thread_id=%d/*!*/;\n" % load.thread_id
    options = load.sql_ex_info
    empty = options.get("empty_flags", 0)
    words = ["LOAD DATA"]
    if file is not None:
        words.append("LOCAL INFILE '" + file.decode("utf-8", "surrogateescape") + "'")
    else:
        words.append("INFILE " + quoted(load.file_name))
    if options.opt_flags & REPLACE:
        words.append("REPLACE")
    elif options.opt_flags & IGNORE:
        words.append("IGNORE")
    words.append("INTO TABLE " + identifier(renderer, load.table_name))
    words.append("FIELDS TERMINATED BY " + separator(options.field_term, empty & NO_FIELD_TERM))
    if options.opt_flags & OPTIONALLY_ENCLOSED:
        words.append("OPTIONALLY ")
    words.append("ENCLOSED BY " + separator(options.enclosed, empty & NO_ENCLOSED))
    words.append("ESCAPED BY " + separator(options.escaped, empty & NO_ESCAPED))
    words.append("LINES TERMINATED BY " + separator(options.line_term, empty & NO_LINE_TERM))
    words.append("STARTING BY " + separator(options.line_start, empty & NO_LINE_START))
    if 0 < load.skip_lines < 1 << 31:
        words.append(f"IGNORE {load.skip_lines} LINES")
    if load.field_names:
        words.append("(" + ",".join(identifier(renderer, name) for name in load.field_names) + ")")
    return text + encoded(" ".join(words)) + b"/*!*/;\n"


def separator(value: bytes, empty: int) -> str:
    return quoted("" if empty else value.decode("utf-8", "surrogateescape"))


def quoted(text: str) -> str:
    return "'" + text.translate(ESCAPES) + "'"


def identifier(renderer: Renderer, name: str) -> str:
    return renderer.identifier(encoded(name)).decode("utf-8", "surrogateescape")
