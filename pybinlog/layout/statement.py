"""Events that belong to a statement: Intvar, Rand, User_var, Rows_query, and the events of LOAD DATA, old and new."""

from enum import IntEnum
from typing import Any

from construct import (
    Bytes,
    Default,
    GreedyBytes,
    Int8ul,
    Int32ul,
    Int64ul,
    NullTerminated,
    Prefixed,
    Rebuild,
    Struct,
    len_,
    this,
)

from pybinlog.event_types import EventType
from pybinlog.layout.primitive import (
    Coded,
    NulAfter,
    PrefixedText,
    Times,
    Trailing,
    Utf8,
    When,
    declare,
    encoded_length,
)
from pybinlog.layout.query import query_fields

BEGIN_LOAD_QUERY = declare(EventType.BEGIN_LOAD_QUERY, "file_id" / Int32ul, "block_data" / GreedyBytes)
"""The first block of a file."""

APPEND_BLOCK = declare(EventType.APPEND_BLOCK, "file_id" / Int32ul, "block_data" / GreedyBytes)
"""A further block of a file."""

DELETE_FILE = declare(EventType.DELETE_FILE, "file_id" / Int32ul)
"""The file is not needed: the LOAD DATA failed."""


class DuplicateHandling(IntEnum):
    """The statement's action on a duplicate key."""

    ERROR = 0
    IGNORE = 1
    REPLACE = 2


EXECUTE_LOAD_QUERY = declare(
    EventType.EXECUTE_LOAD_QUERY,
    *query_fields(
        GreedyBytes,
        "file_id" / Int32ul,
        "fn_pos_start" / Int32ul,
        "fn_pos_end" / Int32ul,
        "dup_handling" / Coded(Int8ul, DuplicateHandling),
    ),
)
"""The statement; the file's name stands at bytes `fn_pos_start` to `fn_pos_end` of `query`."""


ROWS_QUERY = declare(EventType.ROWS_QUERY, "length" / Default(Int8ul, 0), "query" / GreedyBytes)
"""`length` is what one byte can hold, and 0 in 9.7: readers ignore it, the text goes to the end of the event."""


class IntvarType(IntEnum):
    """Which variable an Intvar sets."""

    INVALID_INT = 0
    LAST_INSERT_ID = 1
    INSERT_ID = 2


INTVAR = declare(EventType.INTVAR, "type" / Coded(Int8ul, IntvarType), "value" / Int64ul)
"""LAST_INSERT_ID or INSERT_ID for the statement that follows."""

RAND = declare(EventType.RAND, "seed1" / Int64ul, "seed2" / Int64ul)
"""The seeds of RAND() for the statement that follows."""


class UserVarType(IntEnum):
    """The result type of a user variable's value."""

    STRING = 0
    REAL = 1
    INT = 2
    ROW = 3
    DECIMAL = 4


class UserVarFlag(IntEnum):
    """The flags byte of a User_var. MariaDB's TYPE_NAME says that the name of the value's type follows."""

    UNSIGNED = 1
    TYPE_NAME = 2


USER_VAR = declare(
    EventType.USER_VAR,
    "name" / PrefixedText(Int32ul),
    "is_null" / Int8ul,
    "type" / When(this.is_null == 0, Coded(Int8ul, UserVarType)),
    "charset" / When(this.is_null == 0, Int32ul),
    "value_length" / When(this.is_null == 0, Rebuild(Int32ul, lambda context: len(context.value))),
    "value" / When(this.is_null == 0, Bytes(this.value_length)),
    "flags" / When(this.is_null == 0, Trailing(Int8ul)),
    "type_name" / When(this.flags == UserVarFlag.TYPE_NAME, Trailing(PrefixedText(Int8ul))),
)
"""A user variable that the statement uses; `value` has the bytes of its type, `flags` is None in old logs."""


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
