"""The lines that --print-table-metadata adds to a Table_map, from what `layout` parsed."""

from dataclasses import replace
from typing import Any

from pybinlog.layout import ColumnType, MetadataType
from tests.layout.columns import Column, columns_of, metadata_value

BINARY = 63
COLLATIONS = {
    8: ("latin1", "latin1_swedish_ci", 1),
    33: ("utf8mb3", "utf8mb3_general_ci", 3),
    35: ("ucs2", "ucs2_general_ci", 2),
    46: ("utf8mb4", "utf8mb4_bin", 4),
    51: ("cp1251", "cp1251_general_ci", 1),
    54: ("utf16", "utf16_general_ci", 4),
    BINARY: ("binary", "binary", 1),
    248: ("gb18030", "gb18030_chinese_ci", 4),
    255: ("utf8mb4", "utf8mb4_0900_ai_ci", 4),
    278: ("utf8mb4", "utf8mb4_0900_as_cs", 4),
}
"""Collation -> character set, its own name, bytes of the longest character: those of the corpus."""

_GEOMETRY = (
    "GEOMETRY",
    "POINT",
    "LINESTRING",
    "POLYGON",
    "MULTIPOINT",
    "MULTILINESTRING",
    "MULTIPOLYGON",
    "GEOMCOLLECTION",
)
_SIMPLE = {
    ColumnType.LONG: "INT",
    ColumnType.TINY: "TINYINT",
    ColumnType.SHORT: "SMALLINT",
    ColumnType.INT24: "MEDIUMINT",
    ColumnType.LONGLONG: "BIGINT",
    ColumnType.FLOAT: "FLOAT",
    ColumnType.DOUBLE: "DOUBLE",
    ColumnType.DATE: "DATE",
    ColumnType.NEWDATE: "DATE",
    ColumnType.YEAR: "YEAR",
    ColumnType.ENUM: "ENUM",
    ColumnType.SET: "SET",
    ColumnType.JSON: "JSON",
}


def _quoted(text: str, quote: str) -> str:
    escapes = {"\n": "\\n", "\r": "\\r", "\\": "\\\\", "\b": "\\b", "\t": "\\t", "'": "\\'", "\0": "\\0"}
    if quote == "`":
        escapes["`"] = "``"
    return quote + "".join(escapes.get(char, char) for char in text) + quote


def _type(column: Column) -> str:
    kind, metadata = column.type, column.metadata
    if kind in _SIMPLE:
        return _SIMPLE[ColumnType(kind)]
    is_text = column.collation not in (None, BINARY)
    widest = COLLATIONS[column.collation][2] if column.collation is not None else 1
    if kind == ColumnType.NEWDECIMAL:
        return f"DECIMAL({metadata.precision},{metadata.decimals})"
    if kind == ColumnType.BIT:
        return f"BIT({metadata.bytes * 8 + metadata.bits})"
    if kind in (ColumnType.TIMESTAMP2, ColumnType.DATETIME2, ColumnType.TIME2):
        return ColumnType(kind).name[:-1] + (f"({metadata.decimals})" if metadata.decimals else "")
    if kind == ColumnType.BLOB:
        return ("TINY", "", "MEDIUM", "LONG")[metadata.length_bytes - 1] + ("TEXT" if is_text else "BLOB")
    if kind == ColumnType.VECTOR:
        return f"VECTOR({column.dimensions})"
    if kind == ColumnType.GEOMETRY:
        return _GEOMETRY[column.geometry_type or 0]
    name = "CHAR" if kind == ColumnType.STRING else "VARCHAR"
    assert column.length is not None
    return f"{name}({column.length // widest})" if is_text else f"{name.replace('CHAR', 'BINARY')}({column.length})"


def _column(column: Column) -> str:
    text = f"{_quoted(column.name, '`')} " if column.name is not None else ""
    text += _type(column)
    if column.unsigned and column.type != ColumnType.YEAR:
        text += " UNSIGNED"
    if not column.nullable:
        text += " NOT NULL"
    if column.values is not None:
        text += "(" + ", ".join(_quoted(value, "'") for value in column.values) + ")"
    if column.collation is not None and (
        column.collation != BINARY or column.type in (ColumnType.ENUM, ColumnType.SET)
    ):
        text += " CHARSET {} COLLATE {}".format(*COLLATIONS[column.collation])
    return text + ("" if column.visible else " INVISIBLE")


def metadata_text(table_map: Any) -> bytes:
    """The `# Columns(...)` and `# Primary Key(...)` lines."""
    columns = columns_of(table_map)
    texts = [_column(column) for column in columns]
    hidden_key = table_map.flags & 4
    if hidden_key:
        texts[0] = _hidden_key(columns[0])
    text = "# Columns(" + ",\n#         ".join(texts) + ")\n"
    key = [(index, 0) for index in metadata_value(table_map, MetadataType.SIMPLE_PRIMARY_KEY) or ()]
    key += [
        (part.column, part.prefix) for part in metadata_value(table_map, MetadataType.PRIMARY_KEY_WITH_PREFIX) or ()
    ]
    if hidden_key:
        text += "# Primary Key(my_row_id)\n"
    elif key:
        parts = (f"{columns[index].name or index}" + (f"({prefix})" if prefix else "") for index, prefix in key)
        text += f"# Primary Key({', '.join(parts)})\n"
    return text.encode("utf-8", "surrogateescape")


def _hidden_key(column: Column) -> str:
    """The generated invisible primary key, of which the log says less than of other columns."""
    return _column(replace(column, name=column.name or "my_row_id", visible=False)) + " AUTO_INCREMENT"
