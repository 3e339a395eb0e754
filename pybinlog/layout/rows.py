"""The row events: versions 0, 1 and 2, and partial updates."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from construct import Adapter, Bytes, Computed, GreedyBytes, Int8ul, Int16ul, Rebuild, StreamError, Struct, Switch, this

from pybinlog.event_types import COMPRESSED_ROW_TYPES, ROW_TYPES, UPDATE_TYPES, EventType
from pybinlog.layout.integer import LengthEncodedInteger, TableId
from pybinlog.layout.primitive import Bounded, Coded, UntilEnd, When, declare

_V2_POST_HEADER_LENGTH = 10


class RowsFlag(IntEnum):
    """Bits of a row event's flags."""

    STMT_END = 1
    NO_FOREIGN_KEY_CHECKS = 2
    RELAXED_UNIQUE_CHECKS = 4
    COMPLETE_ROWS = 8
    USE_SQL_FOREIGN_KEY = 16


class ExtraRowInfoType(IntEnum):
    """The extra information in a version 2 row event."""

    NDB = 0
    PARTITION = 1


def _is_update(context: Any) -> bool:
    return context._params.event_type in UPDATE_TYPES


def _has_extra_row_info(context: Any) -> bool:
    return context._params.format.post_header_length(context._params.event_type) >= _V2_POST_HEADER_LENGTH


def _has_after_image(context: Any) -> bool:
    return _is_update(context) and context._params.event_type != EventType.UPDATE_ROWS_V0


_NDB_INFO = Struct(
    "length" / Rebuild(Int8ul, lambda context: len(context.data) + 2),
    "format" / Int8ul,
    "data" / Bytes(lambda context: context.length - 2),
)
_PARTITION_INFO = Struct(
    "partition_id" / Int16ul,
    "source_partition_id" / When(_is_update, Int16ul),
)
_EXTRA_ROW_INFO = UntilEnd(
    Struct(
        "type" / Coded(Int8ul, ExtraRowInfoType),
        "value"
        / Switch(
            this.type,
            {ExtraRowInfoType.NDB: _NDB_INFO, ExtraRowInfoType.PARTITION: _PARTITION_INFO},
            default=GreedyBytes,
        ),
    )
)


class _LengthWithItself(Adapter):
    """The length of the extra row info, whose two bytes count, too."""

    def _decode(self, obj: int, context: Any, path: str) -> int:
        if obj < 2:
            raise StreamError(f"extra row info of {obj} bytes", path=path)
        return obj - 2

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return obj + 2


def rows_fields(rows: Any) -> tuple[Any, ...]:
    """Return the fields of a row event, with the form that its rows have."""
    return (
        "event_type" / Computed(this._params.event_type),
        "table_id" / TableId(),
        "flags" / Int16ul,
        "extra_row_info" / When(_has_extra_row_info, Bounded(_LengthWithItself(Int16ul), _EXTRA_ROW_INFO)),
        "column_count" / LengthEncodedInteger(),
        "columns_before_image" / Bytes((this.column_count + 7) // 8),
        "columns_after_image" / When(_has_after_image, Bytes((this.column_count + 7) // 8)),
        "rows" / rows,
    )


ROWS = declare(ROW_TYPES - COMPRESSED_ROW_TYPES, *rows_fields(GreedyBytes))
"""The rows of one table: `rows` as kernel/rows/row_image reads them.

The bitmaps name the columns that the row images hold, the first column in the lowest bit of the first byte. An insert
has the columns of its after image in `columns_before_image`, as the server names it. `extra_row_info` is None in
versions 0 and 1. `event_type` is the header's, which distinguishes an insert from a delete.
"""
