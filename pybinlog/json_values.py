"""The values of JSON columns for which Python has no type of its own."""

from enum import IntEnum
from typing import Any, NamedTuple


class JsonNull:
    """The document `null`, which is not the NULL of SQL (None)."""

    def __repr__(self) -> str:
        return "JSON_NULL"

    def __bool__(self) -> bool:
        return False


JSON_NULL = JsonNull()


class JsonOpaque(NamedTuple):
    """A value of a type that JSON does not have, such as a BLOB or BIT: the column type and its bytes."""

    type: int
    data: bytes


class JsonOperationType(IntEnum):
    """The kinds of operations of a partial update."""

    REPLACE = 0
    INSERT = 1
    REMOVE = 2


class JsonOperation(NamedTuple):
    """One operation of a partial update; `value` is None for REMOVE."""

    operation: JsonOperationType
    path: str
    value: Any = None


class JsonDiff(list[JsonOperation]):
    """The operations of a partial update in their order; none if the value stayed as it was."""
