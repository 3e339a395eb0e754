"""Events that belong to a statement: Intvar, Rand, User_var, Rows_query, and the events of LOAD DATA, old and new."""

from enum import IntEnum
from typing import Any

import construct as cs

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

BEGIN_LOAD_QUERY = declare(EventType.BEGIN_LOAD_QUERY, "file_id" / cs.Int32ul, "block_data" / cs.GreedyBytes)
"""The first block of a file."""

APPEND_BLOCK = declare(EventType.APPEND_BLOCK, "file_id" / cs.Int32ul, "block_data" / cs.GreedyBytes)
"""A further block of a file."""

DELETE_FILE = declare(EventType.DELETE_FILE, "file_id" / cs.Int32ul)
"""The file is not needed: the LOAD DATA failed."""


class DuplicateHandling(IntEnum):
    """The statement's action on a duplicate key."""

    ERROR = 0
    IGNORE = 1
    REPLACE = 2


EXECUTE_LOAD_QUERY = declare(
    EventType.EXECUTE_LOAD_QUERY,
    *query_fields(
        cs.GreedyBytes,
        "file_id" / cs.Int32ul,
        "fn_pos_start" / cs.Int32ul,
        "fn_pos_end" / cs.Int32ul,
        "dup_handling" / Coded(cs.Int8ul, DuplicateHandling),
    ),
)
"""The statement; the file's name stands at bytes `fn_pos_start` to `fn_pos_end` of `query`."""


ROWS_QUERY = declare(EventType.ROWS_QUERY, "length" / cs.Default(cs.Int8ul, 0), "query" / cs.GreedyBytes)
"""`length` is what one byte can hold, and 0 in 9.7: readers ignore it, the text goes to the end of the event."""


class IntvarType(IntEnum):
    """Which variable an Intvar sets."""

    INVALID_INT = 0
    LAST_INSERT_ID = 1
    INSERT_ID = 2


INTVAR = declare(EventType.INTVAR, "type" / Coded(cs.Int8ul, IntvarType), "value" / cs.Int64ul)
"""LAST_INSERT_ID or INSERT_ID for the statement that follows."""

RAND = declare(EventType.RAND, "seed1" / cs.Int64ul, "seed2" / cs.Int64ul)
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
    "name" / PrefixedText(cs.Int32ul),
    "is_null" / cs.Int8ul,
    "type" / When(cs.this.is_null == 0, Coded(cs.Int8ul, UserVarType)),
    "charset" / When(cs.this.is_null == 0, cs.Int32ul),
    "value_length" / When(cs.this.is_null == 0, cs.Rebuild(cs.Int32ul, lambda context: len(context.value))),
    "value" / When(cs.this.is_null == 0, cs.Bytes(cs.this.value_length)),
    "flags" / When(cs.this.is_null == 0, Trailing(cs.Int8ul)),
    "type_name" / When(cs.this.flags == UserVarFlag.TYPE_NAME, Trailing(PrefixedText(cs.Int8ul))),
)
"""A user variable that the statement uses; `value` has the bytes of its type, `flags` is None in old logs."""


_OLD_OPTIONS = cs.Struct(
    "field_term" / cs.Bytes(1),
    "enclosed" / cs.Bytes(1),
    "line_term" / cs.Bytes(1),
    "line_start" / cs.Bytes(1),
    "escaped" / cs.Bytes(1),
    "opt_flags" / cs.Int8ul,
    "empty_flags" / cs.Int8ul,
)
"""One character each; `empty_flags` says which are empty."""

_TERMINATOR = cs.Prefixed(cs.Int8ul, cs.GreedyBytes)
_NEW_OPTIONS = cs.Struct(
    "field_term" / _TERMINATOR,
    "enclosed" / _TERMINATOR,
    "line_term" / _TERMINATOR,
    "line_start" / _TERMINATOR,
    "escaped" / _TERMINATOR,
    "opt_flags" / cs.Int8ul,
)
_TEXT = Utf8(cs.NullTerminated(cs.GreedyBytes))


def _load_fields(options: Any, *post_header: Any) -> tuple[Any, ...]:
    return (
        "thread_id" / cs.Int32ul,
        "exec_time" / cs.Int32ul,
        "skip_lines" / cs.Int32ul,
        "table_name_length" / cs.Rebuild(cs.Int8ul, lambda context: encoded_length(context.table_name)),
        "db_length" / cs.Rebuild(cs.Int8ul, lambda context: encoded_length(context.db)),
        "num_fields" / cs.Rebuild(cs.Int32ul, cs.len_(cs.this.field_names)),
        *post_header,
        "sql_ex_info" / options,
        "field_name_lengths"
        / cs.Rebuild(
            Times(cs.this.num_fields, cs.Int8ul), lambda context: [encoded_length(name) for name in context.field_names]
        ),
        "field_names" / Times(cs.this.num_fields, _TEXT),
        "table_name" / NulAfter(Utf8(cs.Bytes(cs.this.table_name_length))),
        "db" / NulAfter(Utf8(cs.Bytes(cs.this.db_length))),
    )


LOAD = declare(EventType.LOAD, *_load_fields(_OLD_OPTIONS), "file_name" / Utf8(cs.GreedyBytes))
"""LOAD DATA with one-character separators (3.23)."""

NEW_LOAD = declare(EventType.NEW_LOAD, *_load_fields(_NEW_OPTIONS), "file_name" / Utf8(cs.GreedyBytes))
"""LOAD DATA with separators of any length (4.0)."""

CREATE_FILE = declare(
    EventType.CREATE_FILE,
    *_load_fields(_NEW_OPTIONS, "file_id" / cs.Int32ul),
    "file_name" / _TEXT,
    "block_data" / cs.GreedyBytes,
)
"""LOAD DATA and the first block of its file; Append_block and Execute_load follow."""

EXECUTE_LOAD = declare(EventType.EXECUTE_LOAD, "file_id" / cs.Int32ul)
"""Run the LOAD DATA whose file is there."""
