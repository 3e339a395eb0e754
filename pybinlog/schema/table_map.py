"""A table's definition as the body of a Table_map event.

Source: the manual's "MySQL Internals: TABLE_MAP_EVENT", and what servers write.
"""

from typing import Any

from construct import Container

from pybinlog.column_types import CHARACTER_TYPES, NUMERIC_TYPES, ColumnType, MetadataType, Stored
from pybinlog.layout.rows import TableMapFlag, bitmap
from pybinlog.schema.column import Column, Key
from pybinlog.schema.table import TableDefinition
from pybinlog.schema.text import encode_text

_MARIADB_CHARACTER_TYPES = frozenset(
    {ColumnType.GEOMETRY, ColumnType.MARIA_BLOB_COMPRESSED, ColumnType.MARIA_VARCHAR_COMPRESSED}
)
_FIRST_WITH_OPTIONAL = (8, 0, 1)
"""The first version that writes optional metadata."""


def table_map_body(
    table: TableDefinition, table_id: int, *, version: tuple[int, ...], row_metadata: str = "MINIMAL"
) -> dict[str, Any]:
    """Return the body of a Table_map, for `layout.new_event`. `row_metadata` is binlog_row_metadata."""
    optional = version >= _FIRST_WITH_OPTIONAL
    body = Container(
        table_id=table_id,
        flags=int(TableMapFlag.BIT_LEN_EXACT),
        db=table.database,
        table=table.name,
        column_count=len(table.columns),
        column_types=[_stored_type(column) for column in table.columns],
        column_metadata=[stored_metadata(column) for column in table.columns],
        null_bits=bitmap([column.nullable for column in table.columns]),
        optional_metadata=optional_metadata(table, row_metadata.upper() == "FULL") if optional else [],
    )
    return dict(body)


def _stored_type(column: Column) -> int:
    """Return the type that the Table_map's list of types has: STRING for ENUM and SET, whose real type is metadata."""
    return ColumnType.STRING if column.type in (ColumnType.ENUM, ColumnType.SET) else column.type


def pack_length(column: Column) -> int:
    """Return the bytes of a value of an ENUM or SET."""
    if column.type == ColumnType.ENUM:
        return 1 if len(column.members) < 256 else 2
    size = (len(column.members) + 7) // 8
    return 8 if size > 4 else size


def stored_metadata(column: Column) -> Any:
    """Return the metadata of a column's type in the Table_map."""
    kind = column.type
    if kind.stored is Stored.PACK_LENGTH:
        return Container(pack_length=kind.size)
    if kind == ColumnType.VARCHAR:
        return Container(max_length=column.byte_length)
    if kind == ColumnType.BIT:
        return Container(bits=column.length % 8, bytes=column.length // 8)
    if kind.stored is Stored.DECIMALS:
        return Container(decimals=column.decimals)
    if kind == ColumnType.NEWDECIMAL:
        return Container(precision=column.precision, decimals=column.decimals)
    if kind in (ColumnType.ENUM, ColumnType.SET):
        return Container(real_type=int(kind), length=pack_length(column))
    if kind == ColumnType.STRING:
        # A length above 255 keeps its high bits, inverted, in the type.
        length = column.byte_length
        return Container(real_type=int(ColumnType.STRING) ^ (length & 0x300) >> 4, length=length & 0xFF)
    if kind.stored is Stored.LENGTH_BYTES:
        return Container(length_bytes=column.length_bytes)
    return None


def _charsets(collations: list[int], default: MetadataType, single: MetadataType) -> list[Container]:
    """Return the character sets of columns: a default and exceptions, or one by one, whichever takes fewer numbers."""
    if not collations:
        return []
    common = max(dict.fromkeys(collations), key=collations.count)
    exceptions = [
        Container(column=index, charset=collation) for index, collation in enumerate(collations) if collation != common
    ]
    if 1 + 2 * len(exceptions) <= len(collations):
        return [Container(type=default, value=Container(default_charset=common, exceptions=exceptions))]
    return [Container(type=single, value=collations)]


def optional_metadata(table: TableDefinition, full: bool, *, mariadb: bool = False) -> list[Container]:
    """Return the optional metadata fields, in the order in which the server writes them.

    `mariadb`: GEOMETRY and compressed columns have a character set, too, as in MariaDB's logs.
    """
    columns = table.columns
    fields: list[Container] = []
    numeric = [column.unsigned for column in columns if column.type in NUMERIC_TYPES]
    if numeric:
        fields.append(Container(type=MetadataType.SIGNEDNESS, value=numeric))
    with_charset = CHARACTER_TYPES | _MARIADB_CHARACTER_TYPES if mariadb else CHARACTER_TYPES
    text = [column.charset for column in columns if column.type in with_charset]
    fields += _charsets(text, MetadataType.DEFAULT_CHARSET, MetadataType.COLUMN_CHARSET)
    geometry = [column.geometry_type for column in columns if column.type == ColumnType.GEOMETRY]
    if geometry:
        fields.append(Container(type=MetadataType.GEOMETRY_TYPE, value=geometry))
    dimensions = [column.length for column in columns if column.type.dimensions]
    if dimensions:
        fields.append(Container(type=MetadataType.VECTOR_DIMENSIONALITY, value=dimensions))
    return fields + (_full(table) if full else [])


def _tells_rows(table: TableDefinition, key: Key) -> bool:
    """Return True if a key is the primary one or stands in for it: it is unique, and has whole columns without NULL."""
    places = [table.position(part.column) or 0 for part in key.parts]
    return key.primary or not any(
        part.prefix or table.columns[place].nullable for part, place in zip(key.parts, places, strict=True)
    )


def _full(table: TableDefinition) -> list[Container]:
    """Return the fields that binlog_row_metadata=FULL adds."""
    columns = table.columns
    fields = [Container(type=MetadataType.COLUMN_NAME, value=[column.name for column in columns])]
    sets = [column.charset for column in columns if column.type in (ColumnType.ENUM, ColumnType.SET)]
    fields += _charsets(sets, MetadataType.ENUM_AND_SET_DEFAULT_CHARSET, MetadataType.ENUM_AND_SET_COLUMN_CHARSET)
    for kind, metadata in (
        (ColumnType.SET, MetadataType.SET_STR_VALUE),
        (ColumnType.ENUM, MetadataType.ENUM_STR_VALUE),
    ):
        # Members are bytes of their character set, which `layout` takes as UTF-8.
        members = [
            [encode_text(member, column.charset).decode("utf-8", "surrogateescape") for member in column.members]
            for column in columns
            if column.type == kind
        ]
        if members:
            fields.append(Container(type=metadata, value=members))
    primary = next((key for key in table.unique_keys if _tells_rows(table, key)), None)
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
    fields.append(Container(type=MetadataType.COLUMN_VISIBILITY, value=[column.visible for column in columns]))
    return fields
