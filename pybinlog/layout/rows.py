"""Table_map: the table and the columns of the row events after it, and its optional metadata; and the row events."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import construct as cs

from pybinlog.column_types import ColumnType, MetadataType, Stored
from pybinlog.event_types import COMPRESSED_ROW_TYPES, ROW_TYPES, UPDATE_TYPES, EventType
from pybinlog.layout.integer import LengthEncodedInteger, TableId
from pybinlog.layout.primitive import (
    Bounded,
    Coded,
    NulAfter,
    PrefixedText,
    Tagged,
    Times,
    Trailing,
    UntilEnd,
    When,
    declare,
)


def bitmap(bits: Sequence[bool]) -> bytes:
    """Return bits as the format has them, the first in the lowest bit of the first byte."""
    raw = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        raw[index // 8] |= bit << index % 8
    return bytes(raw)


class _Bits(cs.Adapter):
    """A list of booleans, the first in the highest bit of the first byte; the last byte's padding is part of it."""

    def _decode(self, obj: bytes, context: Any, path: str) -> list[bool]:
        return [bool(byte >> shift & 1) for byte in obj for shift in range(7, -1, -1)]

    def _encode(self, obj: list[bool], context: Any, path: str) -> bytes:
        padded = [*obj, *[False] * (-len(obj) % 8)]
        return bytes(
            sum(bit << 7 - shift for shift, bit in enumerate(padded[start : start + 8]))
            for start in range(0, len(padded), 8)
        )


_LENENC = LengthEncodedInteger()
_DEFAULT_CHARSET = cs.Struct(
    "default_charset" / _LENENC, "exceptions" / UntilEnd(cs.Struct("column" / _LENENC, "charset" / _LENENC))
)
_STR_VALUES = UntilEnd(cs.PrefixedArray(_LENENC, PrefixedText(_LENENC)))
_FIELD = Tagged(
    "type" / Coded(cs.Int8ul, MetadataType),
    {
        MetadataType.SIGNEDNESS: _Bits(cs.GreedyBytes),
        MetadataType.DEFAULT_CHARSET: _DEFAULT_CHARSET,
        MetadataType.COLUMN_CHARSET: UntilEnd(_LENENC),
        MetadataType.COLUMN_NAME: UntilEnd(PrefixedText(_LENENC)),
        MetadataType.SET_STR_VALUE: _STR_VALUES,
        MetadataType.ENUM_STR_VALUE: _STR_VALUES,
        MetadataType.GEOMETRY_TYPE: UntilEnd(_LENENC),
        MetadataType.SIMPLE_PRIMARY_KEY: UntilEnd(_LENENC),
        MetadataType.PRIMARY_KEY_WITH_PREFIX: UntilEnd(cs.Struct("column" / _LENENC, "prefix" / _LENENC)),
        MetadataType.ENUM_AND_SET_DEFAULT_CHARSET: _DEFAULT_CHARSET,
        MetadataType.ENUM_AND_SET_COLUMN_CHARSET: UntilEnd(_LENENC),
        MetadataType.COLUMN_VISIBILITY: _Bits(cs.GreedyBytes),
        MetadataType.VECTOR_DIMENSIONALITY: UntilEnd(_LENENC),
    },
    lambda value: Bounded(_LENENC, value),
)

OPTIONAL_METADATA = UntilEnd(_FIELD)
"""Pairs of type and value. Signedness is that of the numeric columns only, a set of values that of the ENUM or SET
columns only, and so on, in the order of the columns; a character set is the number of a collation."""


class TableMapFlag(IntEnum):
    """Bits of a Table_map's flags."""

    BIT_LEN_EXACT = 1
    REFERRED_FK_DB = 2
    GENERATED_INVISIBLE_PRIMARY_KEY = 4


_DECLARATIONS = {
    stored: cs.Struct(*(name / (cs.Int16ul if stored is Stored.MAX_LENGTH else cs.Int8ul) for name in stored.fields))
    for stored in Stored
    if stored not in (Stored.NOTHING, Stored.ELEMENT)
}
_SCALARS: dict[int, cs.Construct] = {
    kind: _DECLARATIONS[kind.stored] for kind in ColumnType if kind.stored in _DECLARATIONS
}
_ARRAY_ELEMENT = cs.Struct(
    "element_type" / Coded(cs.Int8ul, ColumnType),
    "element_metadata"
    / cs.Switch(
        cs.this.element_type, {**_SCALARS, ColumnType.VARCHAR: cs.Struct("max_length" / cs.Int24ul)}, default=cs.Pass
    ),
)
_METADATA: dict[int, cs.Construct] = {**_SCALARS, ColumnType.TYPED_ARRAY: _ARRAY_ELEMENT}


