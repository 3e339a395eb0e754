"""LOAD DATA as servers before 5.0.3 logged it: Load, New_load, Create_file, Execute_load."""

from __future__ import annotations

from typing import Any

from construct import (
    Bytes,
    GreedyBytes,
    Int8ul,
    Int32ul,
    NullTerminated,
    Prefixed,
    Rebuild,
    Struct,
    len_,
    this,
)

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import NulAfter, Times, Utf8, encoded_length

_OLD_OPTIONS = Struct(
    "field_term" / Bytes(1),
    "enclosed" / Bytes(1),
    "line_term" / Bytes(1),
    "line_start" / Bytes(1),
    "escaped" / Bytes(1),
    "opt_flags" / Int8ul,
    "empty_flags" / Int8ul,
)
"""One character each; `empty_flags` says which are empty."""

_TERMINATOR = Prefixed(Int8ul, GreedyBytes)
_NEW_OPTIONS = Struct(
    "field_term" / _TERMINATOR,
    "enclosed" / _TERMINATOR,
    "line_term" / _TERMINATOR,
    "line_start" / _TERMINATOR,
    "escaped" / _TERMINATOR,
    "opt_flags" / Int8ul,
)
_TEXT = Utf8(NullTerminated(GreedyBytes))


def _load_fields(options: Any, *post_header: Any) -> tuple[Any, ...]:
    return (
        "thread_id" / Int32ul,
        "exec_time" / Int32ul,
        "skip_lines" / Int32ul,
        "table_name_length" / Rebuild(Int8ul, lambda context: encoded_length(context.table_name)),
        "db_length" / Rebuild(Int8ul, lambda context: encoded_length(context.db)),
        "num_fields" / Rebuild(Int32ul, len_(this.field_names)),
        *post_header,
        "sql_ex_info" / options,
        "field_name_lengths"
        / Rebuild(
            Times(this.num_fields, Int8ul), lambda context: [encoded_length(name) for name in context.field_names]
        ),
        "field_names" / Times(this.num_fields, _TEXT),
        "table_name" / NulAfter(Utf8(Bytes(this.table_name_length))),
        "db" / NulAfter(Utf8(Bytes(this.db_length))),
    )


LOAD = declare(EventType.LOAD, *_load_fields(_OLD_OPTIONS), "file_name" / Utf8(GreedyBytes))
"""LOAD DATA with one-character separators (3.23)."""

NEW_LOAD = declare(EventType.NEW_LOAD, *_load_fields(_NEW_OPTIONS), "file_name" / Utf8(GreedyBytes))
"""LOAD DATA with separators of any length (4.0)."""

CREATE_FILE = declare(
    EventType.CREATE_FILE,
    *_load_fields(_NEW_OPTIONS, "file_id" / Int32ul),
    "file_name" / _TEXT,
    "block_data" / GreedyBytes,
)
"""LOAD DATA and the first block of its file; Append_block and Execute_load follow."""

EXECUTE_LOAD = declare(EventType.EXECUTE_LOAD, "file_id" / Int32ul)
"""Run the LOAD DATA whose file is there."""
