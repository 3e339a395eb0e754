"""Table_map: the table and the columns that the row events after it speak of."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from construct import (
    Bytes,
    Construct,
    Int8ul,
    Int16ul,
    Int24ul,
    Pass,
    Rebuild,
    Struct,
    Switch,
    len_,
    this,
)

from pybinlog.column_types import ColumnType, Stored
from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import LengthEncodedInteger, TableId
from pybinlog.layout.primitive import Bounded, Coded, NulAfter, PrefixedText, Times, Trailing
from pybinlog.layout.rows.table_metadata import OPTIONAL_METADATA


class TableMapFlag(IntEnum):
    """Bits of a Table_map's flags."""

    BIT_LEN_EXACT = 1
    REFERRED_FK_DB = 2
    GENERATED_INVISIBLE_PRIMARY_KEY = 4


_DECLARATIONS = {
    stored: Struct(*(name / (Int16ul if stored is Stored.MAX_LENGTH else Int8ul) for name in stored.fields))
    for stored in Stored
    if stored not in (Stored.NOTHING, Stored.ELEMENT)
}
_SCALARS: dict[int, Construct] = {
    kind: _DECLARATIONS[kind.stored] for kind in ColumnType if kind.stored in _DECLARATIONS
}
_ARRAY_ELEMENT = Struct(
    "element_type" / Coded(Int8ul, ColumnType),
    "element_metadata"
    / Switch(this.element_type, {**_SCALARS, ColumnType.VARCHAR: Struct("max_length" / Int24ul)}, default=Pass),
)
_METADATA: dict[int, Construct] = {**_SCALARS, ColumnType.TYPED_ARRAY: _ARRAY_ELEMENT}


class _ColumnMetadata(Construct):
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
    "flags" / Int16ul,
    "db" / NulAfter(PrefixedText(LengthEncodedInteger())),
    "table" / NulAfter(PrefixedText(LengthEncodedInteger())),
    "column_count" / Rebuild(LengthEncodedInteger(), len_(this.column_types)),
    "column_types" / Times(this.column_count, Coded(Int8ul, ColumnType)),
    "column_metadata" / Trailing(Bounded(LengthEncodedInteger(), _ColumnMetadata())),
    "null_bits" / Trailing(Bytes((this.column_count + 7) // 8)),
    "optional_metadata" / OPTIONAL_METADATA,
)
"""`null_bits` has a bit for each column that may be NULL, the first column's the lowest of the first byte."""
