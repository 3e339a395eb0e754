"""The events before a statement that give it its values: Intvar, Rand, User_var."""

from __future__ import annotations

from enum import IntEnum

from construct import Bytes, Int8ul, Int32ul, Int64ul, Rebuild, this

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.primitive import Coded, PrefixedText, Trailing, When


class IntvarType(IntEnum):
    """Which variable an Intvar sets."""

    INVALID_INT = 0
    LAST_INSERT_ID = 1
    INSERT_ID = 2


INTVAR = declare(
    EventType.INTVAR,
    "type" / Coded(Int8ul, IntvarType),
    "value" / Int64ul,
)
"""LAST_INSERT_ID or INSERT_ID for the statement that follows."""

RAND = declare(
    EventType.RAND,
    "seed1" / Int64ul,
    "seed2" / Int64ul,
)
"""The seeds of RAND() for the statement that follows."""


class UserVarType(IntEnum):
    """The result type of a user variable's value."""

    STRING = 0
    REAL = 1
    INT = 2
    ROW = 3
    DECIMAL = 4


class UserVarFlag(IntEnum):
    """The flags byte of a User_var."""

    UNSIGNED = 1


USER_VAR = declare(
    EventType.USER_VAR,
    "name" / PrefixedText(Int32ul),
    "is_null" / Int8ul,
    "type" / When(this.is_null == 0, Coded(Int8ul, UserVarType)),
    "charset" / When(this.is_null == 0, Int32ul),
    "value_length" / When(this.is_null == 0, Rebuild(Int32ul, lambda context: len(context.value))),
    "value" / When(this.is_null == 0, Bytes(this.value_length)),
    "flags" / When(this.is_null == 0, Trailing(Int8ul)),
)
"""A user variable that the statement uses; `value` is as `values.user_var` reads it, `flags` None in old logs."""
