"""LOAD DATA as servers before 5.0.3 logged it: Load, New_load, Create_file and Execute_load as text.

Load and New_load are statements that read a file of the source's machine. Create_file, and the Append_block events
after it, hold the file itself; Execute_load is where the statement is run. The text is mariadb-binlog's, but the
statement comes after the Execute_load event's own header line and its file is named as those of later servers are.
"""

from __future__ import annotations

from typing import Any

from pybinlog.event_types import EventFlag, EventType
from pybinlog.kernel.base.batch import EventBatch
from pybinlog.kernel.text.render import Renderer
from pybinlog.layout.envelope import parse_body
from pybinlog.layout.format import Format

# How the file's lines are read (sql_ex_info).
REPLACE, OPTIONALLY_ENCLOSED, IGNORE = 4, 2, 8
# Which of the one-character separators of a Load are none.
NO_FIELD_TERM, NO_ENCLOSED, NO_LINE_TERM, NO_LINE_START, NO_ESCAPED = 1, 2, 4, 8, 16

ESCAPES = str.maketrans({"\n": "\\n", "\r": "\\r", "\\": "\\\\", "\b": "\\b", "\t": "\\t", "'": "\\'", "\0": "\\0"})


def put_load(renderer: Renderer, batch: EventBatch, index: int, body: bytes) -> None:
    """Load and New_load."""
    load = parse_body(batch.header(index).type, body, Format.default())
    if batch.is_left_out(index):
        return
    renderer.put_line(batch, index, header_line(load), statement(renderer, batch, index, load))


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


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
