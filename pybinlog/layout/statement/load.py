"""LOAD DATA as servers from 5.0.3 on log it: the file in blocks, and the statement that uses it."""

from __future__ import annotations

from enum import IntEnum

from construct import GreedyBytes, Int8ul, Int32ul

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import Coded
from pybinlog.layout.statement.query import query_fields

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
