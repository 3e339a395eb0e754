"""Tables and changed rows as the bodies of Table_map and row events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from construct import Container

from pybinlog.layout import ColumnType, MetadataType, bitmap, columns_of, encode_image
from pybinlog.layout.rows.table_map import TableMapFlag
from pybinlog.layout.values.column import CHARACTER_TYPES, NUMERIC_TYPES

from .charset import BINARY, encode_text
from .column import Column
from .table import Key, Table
from .transaction import Row, RowChange

__all__ = ["RowGroup", "row_groups", "table_map_body"]

_MODERN = (8, 0, 1)
"""The first version that writes optional metadata."""


def _stored_type(column: Column) -> int:
    """The type that the Table_map's list of types has: STRING for ENUM and SET, whose real type is metadata."""
    return ColumnType.STRING if column.type in (ColumnType.ENUM, ColumnType.SET) else column.type


def _pack_length(column: Column) -> int:
    if column.type == ColumnType.ENUM:
        return 1 if len(column.members) < 256 else 2
    size = (len(column.members) + 7) // 8
    return 8 if size > 4 else size


def _metadata(column: Column) -> Any:
    """What a column's type stores in the Table_map."""
    kind = column.type
    if kind in (ColumnType.FLOAT, ColumnType.DOUBLE):
        return Container(pack_length=4 if kind == ColumnType.FLOAT else 8)
    if kind == ColumnType.VARCHAR:
        return Container(max_length=column.byte_length)
    if kind == ColumnType.BIT:
        return Container(bits=column.length % 8, bytes=column.length // 8)
    if kind in (ColumnType.TIMESTAMP2, ColumnType.DATETIME2, ColumnType.TIME2):
        return Container(decimals=column.decimals)
    if kind == ColumnType.NEWDECIMAL:
        return Container(precision=column.precision, decimals=column.decimals)
    if kind in (ColumnType.ENUM, ColumnType.SET):
        return Container(real_type=int(kind), length=_pack_length(column))
    if kind == ColumnType.STRING:
        # A length above 255 keeps its high bits, inverted, in the type.
        length = column.byte_length
        return Container(real_type=int(ColumnType.STRING) ^ (length & 0x300) >> 4, length=length & 0xFF)
    if kind in (ColumnType.BLOB, ColumnType.JSON, ColumnType.GEOMETRY, ColumnType.VECTOR):
        return Container(length_bytes=column.length_bytes)
    return None


def _charsets(collations: list[int], default: MetadataType, single: MetadataType) -> list[Container]:
    """The character sets of columns: a default and exceptions, or one by one, whichever takes fewer numbers."""
    if not collations:
        return []
    common = max(dict.fromkeys(collations), key=collations.count)
    exceptions = [
        Container(column=index, charset=collation) for index, collation in enumerate(collations) if collation != common
    ]
    if 1 + 2 * len(exceptions) <= len(collations):
        return [Container(type=default, value=Container(default_charset=common, exceptions=exceptions))]
    return [Container(type=single, value=collations)]


def _optional(table: Table, full: bool) -> list[Container]:
    """The optional metadata fields, in the order in which the server writes them."""
    columns = table.columns
    fields: list[Container] = []
    numeric = [column for column in columns if column.type in NUMERIC_TYPES]
    if numeric:
        bits = [column.unsigned for column in numeric]
        fields.append(Container(type=MetadataType.SIGNEDNESS, value=bits))
    text = [_collation(column) for column in columns if column.type in CHARACTER_TYPES]
    fields += _charsets(text, MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET)
    geometry = [column.geometry_type for column in columns if column.type == ColumnType.GEOMETRY]
    if geometry:
        fields.append(Container(type=MetadataType.GEOMETRY_TYPE, value=geometry))
    dimensions = [column.length for column in columns if column.type == ColumnType.VECTOR]
    if dimensions:
        fields.append(Container(type=MetadataType.VECTOR_DIMENSIONALITY, value=dimensions))
    if full:
        fields += _full(table)
    return fields


def _collation(column: Column) -> int:
    return column.collation if column.collation is not None else BINARY


def _tells_rows(table: Table, key: Key) -> bool:
    """Whether a unique key stands in for a missing primary key: it has whole columns without NULL."""
    return not any(part.prefix or table.column(part.column).nullable for part in key.parts)


def _raw(member: str, column: Column) -> str:
    """A member of an ENUM or SET as the bytes of its character set, which `layout` takes as UTF-8."""
    return encode_text(member, _collation(column)).decode("utf-8", "surrogateescape")


def _full(table: Table) -> list[Container]:
    """What binlog_row_metadata=FULL adds."""
    columns = table.columns
    fields = [Container(type=MetadataType.COLUMN_NAME, value=[column.name for column in columns])]
    sets = [_collation(column) for column in columns if column.type in (ColumnType.ENUM, ColumnType.SET)]
    fields += _charsets(sets, MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET)
    for kind, metadata in (
        (ColumnType.SET, MetadataType.SET_STR_VALUE),
        (ColumnType.ENUM, MetadataType.ENUM_STR_VALUE),
    ):
        members = [[_raw(member, column) for member in column.members] for column in columns if column.type == kind]
        if members:
            fields.append(Container(type=metadata, value=members))
    primary = next((key for key in table.unique_keys if key.primary or _tells_rows(table, key)), None)
    if primary is not None:
        places = [table.position(part.column) for part in primary.parts]
        if any(part.prefix for part in primary.parts):
            value: Any = [
                Container(column=place, prefix=part.prefix or 0)
                for place, part in zip(places, primary.parts, strict=True)
            ]
            fields.append(Container(type=MetadataType.PRIMARY_KEY_WITH_PREFIX, value=value))
        else:
            fields.append(Container(type=MetadataType.SIMPLE_PRIMARY_KEY, value=places))
    visible = [column.visible for column in columns]
    fields.append(Container(type=MetadataType.COLUMN_VISIBILITY, value=visible))
    return fields


def table_map_body(
    table: Table, table_id: int, *, version: tuple[int, ...] | None = None, row_metadata: str = "MINIMAL"
) -> dict[str, Any]:
    """The body of a Table_map, for `layout.new_event`. `row_metadata` is binlog_row_metadata."""
    modern = (version or table.version) >= _MODERN
    flags = int(TableMapFlag.BIT_LEN_EXACT)
    if table.generated_primary_key:
        flags |= TableMapFlag.GENERATED_INVISIBLE_PRIMARY_KEY
    return Container(
        table_id=table_id,
        flags=flags,
        db=table.database,
        table=table.name,
        column_count=len(table.columns),
        column_types=[_stored_type(column) for column in table.columns],
        column_metadata=[_metadata(column) for column in table.columns],
        null_bits=bitmap([column.nullable for column in table.columns]),
        optional_metadata=_optional(table, row_metadata.upper() == "FULL") if modern else [],
    )


class _Encoder:
    """Row images of one table."""

    def __init__(self, table: Table, row_image: str) -> None:
        self.table = table
        self.row_image = row_image.upper()

    @cached_property
    def columns(self) -> list[Any]:
        """The columns as `layout` wants them to write values: with their character sets."""
        return columns_of(table_map_body(self.table, 0, version=_MODERN, row_metadata="FULL"))

    @cached_property
    def identifying(self) -> set[int]:
        """The columns that tell a row: those of the primary key, or of a unique key without NULL; else all."""
        for key in self.table.unique_keys:
            places = [self.table.position(part.column) or 0 for part in key.parts]
            if not any(self.table.columns[place].nullable for place in places):
                return set(places)
        return set(range(len(self.table.columns)))

    def present(self, change: RowChange) -> tuple[list[bool] | None, list[bool] | None]:
        """The columns of the before and of the after image (binlog_row_image); None where it has all by rule.

        An insert has those that the statement names, an update the changed ones as the statement names them.
        """
        if self.row_image == "FULL":
            return None, None
        count = len(self.table.columns)
        keyless = len(self.identifying) == count
        written = change.written if change.written is not None else frozenset(range(count))
        if self.row_image == "NOBLOB":
            plain = {index for index, column in enumerate(self.table.columns) if column.type != ColumnType.BLOB}
            before, after = plain | self.identifying, plain | written
        else:
            before, after = self.identifying, set(written)
        if change.before is None:
            return None, None if change.written is None else [index in after for index in range(count)]
        named = None if keyless else [index in before for index in range(count)]
        return named, [index in after for index in range(count)]

    def bits(self, present: list[bool] | None) -> bytes:
        """The columns of an image as bits; a full one has those set that stand for no column, too."""
        return b"\xff" * ((len(self.table.columns) + 7) // 8) if present is None else bitmap(present)

    def image(self, row: Row, present: list[bool] | None) -> bytes:
        values = [
            encode_text(value, _collation(column)) if column.is_text and isinstance(value, str) else value
            for value, column in zip(row, self.table.columns, strict=True)
        ]
        return encode_image(values, self.columns, present or [True] * len(row), filler=self.table.version < (8,))


@dataclass
class RowGroup:
    """Rows for one event: of one table, changed in one way, with the same columns in their images."""

    table: Table
    kind: str
    before: bytes
    after: bytes
    version: tuple[int, ...]
    images: list[bytes] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(map(len, self.images))

    def body(self, table_id: int, flags: int) -> dict[str, Any]:
        """The body of its event, for `layout.new_event`."""
        return Container(
            table_id=table_id,
            flags=flags,
            extra_row_info=[],
            column_count=len(self.table.columns),
            columns_before_image=self.before if self.kind != "write" else self.after,
            columns_after_image=self.after if self.kind == "update" else None,
            rows=b"".join(self.images),
        )


def row_groups(changes: Iterable[RowChange], *, row_image: str = "FULL", max_size: int = 8192) -> list[RowGroup]:
    """Changes as the rows of events, in order: a new one where table, kind or columns change, or `max_size` is full."""
    groups: list[RowGroup] = []
    encoders: dict[Table, _Encoder] = {}
    for change in changes:
        encoder = encoders.setdefault(change.table, _Encoder(change.table, row_image))
        kind = "write" if change.before is None else "delete" if change.after is None else "update"
        before, after = encoder.present(change)
        image = b""
        if change.before is not None:
            image += encoder.image(change.before, before)
        if change.after is not None:
            image += encoder.image(change.after, after)
        bits = encoder.bits(before), encoder.bits(after)
        last = groups[-1] if groups else None
        if (
            last is None
            or (last.table, last.kind, last.before, last.after) != (change.table, kind, *bits)
            or last.size + len(image) > max_size
        ):
            last = RowGroup(change.table, kind, *bits, version=change.table.version)
            groups.append(last)
        last.images.append(image)
    return groups
