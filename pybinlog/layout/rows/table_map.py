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

from pybinlog.event_types import EventType
from pybinlog.layout.declaration import declare
from pybinlog.layout.integer import LengthEncodedInteger, TableId
from pybinlog.layout.primitive import Bounded, Coded, NulAfter, PrefixedText, Times, Trailing
from pybinlog.layout.rows.table_metadata import OPTIONAL_METADATA


class ColumnType(IntEnum):
    """The types of columns as a Table_map stores them; 140 and 141 are MariaDB's compressed columns."""

    DECIMAL = 0
    TINY = 1
    SHORT = 2
    LONG = 3
    FLOAT = 4
    DOUBLE = 5
    NULL = 6
    TIMESTAMP = 7
    LONGLONG = 8
    INT24 = 9
    DATE = 10
    TIME = 11
    DATETIME = 12
    YEAR = 13
    NEWDATE = 14
    VARCHAR = 15
    BIT = 16
    TIMESTAMP2 = 17
    DATETIME2 = 18
    TIME2 = 19
    TYPED_ARRAY = 20
    MARIA_BLOB_COMPRESSED = 140
    MARIA_VARCHAR_COMPRESSED = 141
    VECTOR = 242
    JSON = 245
    NEWDECIMAL = 246
    ENUM = 247
    SET = 248
    TINY_BLOB = 249
    MEDIUM_BLOB = 250
    LONG_BLOB = 251
    BLOB = 252
    VAR_STRING = 253
    STRING = 254
    GEOMETRY = 255


class TableMapFlag(IntEnum):
    """Bits of a Table_map's flags."""

    BIT_LEN_EXACT = 1
    REFERRED_FK_DB = 2
    GENERATED_INVISIBLE_PRIMARY_KEY = 4


_LENGTH_BYTES = Struct("length_bytes" / Int8ul)
_PACK_LENGTH = Struct("pack_length" / Int8ul)
_FRACTION = Struct("decimals" / Int8ul)
_MAX_LENGTH = Struct("max_length" / Int16ul)
_REAL_TYPE = Struct("real_type" / Int8ul, "length" / Int8ul)
_BLOBS = (
    ColumnType.TINY_BLOB,
    ColumnType.MEDIUM_BLOB,
    ColumnType.LONG_BLOB,
    ColumnType.BLOB,
    ColumnType.GEOMETRY,
    ColumnType.JSON,
    ColumnType.VECTOR,
    ColumnType.MARIA_BLOB_COMPRESSED,
)
_SCALARS: dict[int, Construct] = {
    ColumnType.FLOAT: _PACK_LENGTH,
    ColumnType.DOUBLE: _PACK_LENGTH,
    ColumnType.VARCHAR: _MAX_LENGTH,
    ColumnType.VAR_STRING: _MAX_LENGTH,
    ColumnType.MARIA_VARCHAR_COMPRESSED: _MAX_LENGTH,
    ColumnType.BIT: Struct("bits" / Int8ul, "bytes" / Int8ul),
    ColumnType.TIMESTAMP2: _FRACTION,
    ColumnType.DATETIME2: _FRACTION,
    ColumnType.TIME2: _FRACTION,
    ColumnType.NEWDECIMAL: Struct("precision" / Int8ul, "decimals" / Int8ul),
    ColumnType.ENUM: _REAL_TYPE,
    ColumnType.SET: _REAL_TYPE,
    ColumnType.STRING: _REAL_TYPE,
    **dict.fromkeys(_BLOBS, _LENGTH_BYTES),
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
