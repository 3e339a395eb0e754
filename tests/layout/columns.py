"""The columns of a Table_map: what its parallel lists say of each, for tests that look at all of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pybinlog.column_types import CHARACTER_TYPES, NUMERIC_TYPES, ColumnType, MetadataType
from pybinlog.errors import CorruptEventError

STRING_TYPES = (ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.STRING)
"""The columns whose values have a length of one or two bytes, as the longest value needs it."""

BLOB_TYPES = (ColumnType.TINY_BLOB, ColumnType.MEDIUM_BLOB, ColumnType.LONG_BLOB, ColumnType.BLOB)
"""The columns of text or bytes whose metadata says how many bytes the length takes."""

MEASURED_TYPES = frozenset(kind for kind in ColumnType if kind.dimensions)
"""The columns whose dimensions are told, in order."""

_LONG_STRING = 0x30


@dataclass(frozen=True)
class Column:
    """One column of a Table_map.

    `type` is the real type (ENUM and SET, which are stored as STRING), `length` the bytes of a STRING, VARCHAR, ENUM or
    SET, `metadata` the container that the event holds for it. `unsigned`, `collation`, `values` (of an ENUM or SET),
    `geometry_type`, `dimensions` and `name` are None if the event does not say.
    """

    index: int
    type: int
    metadata: Any
    nullable: bool
    length: int | None = None
    name: str | None = None
    unsigned: bool | None = None
    collation: int | None = None
    values: tuple[str, ...] | None = None
    geometry_type: int | None = None
    dimensions: int | None = None
    visible: bool = True

    @property
    def key(self) -> str:
        """The column's name, or "@1" for the first column where names are not known."""
        return self.name if self.name is not None else f"@{self.index + 1}"


def metadata_value(table_map: Any, kind: MetadataType) -> Any:
    """Return the value of one field of the optional metadata, or None if the event does not hold it."""
    return next((field.value for field in table_map.optional_metadata if field.type == kind), None)


def _collations(table_map: Any, default: MetadataType, single: MetadataType) -> Iterator[int | None]:
    """Yield the collations of the columns that the two fields speak of; without end."""
    common = metadata_value(table_map, default)
    if common is not None:
        exceptions = {item.column: item.charset for item in common.exceptions}
        index = 0
        while True:
            yield exceptions.get(index, common.default_charset)
            index += 1
    yield from metadata_value(table_map, single) or ()
    while True:
        yield None


def _each(values: Any) -> Iterator[Any]:
    yield from values or ()
    while True:
        yield None


def _real_type(column: int, metadata: Any) -> tuple[int, int | None]:
    """Return the real type and the length: a STRING's first metadata byte is its type, less bits of a long length."""
    if column in (ColumnType.STRING, ColumnType.ENUM, ColumnType.SET) and metadata is not None:
        first, length = metadata.real_type, metadata.length
        if first and first & _LONG_STRING != _LONG_STRING:
            length |= (first & _LONG_STRING ^ _LONG_STRING) << 4
            first |= _LONG_STRING
        real = first if first in (ColumnType.ENUM, ColumnType.SET) else column
        return real, length
    if column in (ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.MARIA_VARCHAR_COMPRESSED):
        return column, metadata.max_length if metadata is not None else None
    return column, None


def columns_of(table_map: Any) -> list[Column]:
    """Return the columns of a parsed Table_map body, in order. Raise CorruptEventError if its parts do not fit."""
    unsigned = _each(metadata_value(table_map, MetadataType.SIGNEDNESS))
    collations = _collations(table_map, MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET)
    value_collations = _collations(
        table_map, MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET
    )
    values = {
        ColumnType.ENUM: _each(metadata_value(table_map, MetadataType.ENUM_STR_VALUE)),
        ColumnType.SET: _each(metadata_value(table_map, MetadataType.SET_STR_VALUE)),
    }
    names = _each(metadata_value(table_map, MetadataType.COLUMN_NAME))
    geometry_types = _each(metadata_value(table_map, MetadataType.GEOMETRY_TYPE))
    dimensions = _each(metadata_value(table_map, MetadataType.VECTOR_DIMENSIONALITY))
    visibility = _each(metadata_value(table_map, MetadataType.COLUMN_VISIBILITY))
    metadatas = table_map.column_metadata or [None] * table_map.column_count
    if len(metadatas) != table_map.column_count:
        raise CorruptEventError(f"Table_map: metadata of {len(metadatas)} columns for {table_map.column_count}")
    columns = []
    for index, (stored, metadata) in enumerate(zip(table_map.column_types, metadatas, strict=True)):
        real, length = _real_type(stored, metadata)
        is_set = real in values
        texts = next(values[ColumnType(real)]) if is_set else None
        visible = next(visibility)
        columns.append(
            Column(
                index=index,
                type=real,
                metadata=metadata,
                nullable=bool(table_map.null_bits and table_map.null_bits[index // 8] >> index % 8 & 1),
                length=length,
                name=next(names),
                unsigned=next(unsigned) if real in NUMERIC_TYPES else None,
                collation=next(value_collations) if is_set else next(collations) if real in CHARACTER_TYPES else None,
                values=tuple(texts) if texts is not None else None,
                geometry_type=next(geometry_types) if real == ColumnType.GEOMETRY else None,
                dimensions=next(dimensions) if real in MEASURED_TYPES else None,
                visible=True if visible is None else visible,
            )
        )
    return columns