class _ColumnMetadata(cs.Construct):
    """For each column what its type stores: a container, or None for a type that stores nothing."""

    def _parse(self, stream: Any, context: Any, path: str) -> list[Any]:
        return [
            declaration._parse(stream, context, f"{path} -> {index}")
            if (declaration := _METADATA.get(column)) is not None
            else None
            for index, column in enumerate(context.column_types)
        ]

    def _build(self, obj: list[Any], stream: Any, context: Any, path: str) -> list[Any]:
        for index, (column, metadata) in enumerate(zip(context.column_types, obj, strict=True)):
            if (declaration := _METADATA.get(column)) is not None:
                declaration._build(metadata, stream, context, f"{path} -> {index}")
        return obj


TABLE_MAP = declare(
    EventType.TABLE_MAP,
    "table_id" / TableId(),
    "flags" / cs.Int16ul,
    "db" / NulAfter(PrefixedText(LengthEncodedInteger())),
    "table" / NulAfter(PrefixedText(LengthEncodedInteger())),
    "column_count" / cs.Rebuild(LengthEncodedInteger(), cs.len_(cs.this.column_types)),
    "column_types" / Times(cs.this.column_count, Coded(cs.Int8ul, ColumnType)),
    "column_metadata" / Trailing(Bounded(LengthEncodedInteger(), _ColumnMetadata())),
    "null_bits" / Trailing(cs.Bytes((cs.this.column_count + 7) // 8)),
    "optional_metadata" / OPTIONAL_METADATA,
)
"""`null_bits` has a bit for each column that may be NULL, the first column's the lowest of the first byte."""


_V2_POST_HEADER_LENGTH = 10


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


_NDB_INFO = cs.Struct(
    "length" / cs.Rebuild(cs.Int8ul, lambda context: len(context.data) + 2),
    "format" / cs.Int8ul,
    "data" / cs.Bytes(lambda context: context.length - 2),
)
_PARTITION_INFO = cs.Struct("partition_id" / cs.Int16ul, "source_partition_id" / When(_is_update, cs.Int16ul))
_EXTRA_ROW_INFO = UntilEnd(
    Tagged(
        "type" / Coded(cs.Int8ul, ExtraRowInfoType),
        {ExtraRowInfoType.NDB: _NDB_INFO, ExtraRowInfoType.PARTITION: _PARTITION_INFO},
    )
)


class _LengthWithItself(cs.Adapter):
    """The length of the extra row info, whose two bytes count, too."""

    def _decode(self, obj: int, context: Any, path: str) -> int:
        if obj < 2:
            raise cs.StreamError(f"extra row info of {obj} bytes", path=path)
        return obj - 2

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return obj + 2


def rows_fields(rows: Any) -> tuple[Any, ...]:
    """Return the fields of a row event, with the form that its rows have."""
    return (
        "event_type" / cs.Computed(cs.this._params.event_type),
        "table_id" / TableId(),
        "flags" / cs.Int16ul,
        "extra_row_info" / When(_has_extra_row_info, Bounded(_LengthWithItself(cs.Int16ul), _EXTRA_ROW_INFO)),
        "column_count" / LengthEncodedInteger(),
        "columns_before_image" / cs.Bytes((cs.this.column_count + 7) // 8),
        "columns_after_image" / When(_has_after_image, cs.Bytes((cs.this.column_count + 7) // 8)),
        "rows" / rows,
    )


ROWS = declare(ROW_TYPES - COMPRESSED_ROW_TYPES, *rows_fields(cs.GreedyBytes))
"""The rows of one table: `rows` as kernel/rows/row_image reads them.

The bitmaps name the columns that the row images hold, the first column in the lowest bit of the first byte. An insert
has the columns of its after image in `columns_before_image`, as the server names it. `extra_row_info` is None in
versions 0 and 1. `event_type` is the header's, which distinguishes an insert from a delete.
"""
